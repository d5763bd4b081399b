package fetch

import (
	"mime"
	"strings"

	"exclave/internal/record"
)

// anyType fits every answer, those without a type too.
const anyType = "*/*"

// isTypePattern reports that t is a media type in lower case, or ends in "/*".
func isTypePattern(t string) bool {
	if t == anyType {
		return true
	}
	if family, all := strings.CutSuffix(t, "/*"); all {
		t = family + "/x"
	}
	typ, params, err := mime.ParseMediaType(t)
	return err == nil && len(params) == 0 && typ == t && strings.Count(t, "/") == 1 && !strings.Contains(t, "*")
}

// sizeOf returns how many bytes of the body of an answer are received, 0 for all.
func (c *Config) sizeOf(h *record.Head) int64 {
	if len(c.MaxSizes) == 0 {
		return c.MaxSize
	}
	typ, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	typ = strings.ToLower(strings.TrimSpace(typ))
	family, _, _ := strings.Cut(typ, "/")
	for _, pattern := range [...]string{typ, family + "/*", anyType} {
		if n, is := c.MaxSizes[pattern]; is {
			return n
		}
	}
	return c.MaxSize
}

// most are the limits of pages.
func (h *HTTP) most() bounds {
	return bounds{header: h.cfg.MaxHeader, body: h.cfg.sizeOf, refuse: h.cfg.TooLong == RefuseBodies}
}
