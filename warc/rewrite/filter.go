package rewrite

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"exclave/internal/urlx"
	"exclave/warc"
)

// Filter chooses captures. What is empty chooses all; what is not must all be met.
type Filter struct {
	Hosts         []string // with all hosts below them
	MIMEs         []string // text/html, image/*
	Statuses      []string // 200, 4xx
	Types         []string // of single records
	Since, Before time.Time
	Profile       string // of the verdict that stands in the capture
	Valid         *bool  // what that verdict says
}

// VerdictURI is before a page's address in the target URI of its verdict (docs/formats/warc.md).
const VerdictURI = "urn:exclave:verdict:"

// FurtherURI is before an address in the target URI of what else was recorded of it.
const FurtherURI = "urn:exclave:further:"

// about returns the address that a record is about.
func about(uri string) string {
	return strings.TrimPrefix(strings.TrimPrefix(uri, VerdictURI), FurtherURI)
}

// Verdict is what a profile says of a page: what is asked for here of docs/formats/analysis.md.
type Verdict struct {
	Profile       string
	Judged, Valid bool
}

// Verdicts reads the block of a verdict.
func Verdicts(block []byte) (out []Verdict, err error) {
	if err := json.Unmarshal(block, &out); err != nil {
		return nil, fmt.Errorf("rewrite: verdict: %w", err)
	}
	return out, nil
}

// Check returns what no record can meet.
func (f *Filter) Check() error {
	var errs []error
	for _, s := range f.Statuses {
		if len(s) != 3 || strings.Trim(s[:1], "123456789") != "" || s[1:] != "xx" && strings.Trim(s[1:], "0123456789") != "" {
			errs = append(errs, fmt.Errorf("status %q is neither as 404 nor as 4xx", s))
		}
	}
	types := []string{warc.TypeResponse, warc.TypeResource, warc.TypeRequest, warc.TypeMetadata, warc.TypeRevisit, warc.TypeConversion, warc.TypeContinuation}
	for _, t := range f.Types {
		if !slices.Contains(types, t) {
			errs = append(errs, fmt.Errorf("type %q is none of %s; warcinfo records follow what they describe", t, strings.Join(types, " ")))
		}
	}
	return errors.Join(errs...)
}

// Keep is for a Plan.
func (f *Filter) Keep(capture []*Record) []Fate {
	out := make([]Fate, len(capture))
	why := f.capture(capture)
	for i, r := range capture {
		switch {
		case why != "":
			out[i] = Fate{true, why}
		case len(f.Types) > 0 && !slices.Contains(f.Types, r.Type):
			out[i] = Fate{true, "type"}
		}
	}
	return out
}

// capture says what a capture does not meet. The record with the content answers for the others.
func (f *Filter) capture(capture []*Record) string {
	main := capture[0]
	for _, r := range capture {
		if r.Type == warc.TypeResponse || r.Type == warc.TypeResource || r.Type == warc.TypeRevisit || r.Type == warc.TypeConversion {
			main = r
			break
		}
	}
	switch {
	case len(f.Hosts) > 0 && !below(HostOf(main), f.Hosts):
		return "host"
	case len(f.MIMEs) > 0 && !slices.ContainsFunc(f.MIMEs, func(m string) bool { return mimeMatches(strings.ToLower(m), main.MIME) }):
		return "MIME type"
	case len(f.Statuses) > 0 && !slices.ContainsFunc(f.Statuses, func(s string) bool { return statusMatches(s, main.Status) }):
		return "status"
	case !f.Since.IsZero() && main.Date.Before(f.Since), !f.Before.IsZero() && !main.Date.Before(f.Before):
		return "date"
	case f.Profile == "" && f.Valid == nil:
		return ""
	}
	for _, r := range capture {
		if f.verdict(r) {
			return ""
		}
	}
	return "verdict"
}

// verdict reports whether a record is a verdict that meets what is asked for.
func (f *Filter) verdict(r *Record) bool {
	if r.Type != warc.TypeMetadata || !strings.HasPrefix(r.URI, VerdictURI) || r.Size > inMemory {
		return false
	}
	data, err := io.ReadAll(r.Block())
	if err != nil {
		return false
	}
	verdicts, err := Verdicts(data)
	if err != nil {
		return false
	}
	for _, v := range verdicts {
		if (f.Profile == "" || v.Profile == f.Profile) && (f.Valid == nil || v.Judged && v.Valid == *f.Valid) {
			return true
		}
	}
	return false
}

// HostOf returns the host of a record's target URI, in lower case; of a DNS record the name; empty when there is none.
func HostOf(r *Record) string {
	uri := about(r.URI)
	if name, ok := strings.CutPrefix(uri, "dns:"); ok {
		return strings.ToLower(name)
	}
	u, err := urlx.Parse(uri)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

func below(host string, hosts []string) bool {
	return slices.ContainsFunc(hosts, func(h string) bool {
		h = strings.ToLower(h)
		return host == h || strings.HasSuffix(host, "."+h)
	})
}

func mimeMatches(want, is string) bool {
	if kind, ok := strings.CutSuffix(want, "/*"); ok {
		return strings.HasPrefix(is, kind+"/")
	}
	return want == is
}

func statusMatches(want string, is int) bool {
	if strings.HasSuffix(want, "xx") {
		return is/100 == int(want[0]-'0')
	}
	return want == strconv.Itoa(is)
}
