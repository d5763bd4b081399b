package store

import (
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"exclave/internal/conf"
)

// Config says where complete files are stored: the section store of job.toml.
type Config struct {
	// To is s3://BUCKET/PREFIX, file:///FOLDER or a folder; "" = nowhere.
	To string `toml:"to"`
	// Endpoint is the URL of the S3 server; "" = Amazon's.
	Endpoint string `toml:"endpoint"`
	// Region is that of the bucket.
	Region string `toml:"region"`
	// Credentials is a file in the form of AWS's shared credentials; "" = the environment has them.
	Credentials string `toml:"credentials"`
	// CA is a PEM file of certificates that are trusted beside the system's. "" = none.
	CA string `toml:"ca"`
	// Delete says that a file is deleted here once it is stored and registered.
	Delete bool `toml:"delete"`
	// ReadBack reads each object from its place, though the server states its checksum.
	ReadBack bool `toml:"read_back"`
	// PartSize is how many bytes are sent in a request, 5 MiB … 5 GiB. What is lost when an upload breaks off is less.
	PartSize int64 `toml:"part_size"`
}

// Bounds of [Config.PartSize], by S3, and how many parts an object has at most.
const (
	minPart  = 5 << 20
	maxPart  = 5 << 30
	maxParts = 10_000
)

// DefaultConfig stores nothing.
func DefaultConfig() Config { return Config{Region: "us-east-1", PartSize: 64 << 20} }

// Validate returns every problem of the values. None shows what may be a secret.
func (c Config) Validate() (ps conf.Problems) {
	if c.To != "" {
		if _, err := parseTarget(c.To); err != nil {
			ps.Add("to", "%v", err)
		}
	}
	if _, err := c.endpoint(); err != nil {
		ps.Add("endpoint", "%v", err)
	}
	ps.Check(c.Region != "", "region", `is ""; most servers other than Amazon's take "us-east-1"`)
	ps.Check(!strings.ContainsAny(c.Credentials, "\n="), "credentials", "is no name of a file: keys stand in a file in the form of AWS's shared credentials, or in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	ps.Check(c.PartSize >= minPart && c.PartSize <= maxPart, "part_size", "%d: must be 5 MiB … 5 GiB (%d … %d)", c.PartSize, int64(minPart), int64(maxPart))
	return ps
}

// On reports whether anything is to be stored.
func (c Config) On() bool { return c.To != "" }

// Files returns the names of the files that it needs, for who knows where they lie.
func (c *Config) Files() []*string { return []*string{&c.Credentials, &c.CA} }

const amazon = "https://s3.amazonaws.com"

// endpoint returns the URL of the server.
func (c Config) endpoint() (*url.URL, error) {
	if c.Endpoint == "" {
		return url.Parse(amazon)
	}
	u, err := url.Parse(c.Endpoint)
	switch {
	case err != nil:
		return nil, errors.New("is no URL; write https://HOST or https://HOST:PORT")
	case u.User != nil:
		return nil, errors.New("has a user name or password; keys stand in a file (credentials) or in the environment")
	case u.Scheme != "https" && u.Scheme != "http", u.Host == "", strings.Trim(u.Path, "/") != "", u.RawQuery != "", u.Fragment != "":
		return nil, errors.New("must be https://HOST or https://HOST:PORT, with nothing behind it; the bucket stands in to")
	}
	return u, nil
}

// target is a parsed Config.To: a folder, or a bucket with a prefix.
type target struct {
	folder         string
	bucket, prefix string
}

func parseTarget(to string) (t target, err error) {
	scheme, rest, ok := strings.Cut(to, "://")
	switch {
	case !ok:
		return target{folder: filepath.Clean(to)}, nil
	case scheme == "file":
		if !strings.HasPrefix(rest, "/") {
			return t, errors.New("a file:// URL has three slashes: file:///FOLDER")
		}
		u, err := url.PathUnescape(rest)
		if err != nil {
			return t, errors.New("is no URL; write file:///FOLDER, or the folder as it is")
		}
		return target{folder: filepath.Clean(u)}, nil
	case scheme != "s3":
		return t, errors.New("must be s3://BUCKET/PREFIX, file:///FOLDER or a folder")
	}
	t.bucket, t.prefix, _ = strings.Cut(rest, "/")
	t.prefix = strings.Trim(t.prefix, "/")
	if t.bucket == "" || strings.ContainsAny(rest, "@?#:") || strings.Contains("/"+t.prefix+"/", "/../") || strings.Contains(t.prefix, "//") {
		return t, errors.New("must be s3://BUCKET/PREFIX, a bucket's name and names of folders")
	}
	return t, nil
}

// Address returns where a file of some name is, or would be; "" when To means nothing.
func (c Config) Address(name string) string {
	t, err := parseTarget(c.To)
	switch {
	case err != nil:
		return ""
	case t.folder != "":
		return filepath.Join(t.folder, name)
	}
	return "s3://" + t.bucket + "/" + t.key(name)
}

// key is the key of an object of some name.
func (t target) key(name string) string { return strings.TrimPrefix(t.prefix+"/"+name, "/") }

// Folder returns the folder that to names, as it is written; ok is false of a bucket.
func Folder(to string) (dir string, ok bool) {
	t, err := parseTarget(to)
	return t.folder, to != "" && err == nil && t.folder != ""
}

// Split returns what to stores files in when one of them has an address, and the name of that.
func Split(address string) (to, name string) {
	i := strings.LastIndexByte(address, '/')
	if i < 0 {
		return ".", address
	}
	if i == 0 {
		return "/", address[1:]
	}
	return address[:i], address[i+1:]
}
