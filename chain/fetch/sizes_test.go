package fetch

import (
	"slices"
	"strings"
	"testing"

	"exclave/crawl"
	"exclave/internal/testweb"
)

// TestMaxSizes: the most exact pattern counts, and what is too long is cut or left where it is.
func TestMaxSizes(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("x", 100)
	typed := func(typ string) testweb.Page { return testweb.Text(body).With("Content-Type", typ) }
	s := serve(t, testweb.Tiny{
		"http://a.example/pdf":     typed("Application/PDF; x=y"),
		"http://a.example/video":   typed("video/mp4"),
		"http://a.example/other":   typed("video/ogg"),
		"http://a.example/none":    raw(testweb.Shut, "HTTP/1.1 200 OK", "", body),
		"http://a.example/odd":     typed("video"),
		"http://a.example/chunked": typed("application/pdf").Chunked(10),
	})
	for _, c := range []struct {
		path, tooLong string
		size          int
		notes         []string
	}{
		{"pdf", CutBodies, 20, []string{"lenTrunc"}},
		{"pdf", RefuseBodies, 0, []string{"lenRefused"}},
		{"video", CutBodies, 100, nil},
		{"other", CutBodies, 30, []string{"lenTrunc"}},
		{"none", CutBodies, 40, []string{"lenTrunc"}},
		{"odd", RefuseBodies, 0, []string{"lenRefused"}},
		{"chunked", RefuseBodies, -1, []string{"lenTrunc"}},
	} {
		h := client(t, s, func(cfg *Config, _ *Deps) {
			cfg.MaxSizes = map[string]int64{"application/pdf": 20, "video/mp4": 0, "video/*": 30, "*/*": 40}
			cfg.TooLong = c.tooLong
		})
		u := page("http://a.example/" + c.path)
		process(t, h, u)
		got, _ := u.Rec.Body(1 << 20)
		if c.size >= 0 && len(got) != c.size || !slices.Equal(u.Annotations, c.notes) || (u.Truncated == crawl.TruncLength) != (c.notes != nil) {
			t.Errorf("%s, %s: %d bytes, %q, truncated %q", c.path, c.tooLong, len(got), u.Annotations, u.Truncated)
		}
	}
}

func TestSizesOfNothing(t *testing.T) {
	// A pattern that no Content-Type can be would never count.
	for pattern, ok := range map[string]bool{"a/b": true, "a/*": true, "*/*": true, "A/b": false, "a": false, "*": false, "*/b": false, "a/b;c=d": false, "": false} {
		if isTypePattern(pattern) != ok {
			t.Errorf("%q", pattern)
		}
	}
}
