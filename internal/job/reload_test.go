package job

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/analyzer"
	"exclave/config"
	"exclave/internal/job/folder"
	"exclave/internal/job/rules"
	"exclave/internal/sheet"
)

// An interface that is down keeps nobody from blocking a site; a sheet whose address the machine never had is refused.
func TestReloadWithoutInterface(t *testing.T) {
	t.Parallel()
	cfg := &config.Config{Dir: t.TempDir()}
	cfg.HTTP.SourceAddress = "192.0.2.77"
	dir := filepath.Join(cfg.Dir, folder.SheetDir)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, sets string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name+".toml"), []byte("[[sheet]]\nname = \""+name+"\"\nhosts = [\""+name+".test\"]\n"+sets+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a", "http.source_address = \"192.0.2.78\"")
	j := &Job{cfg: cfg, folder: folder.Of(cfg, folder.Env{}), events: make(chan event, 1), analyzer: &analyzer.Analyzer{}}
	set, err := rules.Sheets(j.folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	j.sheets = sheet.NewLive(set)
	write("block", "blocked = true")
	write("same", "http.source_address = \"192.0.2.77\"")
	if n, err := j.Reload(t.Context()); n != 3 || err != nil {
		t.Errorf("%d sheets: %v", n, err)
	}
	write("more", "http.source_address = \"192.0.2.79\"")
	if n, err := j.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "192.0.2.79: ") || strings.Contains(err.Error(), "192.0.2.78") || j.sheets.Now().Len() != 3 {
		t.Errorf("%d sheets: %v", n, err)
	}
}
