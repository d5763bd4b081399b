package benchweb

import (
	"bytes"
	"strconv"
	"strings"
)

// Every trapEvery-th host has traps.
const trapEvery = 40

const (
	calendar = "/calendar?month="
	endless  = "/endless/"
)

func (w *Web) traps(h int) bool { return w.p.Traps && h%trapEvery == 0 }

// trap returns the page of a trap, "" when there is none. A month leads to the two
// beside it, an endless path to one that is longer.
func (w *Web) trap(h int, path []byte) string {
	if !w.traps(h) {
		return ""
	}
	if rest, ok := bytes.CutPrefix(path, []byte(calendar)); ok {
		month, err := strconv.Atoi(string(rest))
		if err != nil {
			return ""
		}
		return trapPage(calendar+strconv.Itoa(month-1), calendar+strconv.Itoa(month+1))
	}
	if bytes.HasPrefix(path, []byte(endless)) {
		return trapPage(string(path) + "more/")
	}
	return ""
}

func trapPage(to ...string) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html lang=\"en\"><head><title>Events</title></head><body>\n")
	for _, u := range to {
		b.WriteString("<a href=\"" + u + "\">next</a>\n")
	}
	b.WriteString("</body></html>\n")
	return b.String()
}
