package fetch

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"exclave/internal/conf"
	"exclave/internal/secret"
	"exclave/internal/urlx"
)

// Credential is a user name and a password for a part of the web: a [[credential]] table of job.toml (ADR 101).
type Credential struct {
	// Prefix is the part, a URL: its server, and of that the path as it is written and what is below. A proxy's address is that of a proxy.
	Prefix string `toml:"prefix"`
	User   string `toml:"user"`
	// PasswordEnv names the variable of the environment, PasswordFile the file that the password is in.
	PasswordEnv  string `toml:"password_env"`
	PasswordFile string `toml:"password_file"`
	// Realm is the only realm of HTTP authentication that it is for; empty: any.
	Realm string `toml:"realm"`
	// Login is the address of the page with the form; empty: HTTP authentication. UserField and PasswordField are
	// the names of its fields, Fields further ones.
	Login         string            `toml:"login"`
	UserField     string            `toml:"user_field"`
	PasswordField string            `toml:"password_field"`
	Fields        map[string]string `toml:"fields"`
}

// Validate returns every value that cannot be.
func (c Credential) Validate() (ps conf.Problems) {
	if _, err := partOf(c.Prefix); err != nil {
		ps.Add("prefix", "%v", err)
	}
	ps.Check(c.User != "" && !strings.ContainsAny(c.User, "\r\n"), "user", "a user name is needed")
	ps.Check((c.PasswordEnv == "") != (c.PasswordFile == ""), "password_env", "the password is either in the environment (password_env) or in a file (password_file)")
	if c.Login == "" {
		ps.Check(c.UserField == "" && c.PasswordField == "" && len(c.Fields) == 0, "login", "fields are of a form, and no login page is named")
		ps.Check(!strings.Contains(c.User, ":"), "user", "HTTP authentication has no user names with a colon")
		return ps
	}
	u, err := urlx.Parse(c.Login)
	ps.Check(err == nil && (u.Scheme() == "http" || u.Scheme() == "https"), "login", "%q: must be the address of the page with the form", urlx.HideUserinfo(c.Login))
	ps.Check(err != nil || u.Userinfo() == "", "login", "%q: write it without a user name or password", urlx.HideUserinfo(c.Login))
	ps.Check(c.UserField != "", "user_field", "the name of the form's field for the user is needed")
	ps.Check(c.PasswordField != "", "password_field", "the name of the form's field for the password is needed")
	ps.Check(c.Realm == "", "realm", "a form has none")
	return ps
}

// ValidCredentials returns every value of a list that cannot be, by the keys of the list; of two for the same the second.
func ValidCredentials(list []Credential) (ps conf.Problems) {
	type use struct {
		part
		realm string
		form  bool
	}
	seen := map[use]int{}
	for i, c := range list {
		ps = append(ps, c.Validate().Below(conf.Element("", i))...)
		of, err := partOf(c.Prefix)
		if err != nil {
			continue
		}
		key := use{of, c.Realm, c.Login != ""}
		if first, twice := seen[key]; twice {
			ps.Add(conf.Element("", i)+".prefix", "%q: credential %d is for the same; take one out, or make them differ by realm", c.Prefix, first+1)
			continue
		}
		seen[key] = i
	}
	return ps
}

// password returns one. It is a function so that no formatting shows it, not even that of a struct with it.
type password func() string

func passwordOf(text string) password { return func() string { return text } }

