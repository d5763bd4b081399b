package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"exclave/internal/live"
	"exclave/internal/near"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// limits are the smallest and the largest value of a flag; of durations in nanoseconds. What further depends on
// other flags, the verbs check themselves.
type limits struct{ least, most float64 }

// flagLimits has a row for each flag with a number, by its name or, where that means something else, by verb
// and name.
func flagLimits() map[string]limits {
	share := limits{0, 1}
	upTo := func(d time.Duration) limits { return limits{0, float64(d)} }
	day := upTo(24 * time.Hour)
	return map[string]limits{
		"top": {0, 1e6}, "worst": {0, 1e6}, "changes": {0, 1e9}, "pages": {1, 100_000}, "l2": {1e-6, 1e6}, "folds": {2, 1000}, "precision": {0, 1}, "frontier list limit": {0, 1e9}, "crawl-status": {-99999, 999}, "timeout": day, "parts": {0, 10_000}, "max-urls": {0, 1e12},
		"ratio": {1e-9, 1}, "least": share, "max": {0, 1e9}, "least-ascii": {2, 40}, "forms": {1, 1e9}, "hits": {1, 1000}, "most": share,

		"toe-threads": {1, 10_000}, "hosts": {1, 1e8}, "bench frontier hosts": {0, 1e8}, "resources": {1, 1 << 31}, "mean-size": {2_000, 1e6},
		"errors": {0, 1. / 16}, "gzip": share, "locality": share, "trap-share": share, "seed-share": {0, 1. / 3}, "shared-address": share, "national-share": share, "redirects": {0, 1. / 16}, "tls": share, "changed": share,
		"slow-hosts": {0, 1e8}, "slow-by": upTo(time.Hour), "uris": {1, 1e10}, "loaders": {1, 10_000}, "workers": {1, 10_000}, "verify workers": {0, 10_000},
		"drain": day, "sync-delay": upTo(time.Minute), "lines": {1, 1e12}, "domains": {1, 1e8}, "duplicates": share, "broken": share, "traps": share,
		"duration": upTo(7 * 24 * time.Hour), "baseline": day, "bench hostile limit": day, "grace": day, "min-delay": day, "retry-delay": day,
		"healthy-hosts": {0, 1e6}, "healthy-pages": {0, 1e9}, "items": {0, 1e9}, "max-memory": {0, 1e15}, "abort-memory": {0, 1e15},
		"offset": {0, 1e18}, "level": {0, 22}, "distance": {1, near.MaxDistance},
	}
}

// limitFlags makes every flag with a number refuse what is outside its limits, so that no verb meets it.
func limitFlags(root *cobra.Command) {
	all := flagLimits()
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			verb := strings.TrimPrefix(c.CommandPath(), root.Name()+" ")
			l, ok := all[verb+" "+f.Name]
			if !ok {
				l, ok = all[f.Name]
			}
			if ok && numeric(f) {
				f.Value = limited{f.Value, l}
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

// numeric reports whether a flag takes numbers or durations.
func numeric(f *pflag.Flag) bool {
	switch f.Value.Type() {
	case "int", "int64", "uint64", "float64", "duration", "intSlice":
		return true
	}
	return false
}

// limited is the value of a flag with limits.
type limited struct {
	pflag.Value
	limits
}

// Set implements [pflag.Value].
func (l limited) Set(s string) error {
	for part := range strings.SplitSeq(s, ",") {
		var n float64
		if d, err := time.ParseDuration(part); l.Type() == "duration" && err == nil {
			n = float64(d)
		} else if n, err = strconv.ParseFloat(part, 64); err != nil {
			break // the value itself says what is wrong
		}
		if !(n >= l.least && n <= l.most) {
			return fmt.Errorf("it is not between %s and %s", l.text(l.least), l.text(l.most))
		}
	}
	return l.Value.Set(s)
}

func (l limited) text(n float64) string {
	switch l.Type() {
	case "duration":
		return time.Duration(n).String()
	case "float64":
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return live.Number(int64(n))
}
