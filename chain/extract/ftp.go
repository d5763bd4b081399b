package extract

import (
	"bytes"
	"context"
	"net/url"
	"strings"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/conf"
)

// FTPConfig says which links of FTP servers are taken.
type FTPConfig struct {
	MaxOutlinks int `toml:"max_outlinks"`
	// Parent takes the directory that a file or a directory is in, as Heritrix does by default.
	Parent bool `toml:"parent"`
}

// DefaultFTPConfig takes what a directory has.
func DefaultFTPConfig() FTPConfig { return FTPConfig{MaxOutlinks: DefaultMaxOutlinks} }

// Validate returns every value that cannot be.
func (c FTPConfig) Validate() (ps conf.Problems) {
	ps.Check(c.MaxOutlinks >= 1, "max_outlinks", "must be at least 1")
	return ps
}

// FTP takes the names in a directory of an FTP server (ADR 109).
type FTP struct{ cfg FTPConfig }

// NewFTP returns the processor "ftp" of the extract chain.
func NewFTP(c FTPConfig) *FTP { return &FTP{c} }

// maxListing bounds how much of a listing is read.
const maxListing = 16 << 20

// Process implements [chain.Processor].
func (f *FTP) Process(_ context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	at := u.Parsed()
	if !success(u) || u.Rec == nil || at == nil || at.Scheme() != "ftp" {
		return chain.Idle(), nil
	}
	l := newLinks(u, f.cfg.MaxOutlinks)
	path := at.Path()
	if u.Class == crawl.ClassRedirect {
		l.take(path+"/", "", crawl.HopRedirect, crawl.LinkRedirect, "ftp:directory", "")
		return chain.Result{}, nil
	}
	if f.cfg.Parent && path != "/" {
		trimmed := strings.TrimSuffix(path, "/")
		l.take(trimmed[:strings.LastIndexByte(trimmed, '/')+1], "", crawl.HopLink, crawl.LinkNav, "ftp:parent", "")
	}
	if !crawl.IsFTPListing(at) {
		return chain.Result{}, nil
	}
	listing, err := u.Rec.Body(maxListing)
	defer u.Rec.Forget()
	if err != nil {
		return chain.Result{}, err
	}
	for line := range bytes.Lines(listing) {
		name, dir := strings.CutSuffix(strings.TrimRight(string(line), "\r\n"), "/") // some servers mark directories
		if name = name[strings.LastIndexByte(name, '/')+1:]; name == "" || name == "." || name == ".." {
			continue
		}
		ref := "./" + url.PathEscape(name)
		if dir {
			ref += "/"
		}
		l.take(ref, "", crawl.HopLink, crawl.LinkNav, "ftp:listing", name)
	}
	return chain.Result{}, nil
}