// read reads the password; path finds the file from the job's folder. An error does not have it.
func (c *Credential) read(path func(string) string) (password, error) {
	if c.PasswordEnv != "" {
		v, ok := os.LookupEnv(c.PasswordEnv)
		if !ok || v == "" {
			return nil, fmt.Errorf("the environment has no %s, or an empty one; set it where the crawl is started", c.PasswordEnv)
		}
		return passwordOf(v), nil
	}
	text, err := secret.Read(path(c.PasswordFile))
	if err != nil {
		return nil, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if line = strings.TrimSuffix(line, "\r"); line == "" {
		return nil, fmt.Errorf("%s: its first line, which is the password, is empty", path(c.PasswordFile))
	}
	return passwordOf(line), nil
}

// part is a part of the web that a password is for.
type part struct {
	surt string // SURT of its address
	root string // and of its server
	tls  bool   // only over TLS
}

// partOf reads the prefix of a credential. No more than it says is meant: neither what is beside it, nor hosts below the host.
func partOf(prefix string) (part, error) {
	if socks := socksPrefix(prefix); socks != "" {
		return part{surt: socks}, nil
	}
	u, err := urlx.Parse(prefix)
	switch {
	case err != nil || !u.IsWeb() && u.Scheme() != "ftp" || strings.ContainsAny(u.Hostname(), "(,)"):
		return part{}, fmt.Errorf("%q: must be the address that the password is for and what is below, such as \"https://www.example.org/members/\"", urlx.HideUserinfo(prefix))
	case u.Userinfo() != "":
		return part{}, fmt.Errorf("%q: write it without a user name or password, which are in user and password_env or password_file", urlx.HideUserinfo(prefix))
	case strings.ContainsAny(prefix, "#*"):
		return part{}, fmt.Errorf("%q: write it without %q: all below a path is meant anyway", prefix, prefix[strings.IndexAny(prefix, "#*"):])
	}
	root, err := u.Resolve("/")
	if err != nil {
		return part{}, err
	}
	return part{urlx.SURT(u), urlx.SURT(root), u.Scheme() == "https"}, nil
}

// sameServer reports whether a URL is one of the server that the part is of.
func (p part) sameServer(u *urlx.URL) bool {
	root, err := u.Resolve("/")
	return err == nil && urlx.SURT(root) == p.root && (!p.tls || u.Scheme() == "https")
}

// has reports whether a URL is in the part: below its path by whole segments, and with its query, when it has one, by whole parameters.
func (p part) has(u *urlx.URL, surt string) bool {
	rest, ok := strings.CutPrefix(surt, p.surt)
	if !ok || p.tls && u.Scheme() != "https" {
		return false
	}
	if strings.Contains(p.surt, "?") {
		return rest == "" || rest[0] == '&'
	}
	return rest == "" || strings.HasSuffix(p.surt, "/") || rest[0] == '/' || rest[0] == '?'
}

// account is a credential with its password, and what is known of its use.
type account struct {
	Credential
	part     part
	password password
	refused  sync.Once // that a server did not take the password was said

	mu     sync.Mutex
	logins int       // how often the form was sent
	ok     bool      // it gave cookies
	works  bool      // a page was opened by it
	vain   int       // logins in a row of which none is known to have opened a page
	since  time.Time // from when quick counts
	quick  int       // logins

	answered int    // status of the answer to the form
	misnamed string // what its page has instead of the fields that are named
}

// Accounts are the credentials of a job, with their passwords. nil has none.
type Accounts struct {
	all []*account

	mu    sync.Mutex
	asked map[string][]*challenge // what origins asked for, by origin, the last first
}

// OpenAccounts reads the passwords. path finds files from the job's folder. Keys of problems are those of the list.
func OpenAccounts(list []Credential, path func(string) string) (*Accounts, conf.Problems) {
	var ps conf.Problems
	a := &Accounts{asked: map[string][]*challenge{}}
	for i, c := range list {
		of, err := partOf(c.Prefix)
		if err != nil {
			ps.Add(conf.Element("", i)+".prefix", "%v", err)
			continue
		}
		p, err := c.read(path)
		if err != nil {
			key := ".password_env"
			if c.PasswordEnv == "" {
				key = ".password_file"
			}
			ps.Add(conf.Element("", i)+key, "%v", err)
		}
		a.all = append(a.all, &account{Credential: c, part: of, password: p})
	}
	return a, ps
}

// closer reports whether an account says more closely than another what it is for: by a longer prefix, then by a realm, then by TLS.
func (c *account) closer(other *account) bool {
	switch {
	case len(c.part.surt) != len(other.part.surt):
		return len(c.part.surt) > len(other.part.surt)
	case (c.Realm == "") != (other.Realm == ""):
		return c.Realm != ""
	}
	return c.part.tls && !other.part.tls
}

// of returns the account that is most closely for a URL, nil for none.
func (a *Accounts) of(u *urlx.URL, is func(*account) bool) (best *account) {
	if a == nil || len(a.all) == 0 {
		return nil
	}
	surt := urlx.SURT(u)
	for _, c := range a.all {
		if c.part.has(u, surt) && is(c) && (best == nil || c.closer(best)) {
			best = c
		}
	}
	return best
}
