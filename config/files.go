package config

import (
	"os"
	"time"

	"exclave/chain/decide"
	"exclave/chain/fetch"
	"exclave/chain/standard"
	"exclave/internal/conf"
	"exclave/internal/urlx"
	"exclave/warc"
)

// files checks what the configuration names outside itself.
func (r *report) files(c *Config) {
	for i, name := range c.Job.Seeds {
		r.readable(conf.Element("job.seeds", i), c.Path(name), "make the file: one URL a line, or a log of links that another harvest left out")
	}
	for i, name := range c.HTTP.RootFiles {
		r.readable(conf.Element("http.root_certificates", i), c.Path(name), "name a PEM file of certificates")
	}
	r.below("credential", fetch.ValidCredentials(c.Credentials))
	r.hostRules(c)
	r.dictionary(c)
	r.below("analysis", c.Analyzer().CheckFiles())
	_, problems := decide.Build(c.Scope, c.Dir, time.Time{}) // whatever the day
	r.below("scope", problems)
	_, problems = standard.Build(&standard.Env{Dir: c.Dir}, c.Chain)
	r.below("chain", problems)
}

// Accounts returns the credentials with their passwords, which it reads.
func (c *Config) Accounts() (*fetch.Accounts, conf.Problems) {
	a, problems := fetch.OpenAccounts(c.Credentials, c.Path)
	return a, c.Locate(problems.Below("credential"))
}

// readable reports a file that is not there.
func (r *report) readable(key, file, fix string) {
	switch info, err := os.Stat(file); {
	case err != nil:
		r.add(key, fix, "%s: %v", file, cause(err))
	case info.IsDir():
		r.add(key, fix, "%s: is a folder", file)
	}
}

// dictionary reads the dictionary of WARC files into the configuration.
func (r *report) dictionary(c *Config) {
	c.WARC.Dictionary = nil
	if c.WARC.ZstdDictionary == "" {
		return
	}
	file := c.Path(c.WARC.ZstdDictionary)
	data, err := os.ReadFile(file)
	if err == nil {
		c.WARC.Dictionary, err = warc.ParseDictionary(data)
	}
	if err != nil {
		r.add("warc.zstd_dictionary", `exclave warc dictionary makes one; "" does without`, "%s: %v", file, cause(err))
	}
}

// hostRules reads the host rules into the configuration, and reports what is wrong
// in them at its place in their own file.
func (r *report) hostRules(c *Config) {
	c.URL.Hosts = nil
	if c.URL.HostRules == "" {
		return
	}
	file := c.Path(c.URL.HostRules)
	data, err := os.ReadFile(file)
	if err != nil {
		r.add("url.host_rules", `docs/formats/host-rules.md says what the file holds; "" does without`, "%s: %v", file, cause(err))
		return
	}
	hosts, errs := urlx.ParseHostRules(data, c.URL.StripWWW)
	for _, e := range errs {
		r.Problems = append(r.Problems, conf.Problem{File: file, Line: e.Line, Col: 1, Msg: e.Msg, Fix: e.Fix})
	}
	c.URL.Hosts = hosts
}
