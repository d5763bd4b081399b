package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"exclave/chain/decide"
	"exclave/frontier"

	"github.com/BurntSushi/toml"
)

// Load reads the configuration of a job: path is its folder, or the file itself.
// It returns every problem, also of the files that the configuration names. With
// problems the Config must not be used; it is nil when there is none to speak of.
func Load(path string) (*Config, []Problem) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, FileName)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, []Problem{{File: path, Msg: "cannot be read: " + cause(err).Error(),
			Fix: "name the folder of a job; `exclave init DIR` makes one"}}
	}
	c, r := parse(data, path)
	if c == nil {
		return nil, r.problems
	}
	c.Dir = filepath.Dir(path)
	r.check(c)
	return c, r.sorted()
}

// Validate returns every problem of the values and of the files they name, and
// reads the host rules. The problems have no positions in job.toml.
func (c *Config) Validate() []Problem {
	r := &report{file: filepath.Join(c.Dir, FileName)}
	r.check(c)
	return r.problems
}

func parse(data []byte, file string) (*Config, *report) {
	r := &report{file: file}
	s := scanText(string(data))
	if s.deep {
		r.problems = []Problem{{File: file, Msg: fmt.Sprintf("keys or values are nested more than %d deep", maxDepth), Fix: "nothing here is: `exclave init DIR` makes a job.toml to compare with"}}
		return nil, r
	}
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		r.problems = []Problem{syntax(err, string(data), file)}
		return nil, r
	}
	r.at = s.at
	c := Default(mainProfile(tree, filepath.Dir(file)))
	c.Analysis.Profiles = nil
	d := &decoder{report: r, root: reflect.TypeFor[Config]()}
	d.table("", tree, reflect.ValueOf(c).Elem())
	return c, r
}

// mainProfile is the first profile that a tree names, in the job's folder when it is a
// file: some defaults depend on it.
func mainProfile(tree map[string]any, dir string) string {
	analysis, _ := tree["analysis"].(map[string]any)
	names, _ := analysis["profiles"].([]any)
	if len(names) == 0 {
		return ""
	}
	name, _ := names[0].(string)
	if isFile(name) && !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return name
}

func syntax(err error, text, file string) Problem {
	p := Problem{File: file, Msg: "not TOML: " + err.Error(), Fix: "see https://toml.io"}
	var pe toml.ParseError
	if errors.As(err, &pe) {
		at := position(text, pe.Position.Start)
		p.Line, p.Col, p.Msg = at.Line, at.Col, "not TOML: "+pe.Message
	}
	return p
}

// check looks at the values, and at the files they name.
func (r *report) check(c *Config) {
	defaults := fields(reflect.ValueOf(Default("")).Elem())
	for i, f := range fields(reflect.ValueOf(c).Elem()) {
		r.section(f.key, f.value.Interface(), defaults[i].value.Interface())
	}
	if c.Frontier.QueueKey != frontier.QueueByHost && (c.Limits.HostDocuments > 0 || c.Limits.HostBytes > 0) {
		r.bad("limits.host_documents", "use domain_documents and domain_bytes, or queue_key = \"host\"",
			fmt.Sprintf("budgets of hosts need frontier.queue_key = \"host\"; it is %q", c.Frontier.QueueKey))
	}
	r.files(c)
}

// Path returns where a file of the job lies.
func (c *Config) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.Dir, name)
}

// Absolute makes the names of files that are relative to the job's folder absolute,
// but for those of seeds, so that the configuration can stand in another folder.
func (c *Config) Absolute() error {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return fmt.Errorf("config: %w", err)
	}
	c.Dir = dir
	c.eachFile(func(name *string) { *name = c.Path(*name) })
	return nil
}

// Files returns the names of the files that the configuration needs, as it writes them,
// those of the seeds first.
func (c *Config) Files() []string {
	names := slices.Clone(c.Job.Seeds)
	c.eachFile(func(name *string) { names = append(names, *name) })
	return names
}

// eachFile calls fn for the name of every file but those of seeds.
func (c *Config) eachFile(fn func(name *string)) {
	one := func(name *string) {
		if *name != "" {
			fn(name)
		}
	}
	for i := range c.HTTP.RootFiles {
		one(&c.HTTP.RootFiles[i])
	}
	for i := range c.Analysis.Profiles {
		if isFile(c.Analysis.Profiles[i]) {
			one(&c.Analysis.Profiles[i])
		}
	}
	one(&c.Analysis.GeoIP)
	one(&c.Analysis.GeoIPASN)
	one(&c.URL.HostRules)
	rules := func(rules []decide.RuleConfig) {
		for i := range rules {
			one(&rules[i].File)
		}
	}
	rules(c.Scope)
	for _, steps := range c.Chain {
		for _, s := range steps {
			rules(s.Rules)
		}
	}
}
