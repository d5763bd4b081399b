package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"exclave/analyzer"
	"exclave/chain/decide"
	"exclave/frontier"
	"exclave/internal/conf"
	"exclave/warc/store"
)

// Load reads the configuration of a job: path is its folder, or the file itself.
// It returns every problem, also of the files that the configuration names. With
// problems the Config must not be used; it is nil when there is none to speak of.
func Load(path string) (*Config, conf.Problems) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, FileName)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, conf.Problems{{File: path, Msg: "cannot be read: " + cause(err).Error(),
			Fix: "name the folder of a job; `exclave init DIR` makes one"}}
	}
	c, r := parse(data, path)
	if c == nil {
		return nil, r.Problems
	}
	c.Dir = filepath.Dir(path)
	r.check(c)
	return c, r.doc.Locate(r.Problems)
}

// Validate returns every problem of the values and of the files they name, and
// reads the host rules. The problems have no positions in job.toml.
func (c *Config) Validate() conf.Problems {
	r := &report{}
	r.check(c)
	return r.Problems
}

func parse(data []byte, file string) (*Config, *report) {
	doc, problems := conf.Parse(data, file)
	r := &report{doc: doc, Problems: problems}
	if doc == nil {
		return nil, r
	}
	var first struct{ Analysis struct{ Profiles []string } }
	_ = doc.Decode(&first) // what is wrong is reported below
	c := Default(mainProfile(first.Analysis.Profiles, filepath.Dir(file)))
	c.Analysis.Profiles = nil
	r.Problems = doc.Decode(c)
	return c, r
}

// mainProfile is the first profile of a job, in the job's folder when it is a file: some
// defaults depend on it.
func mainProfile(names []string, dir string) string {
	if len(names) == 0 {
		return ""
	}
	name := names[0]
	if analyzer.IsFile(name) && !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return name
}

// check looks at the values, and at the files they name.
func (r *report) check(c *Config) {
	defaults := conf.Fields(reflect.ValueOf(Default("")).Elem())
	for i, f := range conf.Fields(reflect.ValueOf(c).Elem()) {
		if v, ok := f.Value.Interface().(conf.Validator); ok {
			r.section(f.Key, v, defaults[i].Value)
		}
	}
	if c.Frontier.QueueKey != frontier.QueueByHost && (c.Limits.HostDocuments > 0 || c.Limits.HostBytes > 0) {
		r.Merge(conf.Problems{{Key: "limits.host_documents", Fix: "use domain_documents and domain_bytes, or queue_key = \"host\"",
			Msg: fmt.Sprintf("budgets of hosts need frontier.queue_key = \"host\"; it is %q", c.Frontier.QueueKey)}})
	}
	r.files(c)
}

// Locate says where in the job's file the keys of problems stand that were found after it was loaded, as far as that can be told.
func (c *Config) Locate(ps conf.Problems) conf.Problems {
	if len(ps) == 0 {
		return nil
	}
	name := filepath.Join(c.Dir, FileName)
	if data, err := os.ReadFile(name); err == nil {
		if doc, _ := conf.Parse(data, name); doc != nil {
			return doc.Locate(ps)
		}
	}
	return ps
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
	c.Store = c.Storage()
	// As the credentials of the store, these are not among [Config.Files]: nothing copies them.
	if c.HTTP.CookiesFile != "" {
		c.HTTP.CookiesFile = c.Path(c.HTTP.CookiesFile)
	}
	for i := range c.Credentials {
		if name := &c.Credentials[i].PasswordFile; *name != "" {
			*name = c.Path(*name)
		}
	}
	return nil
}

// Storage returns where complete WARC files are stored, with the names of files made absolute. That of its credentials is not among [Config.Files]:
// nothing copies them.
func (c *Config) Storage() store.Config {
	s := c.Store
	s.To = store.Absolute(s.To, c.Dir)
	for _, name := range s.Files() {
		if *name != "" {
			*name = c.Path(*name)
		}
	}
	return s
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
		if analyzer.IsFile(c.Analysis.Profiles[i]) {
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
