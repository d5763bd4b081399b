package seedlog

import (
	"errors"
	"fmt"
	"strings"
)

// Format names a kind of log. The names are stable: users write them, and states
// of jobs keep them.
type Format string

// The formats. Auto stands for whichever the first lines suggest.
const (
	Auto        Format = ""
	Exclave     Format = "exclave"
	Browsertrix Format = "browsertrix"
	CDXJ        Format = "cdxj"
	CDX         Format = "cdx"
	SURT        Format = "surt"
	Scope       Format = "scope"
	Candidate   Format = "candidate-scoper"
	Crawl       Format = "crawl"
	LinksScoper Format = "links-scoper"
	Veidemann   Format = "veidemann"
	List        Format = "list"
)

// Formats returns all formats but Auto. Of two that explain the same lines the
// earlier one is the more particular.
func Formats() []Format {
	return []Format{Exclave, Browsertrix, CDXJ, CDX, SURT, Scope, Candidate, Crawl, LinksScoper, Veidemann, List}
}

// ParseFormat returns the format of a name; "" and "auto" are Auto.
func ParseFormat(name string) (Format, error) {
	if name == "" || name == "auto" {
		return Auto, nil
	}
	var names []string
	for _, f := range Formats() {
		if string(f) == name {
			return f, nil
		}
		names = append(names, string(f))
	}
	return Auto, fmt.Errorf("seedlog: no format %q; there are auto, %s", name, strings.Join(names, ", "))
}

// String is the format for a person: "Heritrix 3 scope.log".
func (f Format) String() string {
	switch f {
	case Auto:
		return "unknown"
	case Exclave:
		return "exclave out-of-scope.jsonl"
	case Browsertrix:
		return "Browsertrix skippedPages.jsonl"
	case CDXJ:
		return "CDXJ"
	case CDX:
		return "CDX"
	case SURT:
		return "SURT prefixes"
	case Scope:
		return "Heritrix 3 scope.log"
	case Candidate:
		return "Heritrix 3 candidateScoper.log"
	case Crawl:
		return "Heritrix crawl.log"
	case LinksScoper:
		return "Heritrix 1 LinksScoper.log"
	case Veidemann:
		return "Veidemann uri file"
	}
	return "list"
}

// ErrNoLog is wrapped by the error of Open for what is no text that a log could be.
var ErrNoLog = errors.New("this is no log")

// Entry is an address that a log names. What the log does not say is empty. The
// slices belong to the Reader and are valid until its next call of Next.
type Entry struct {
	URL    []byte // with a scheme, otherwise as it stands in the log
	Via    []byte // the page it was found on
	Hops   []byte // hop path from the seed
	Rule   []byte // why the harvest left it out: a rule, a reason, a status
	Time   []byte // as the log writes it
	Source []byte // source tag, or the seed it descends from
	Line   int64  // where it stands, from 1
}

// cause says why a line is no seed though it should be one. Causes are few, so
// that they can be counted.
type cause string

func (c cause) Error() string { return string(c) }

const (
	errLong     cause = "longer than 65536 bytes"
	errCutOff   cause = "cut off by damage of the compressed file"
	errNoURL    cause = `no "url" in the JSON object`
	errJSON     cause = "not a whole JSON object, as a line of an out-of-scope log is"
	errNoHost   cause = "neither a URL nor a host"
	errCrawl    cause = "not a line of a crawl.log"
	errScope    cause = "not a line of a scope.log"
	errCand     cause = "not a line of a candidateScoper.log"
	errScoper   cause = "not a line of a LinksScoper.log"
	errCDX      cause = "not a line of a CDX file"
	errCDXJ     cause = "not a line of a CDXJ file"
	errLegend   cause = "CDX legend without the original URL (a)"
	errSURT     cause = "not a SURT prefix"
	errOpenHost cause = "prefix of a host and all below it: no URL"
	errTLD      cause = "prefix of a top-level domain: no URL"
	errScheme   cause = "scheme is not http, https, ftp or whois"
	errURL      cause = "not a valid URL"
	errURLLong  cause = "URL longer than 8192 bytes"
	errUserinfo cause = "a user name or password in the URL: [job] seed_credentials says whether it is dropped or used"

	errWords       cause = "text behind the URL: put # before a comment, a tab before a column, write a space in a URL as %20"
	errTwo         cause = "two URLs in one: one a line; quotes around a URL that holds another"
	errColumns     cause = "a table, or a URL with a separator? write a header (url,title), or quotes around the URL"
	errMoreColumns cause = "more columns than the header has: quotes belong around what holds a separator"
	errNoColumn    cause = "nothing in the column of the URL"
	errQuote       cause = "a quote or bracket is not closed, or text follows it"
	errHostMarks   cause = "a character that is in no name of a host"
	errInvisible   cause = "control or invisible characters in the URL"
	errUTF8        cause = "not UTF-8: save the list as UTF-8, or write such characters as %XX"
)
