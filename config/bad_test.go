package config

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var rewrite = flag.Bool("rewrite", false, "write the messages of testdata/bad.txtar")

// Every bad configuration is refused with a message that names place and remedy
// (issue 3: at least 30, positions included).
func TestBadConfigurations(t *testing.T) {
	const golden = "testdata/bad.txtar"
	archive, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	beside := map[string]string{
		"bad.properties":    "# fine:\nstartsWith(www.)=\nstartswith(w3.)=\nsynonym(a.cz)=\n",
		"circle.properties": "synonym(a.cz)=www.b.cz\nsynonym(b.cz)=a.cz\n",
		"bad.mmdb":          "range_start,range_end,country\n",
		"bad.surt":          "# fine:\nhttp://(com,example,\n\nhttp://(com,example/\n",
		"bad.toml":          "[profile]\nname = \"bad\"\nmin_points = 1\n[[searcher]]\nkind = \"email\"\npoints = 1\npattern = \"(\"\n",
	}
	for i := 0; i+1 < len(archive.Files); i += 2 {
		c, want := archive.Files[i], &archive.Files[i+1]
		dir := jobDir(t, string(c.Data))
		for name, text := range beside {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, problems := Load(dir)
		hide := strings.NewReplacer(dir+string(filepath.Separator), "", dir, ".")
		var got strings.Builder
		for _, p := range problems {
			got.WriteString(hide.Replace(p.String()) + "\n")
		}
		if *rewrite {
			want.Data = []byte(got.String())
			continue
		}
		why, _, _ := strings.Cut(string(c.Data), "\n")
		if len(problems) == 0 {
			t.Errorf("%s (%s): accepted", c.Name, why)
		}
		if d := cmp.Diff(string(want.Data), got.String()); d != "" {
			t.Errorf("%s (%s):\n%s", c.Name, why, d)
		}
	}
	if *rewrite {
		if err := os.WriteFile(golden, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
