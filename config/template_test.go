package config

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"exclave/analyzer"
	"exclave/internal/conf"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// jobDir makes a folder with a job.toml and the seeds it names by default.
func jobDir(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{FileName: text, "seeds.txt": "https://example.com/\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The template is where users learn of settings: what it shows must be what
// happens without it (issue 3: complete, every default visible).
func TestTemplateIsDefault(t *testing.T) {
	for _, profile := range []string{"cz", "sk"} {
		want := Default(profile)
		want.Job.Name = "job-1"
		want.HTTP.Contact = "https://example.org/crawler"
		want.Dir = jobDir(t, string(Template(want)))
		got, problems := Load(want.Dir)
		for _, p := range problems {
			t.Error(p)
		}
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.Exporter(func(reflect.Type) bool { return true })); d != "" {
			t.Errorf("%s: template and default differ:\n%s", profile, d)
		}
	}
}

// A key missing from the template can only be found in the source.
func TestTemplateNamesEveryKey(t *testing.T) {
	doc, problems := conf.Parse(Template(Default("cz")), FileName)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	texts := comments()
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		for _, f := range conf.Fields(v) {
			p := conf.Join(path, f.Key)
			if texts[p] == "" {
				t.Errorf("%s has no comment", p)
			}
			delete(texts, p)
			if !doc.Has(p) && f.Key != "chain" && f.Key != "credential" {
				t.Errorf("%s is not in the template", p)
			}
			if f.Value.Kind() == reflect.Struct {
				walk(p, f.Value)
			}
		}
	}
	walk("", reflect.ValueOf(Default("cz")).Elem())
	delete(texts, "")
	for p := range texts {
		t.Errorf("comment of %s, which is no key", p)
	}
}

// Host rules count only when they have been read: keys would silently be others.
func TestHostRulesAreLoaded(t *testing.T) {
	dir := jobDir(t, "[job]\nname = \"t\"\n[http]\ncontact = \"https://example.org/\"\n[analysis]\nprofiles = [\"cz\"]\n[url]\nhost_rules = \"hosts.properties\"\n")
	if err := os.WriteFile(filepath.Join(dir, "hosts.properties"), []byte("startsWith(www.)=\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	loaded, problems := Load(dir)
	for _, p := range problems {
		t.Error(p)
	}
	made := Default("cz")
	made.Dir, made.Job.Name, made.HTTP.Contact, made.URL.HostRules = dir, "t", "https://example.org/", "hosts.properties"
	for _, p := range made.Validate() {
		t.Error(p)
	}
	if got := Default("").URL.Hash(); loaded.URL.Hash() == got || made.URL.Hash() != loaded.URL.Hash() {
		t.Errorf("hashes %#x loaded, %#x validated, %#x without host rules", loaded.URL.Hash(), made.URL.Hash(), got)
	}
}

// Collections get their job.toml from one that stands elsewhere (ADR 24): nothing
// that was set may be lost, and files must still be found.
func TestTemplateOfAJobElsewhere(t *testing.T) {
	dir := jobDir(t, `
[job]
name = "a"
seeds = ["seeds.txt"]
[http]
contact = "https://example.org/"
[http.connect_to]
"a.test:80" = "127.0.0.1:8080"
[analysis]
profiles = ["nation.toml"]
[url]
host_rules = "hosts.properties"
[[scope]]
rule = "accept"
[[scope]]
rule = "hosts"
file = "hosts.txt"
[[chain.extract]]
kind = "html"
[chain.extract.options]
[[chain.extract]]
kind = "css"
enabled = false
[[chain.extract.rules]]
rule = "regex"
list = ['\.css$', "b"]
[[chain.extract.rules]]
rule = "hosts"
file = "hosts.txt"
`)
	profile, err := analyzer.BuiltinSource("cz")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"nation.toml": profile, "hosts.txt": []byte("a.test\n"),
		"hosts.properties": []byte("startsWith(www.)=\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	load := func(dir string) *Config {
		c, problems := Load(dir)
		for _, p := range problems {
			t.Error(p)
		}
		if len(problems) > 0 {
			t.FailNow()
		}
		return c
	}
	want := load(dir)
	if err := want.Absolute(); err != nil {
		t.Fatal(err)
	}
	if hosts := filepath.Join(dir, "hosts.txt"); want.Scope[1].File != hosts || want.Chain["extract"][1].Rules[1].File != hosts {
		t.Errorf("files are not absolute: %+v %+v", want.Scope, want.Chain)
	}
	got := load(jobDir(t, string(Template(want))))
	got.Dir = want.Dir
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmp.Exporter(func(reflect.Type) bool { return true })); d != "" {
		t.Errorf("written and read elsewhere:\n%s", d)
	}
}
