package warc

import (
	"regexp"
	"strconv"
	"strings"
)

// named matches the names that fileName makes.
var named = regexp.MustCompile(`^[A-Za-z0-9._-]+-\d{17}-(\d{5,})-\d+~[A-Za-z0-9._-]+~\d+\.warc\.gz$`)

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
