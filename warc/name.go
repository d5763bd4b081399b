package warc

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// DefaultName is the default of [Config].Name: Heritrix's pattern without the tildes, which packages (WACZ) do not allow in names, and without a
// port.
const DefaultName = "{prefix}-{timestamp17}-{serial}-{pid}-{host}"

// named matches the names that fileName makes of every template, and those of versions that ended a name with ~host~port: what
// is told from a name, a time and the serial number behind it, is in all of them.
var named = regexp.MustCompile(`^(?:[A-Za-z0-9._-]*?[._-])?\d{14}(?:\d{3})?-(\d{5,})(?:[._-][A-Za-z0-9._~-]*)?\.warc\.(?:gz|zst)$`)

// ParseName tells from the base name of a file on disk what the file is, when this package named
// it: its number, its final name, and whether it has that name yet. Committed is 0.
func ParseName(base string) (s FileState, ok bool) {
	name, open := strings.CutSuffix(base, openSuffix)
	m := named.FindStringSubmatch(name)
	if m == nil {
		return FileState{}, false
	}
	n, err := strconv.ParseUint(m[1], 10, 32)
	if err != nil || n == 0 {
		return FileState{}, false
	}
	return FileState{Number: uint32(n), Name: name, Final: !open}, true
}

// oursFinal reports that a base name is one of this package, of a complete file; oursOpen, of one that is written.
func oursFinal(base string) bool { return named.MatchString(base) }

func oursOpen(base string) bool {
	name, open := strings.CutSuffix(base, openSuffix)
	return open && named.MatchString(name)
}

// words of a template.
var (
	wordOfName = regexp.MustCompile(`\{[^{}]*\}`)
	coreOfName = regexp.MustCompile(`(^|[._-])\{timestamp(14|17)\}-\{serial\}($|[._-])`)
)

// problemOfName says what is wrong with a template of names, "" when nothing is.
func problemOfName(template string) string {
	for _, w := range wordOfName.FindAllString(template, -1) {
		switch w {
		case "{prefix}", "{timestamp14}", "{timestamp17}", "{serial}", "{pid}", "{host}":
		default:
			return fmt.Sprintf("%s is none of {prefix}, {timestamp14}, {timestamp17}, {serial}, {pid}, {host}", w)
		}
	}
	rest := wordOfName.ReplaceAllString(template, "")
	switch {
	case !plain(rest):
		return `between the words in braces must be letters, digits, ".", "_" and "-"`
	case len(coreOfName.FindAllString(template, -1)) != 1 || strings.Count(template, "{serial}") != 1:
		return `must have {timestamp17}-{serial} or {timestamp14}-{serial} once, apart from the rest by ".", "_" or "-": by these a job knows its files`
	}
	return ""
}

// fileName is the name of the file with this number that is begun now.
func (c Config) fileName(t time.Time, serial uint32) string {
	host := c.Host
	if host == "" {
		host, _ = os.Hostname()
	}
	if host == "" || !plain(host) {
		host = "localhost"
	}
	stamp := strings.Replace(t.UTC().Format("20060102150405.000"), ".", "", 1)
	return strings.NewReplacer("{prefix}", c.Prefix, "{timestamp17}", stamp, "{timestamp14}", stamp[:14], "{serial}", fmt.Sprintf("%05d", serial),
		"{pid}", strconv.Itoa(os.Getpid()), "{host}", host).Replace(c.Name) + c.ending()
}

func (c Config) ending() string {
	if c.Compression == Zstd {
		return zstdEnding
	}
	return gzipEnding
}
