package warc

import (
	"strings"
	"time"

	"exclave/internal/conf"

	"github.com/klauspost/compress/gzip"
)

// Config says where and how WARC files are written.
type Config struct {
	// Dir is the directory of the files; it must exist when the pool is opened.
	Dir string `toml:"-"`
	// Prefix starts the name of each file: letters, digits, ".", "_" and "-".
	Prefix string `toml:"prefix"`
	// MaxSize is the length in bytes at which a file takes no further capture,
	// at least 1. A file is longer by what its last capture exceeds it.
	MaxSize int64 `toml:"max_size"`
	// PoolSize is how many files are written at the same time, 1 … 256.
	PoolSize int `toml:"pool_size"`
	// Compression is the form of new files: Gzip or Zstd. A file that was begun in another is finished in that.
	Compression string `toml:"compression"`
	// GzipLevel is 1 (fast) … 9 (small).
	GzipLevel int `toml:"gzip_level"`
	// ZstdLevel is 1 (fast) … 22 (small); see [NewZstdWriter].
	ZstdLevel int `toml:"zstd_level"`
	// ZstdDictionary names the file of the dictionary that new files of zstd begin with, for who reads it into Dictionary; "" = none.
	ZstdDictionary string `toml:"zstd_dictionary"`
	// Dictionary is what new files of zstd begin with; nil = none.
	Dictionary *Dictionary `toml:"-"`
	// PayloadDigest says what WARC-Payload-Digest of an answer in chunks is the digest of: DigestStored or DigestEntity. Who makes records obeys it.
	PayloadDigest string `toml:"payload_digest"`
	// Name is the template of file names, without ".warc.gz" or ".warc.zst": {prefix}, {timestamp17} (UTC with milliseconds) or {timestamp14},
	// {serial} (the number of the file in the job, five digits or more), {pid}, {host}. The serial number stands behind the time.
	Name string `toml:"name"`
	// CDXJ makes an index beside each complete file, in a folder of indexes.
	CDXJ bool `toml:"cdxj"`
	// Host names the machine in file names; empty is its host name.
	Host string `toml:"-"`
}

// What the payload digest of an answer in chunks is: see [PayloadDigest] and [EntityDigest].
const (
	DigestStored = "stored"
	DigestEntity = "entity"
)

// DefaultConfig returns Heritrix's defaults: 1 GB files; two files at a time; the
// level at which gzip costs about as much as the rest of a capture.
func DefaultConfig() Config {
	return Config{Prefix: "EXCLAVE", MaxSize: 1e9, PoolSize: 2, Compression: Gzip, GzipLevel: 5, ZstdLevel: 3, PayloadDigest: DigestStored, Name: DefaultName, CDXJ: true}
}

// Validate returns every problem, joined, or nil.
func (c Config) Validate() (ps conf.Problems) {
	ps.Check(c.Prefix != "" && plain(c.Prefix), "prefix", "%q: must be letters, digits, \".\", \"_\" and \"-\"", c.Prefix)
	if problem := problemOfName(c.Name); problem != "" {
		ps.Check(false, "name", "%q: %s", c.Name, problem)
	} else if plain(c.Prefix) {
		s, ok := ParseName(c.fileName(time.UnixMilli(0), 42))
		ps.Check(ok && s.Number == 42, "prefix", "%q: looks, in names as %q has them, like the time and number of a file: exclave recover would take it for these", c.Prefix, c.Name)
	}
	ps.Check(c.MaxSize >= 1, "max_size", "%d: must be at least 1 byte", c.MaxSize)
	ps.Check(c.PoolSize >= 1 && c.PoolSize <= 256, "pool_size", "%d: must be 1 … 256", c.PoolSize)
	ps.Check(c.GzipLevel >= gzip.BestSpeed && c.GzipLevel <= gzip.BestCompression, "gzip_level", "%d: must be 1 … 9", c.GzipLevel)
	ps.Check(c.Compression == Gzip || c.Compression == Zstd, "compression", `%q: must be "gzip" or "zstd"`, c.Compression)
	ps.Check(c.ZstdLevel >= 1 && c.ZstdLevel <= 22, "zstd_level", "%d: must be 1 … 22", c.ZstdLevel)
	ps.Check(c.ZstdDictionary == "" || c.Compression == Zstd, "zstd_dictionary", `is used with compression = "zstd" only`)
	ps.Check(c.PayloadDigest == DigestStored || c.PayloadDigest == DigestEntity, "payload_digest", `%q: must be "stored" or "entity"`, c.PayloadDigest)
	return ps
}

func plain(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !isLetter(c) && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// Info describes the crawl in the warcinfo record of each file. Empty values are
// left out.
type Info struct {
	Software    string // "exclave/1.0 https://…"
	Hostname    string
	IP          string
	Operator    string
	IsPartOf    string // the job
	Description string
	Robots      string // the policy, written in lower case
	UserAgent   string
	From        string // e-mail address sent in From
}

// fields are in Heritrix's order.
func (i Info) fields() []Field {
	all := []Field{
		{"software", i.Software}, {"hostname", i.Hostname}, {"ip", i.IP},
		{"format", "WARC File Format 1.1"},
		{"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
		{"operator", i.Operator}, {"isPartOf", i.IsPartOf}, {"description", i.Description},
		{"robots", strings.ToLower(i.Robots)},
		{"http-header-user-agent", i.UserAgent}, {"http-header-from", i.From},
	}
	out := all[:0]
	for _, f := range all {
		if f.Value != "" {
			out = append(out, f)
		}
	}
	return out
}
