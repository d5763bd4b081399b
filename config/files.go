package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"exclave/analyzer"
	"exclave/chain/decide"
	"exclave/chain/standard"
	"exclave/dict"
	"exclave/internal/geoip"
	"exclave/internal/urlx"
)

// files checks what the configuration names outside itself.
func (r *report) files(c *Config) {
	for i, name := range c.Job.Seeds {
		r.readable(element("job.seeds", i), c.Path(name), "make the file: one URL a line, or a log of links that another harvest left out")
	}
	for i, name := range c.HTTP.RootFiles {
		r.readable(element("http.root_certificates", i), c.Path(name), "name a PEM file of certificates")
	}
	r.hostRules(c)
	r.geoip(c)
	for i, name := range c.Analysis.Profiles {
		r.profile(element("analysis.profiles", i), name, c.Dir)
	}
	_, problems := decide.Build(c.Scope, c.Dir, time.Time{}) // whatever the day
	for _, p := range problems {
		r.bad("scope"+p.Key, "", p.Msg)
	}
	_, steps := standard.Build(&standard.Env{Dir: c.Dir}, c.Chain)
	for _, p := range steps {
		r.bad("chain."+p.Key, "", p.Msg)
	}
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
		r.problems = append(r.problems, Problem{File: file, Line: e.Line, Col: 1, Msg: e.Msg, Fix: e.Fix})
	}
	c.URL.Hosts = hosts
}

// geoip reports databases that searchers of that kind could not use.
func (r *report) geoip(c *Config) {
	const fix = `docs/howto/geoip.md says where databases come from; "" does without`
	if name := c.Analysis.GeoIP; name != "" {
		if _, err := geoip.Open(c.Path(name)); err != nil {
			r.add("analysis.geoip", fix, "%s", message(err))
		}
	}
	if name := c.Analysis.GeoIPASN; name != "" {
		if _, err := geoip.OpenOwners(c.Path(name)); err != nil {
			r.add("analysis.geoip_asn", fix, "%s", message(err))
		}
	}
}

// profile reports what is wrong in a profile: its name here, its content in its
// own file.
func (r *report) profile(key, name, dir string) {
	file := name
	var data []byte
	var err error
	if isFile(name) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		data, err = os.ReadFile(file)
	} else {
		data, err = analyzer.BuiltinSource(name)
	}
	if err != nil {
		fix := "built in are " + strings.Join(analyzer.Builtins(), ", ") + "; the path of another one ends in .toml"
		if errors.Is(err, analyzer.ErrNoProfile) {
			r.add(key, fix, "%q: %v", name, analyzer.ErrNoProfile)
		} else {
			r.add(key, fix, "%s: %v", file, cause(err))
		}
		return
	}
	p, problems := analyzer.ParseProfile(data, file)
	at := scan(string(data))
	for _, pr := range problems {
		place := Pos{pr.Line, pr.Col}
		if pr.Line == 0 {
			place = at.find(pr.Key)
		}
		r.problems = append(r.problems, Problem{File: file, Line: place.Line, Col: place.Col, Key: pr.Key, Msg: pr.Msg})
	}
	for i, s := range p.Searchers {
		if len(problems) > 0 || s.List == "" {
			continue
		}
		if _, err := dict.Load(s.List); err != nil {
			k := join(element("searcher", i), "list")
			place := at.find(k)
			r.problems = append(r.problems, Problem{File: file, Line: place.Line, Col: place.Col, Key: k,
				Msg: message(err), Fix: "docs/howto/word-lists.md says how lists are built"})
		}
	}
}

// isFile tells the path of a profile from the name of a built-in one, as
// analyzer.LoadProfile does.
func isFile(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".toml")
}
