package job

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"

	"exclave/analyzer"
	"exclave/chain"
	"exclave/chain/extract"
	"exclave/chain/fetch"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/internal/record"
	"exclave/internal/resolve"
	"exclave/internal/urlx"
	"exclave/warc"
)

// maxJudged bounds what is read of a document to be judged, in bytes.
const maxJudged = 10 << 20

// Judged is the verdict on one document outside a crawl.
type Judged struct {
	Source   string             `json:"source"` // file or URL
	URL      string             `json:"url"`
	MIME     string             `json:"mime"`
	Status   int                `json:"status,omitempty"` // of the HTTP answer
	Title    string             `json:"title,omitempty"`
	Skipped  string             `json:"skipped,omitempty"` // why it was not judged
	Verdicts []analyzer.Verdict `json:"verdicts,omitempty"`
}

// Valid reports whether any profile accepted the document.
func (j Judged) Valid() bool {
	for _, v := range j.Verdicts {
		if v.Valid {
			return true
		}
	}
	return false
}

// document judges bytes. declared is the Content-Type, "" when unknown; addr is
// where they are from, and hosts knows further addresses.
func document(ctx context.Context, a *analyzer.Analyzer, j Judged, declared string, body []byte, addr netip.Addr, hosts chain.Hosts) (Judged, error) {
	t := mime.Detect(j.URL, declared, body[:min(len(body), mime.HeadSize)], 0)
	j.MIME = t.Type
	if !a.Judges(t.Type) {
		j.Skipped = "type " + t.Type + " is not judged"
		return j, nil
	}
	d := markup.Parse(markup.KindOf(t.Type), body, markup.Options{DeclaredCharset: t.Charset, KeepSource: true})
	j.Title = d.Title
	u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: j.URL}, MIME: t, Doc: d, Addr: addr}
	extract.TakeLinks(ctx, u, extract.DefaultMaxOutlinks)
	p, err := extract.NewPage(ctx, u, a, hosts)
	if err != nil {
		return j, err
	}
	j.Verdicts, err = a.Run(ctx, p)
	return j, err
}

// JudgeFile judges a document in a file, or, when the file is a WARC, every
// answer with status 200 in it. each is called for every document.
func JudgeFile(ctx context.Context, a *analyzer.Analyzer, path string, each func(Judged) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("job: judge: %w", err)
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	if isWARC(in) {
		return judgeWARC(ctx, a, path, in, each)
	}
	body, err := io.ReadAll(io.LimitReader(in, maxJudged))
	if err != nil {
		return fmt.Errorf("job: judge %s: %w", path, err)
	}
	j, err := document(ctx, a, Judged{Source: path, URL: path}, "", body, netip.Addr{}, knownHosts{})
	if err != nil {
		return fmt.Errorf("job: judge %s: %w", path, err)
	}
	return each(j)
}

// isWARC looks for a record's first line, compressed or not.
func isWARC(in *bufio.Reader) bool {
	head, _ := in.Peek(5)
	if string(head) == "WARC/" {
		return true
	}
	if !bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		return false
	}
	head, _ = in.Peek(in.Size())
	_, err := warc.NewReader(bytes.NewReader(head)).Next()
	return err == nil
}

func judgeWARC(ctx context.Context, a *analyzer.Analyzer, path string, in io.Reader, each func(Judged) error) error {
	var defects []error
	hosts := knownHosts{}
	r := warc.NewTolerantReader(in, func(d warc.Defect) {
		d.File = path
		defects = append(defects, &d)
	})
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return errors.Join(defects...)
		}
		if err != nil {
			return fmt.Errorf("job: judge %s: %w", path, err)
		}
		if a.WantsAddrs() && hosts.note(e) || e.Type() != warc.TypeResponse {
			continue
		}
		j, ok, err := judgeEntry(ctx, a, path, e, hosts)
		if d := (*warc.Defect)(nil); errors.As(err, &d) {
			continue // the reader reports it, and goes on behind the damage
		}
		if err != nil {
			return fmt.Errorf("job: judge %s at %d: %w", path, e.Offset, err)
		}
		if ok {
			if err := each(j); err != nil {
				return err
			}
		}
	}
}

func judgeEntry(ctx context.Context, a *analyzer.Analyzer, path string, e *warc.Entry, hosts knownHosts) (j Judged, ok bool, err error) {
	// What is judged is in memory: a record may unpack to more than the disk holds.
	const most = record.MaxHead + maxJudged
	rec, err := record.Load(io.LimitReader(e.Block, most), os.TempDir(), most)
	if err != nil {
		return j, false, err
	}
	defer func() { err = errors.Join(err, rec.Close()) }()
	j = Judged{Source: path, URL: e.TargetURI(), Status: rec.Head().Status}
	if j.Status != 200 {
		return j, false, nil
	}
	// A body whose coding is broken is judged by what could be decoded.
	body, _ := rec.Body(maxJudged)
	addr, _ := netip.ParseAddr(e.Header.Get("WARC-IP-Address"))
	j, err = document(ctx, a, j, rec.Head().Get("Content-Type"), body, addr, hosts)
	return j, err == nil, err
}

// lookup gives addresses to a fetch outside a crawl.
type lookup struct{ dns *resolve.Resolver }

func (l lookup) Host(ctx context.Context, host string) (crawl.HostFacts, error) {
	a, err := l.dns.Lookup(ctx, host)
	if err != nil {
		return crawl.HostFacts{}, err
	}
	return crawl.HostFacts{Host: host, Status: crawl.StatusDNS, Addrs: a.Addrs, Asked: a.Asked, Expires: a.Asked.Add(a.TTL)}, nil
}

func (lookup) Origin(context.Context, string) (crawl.OriginFacts, error) {
	return crawl.OriginFacts{}, nil
}

func (lookup) Deferred(context.Context, string) (crawl.Deferred, bool, error) {
	return crawl.Deferred{}, false, nil
}

// maxRedirects is how many redirects are followed to the page that is judged.
const maxRedirects = 5

// JudgeURL fetches a page, following redirects, and judges it. Addresses that the
// user names are contacted wherever they are. robots.txt is not asked for: a
// person wants to see this one page, as with a browser.
func JudgeURL(ctx context.Context, a *analyzer.Analyzer, url, contact, version string, each func(Judged) error) (err error) {
	c := fetch.DefaultConfig()
	c.Contact = contact
	c.Allow = []string{"0.0.0.0/0", "::/0"}
	c.MaxSize = maxJudged
	known := fetch.Credentials{}
	if u, err := urlx.Parse(url); err == nil && u.Userinfo() != "" {
		if err := known.Add(u); err != nil {
			return fmt.Errorf("job: judge: %w", err)
		}
		url = u.WithoutUserinfo().String()
	}
	dns, err := resolve.New(resolve.DefaultConfig())
	if err != nil {
		return fmt.Errorf("job: judge %s: %w", url, err)
	}
	h, err := fetch.NewHTTP(c, fetch.Deps{Hosts: lookup{dns}, Version: version, Clock: clock.System(), Credentials: known})
	if err != nil {
		return fmt.Errorf("job: judge %s: %w", url, err)
	}
	defer func() { err = errors.Join(err, h.Stop(context.WithoutCancel(ctx))) }()
	for at, hops := url, 0; ; hops++ {
		target, err := urlx.Parse(at)
		if err != nil {
			return fmt.Errorf("job: judge %s: %w", url, err)
		}
		target = target.WithoutUserinfo()
		u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: target.String(), Key: target.String(), Host: target.Hostname()}, LastAttempt: true}
		j, next, err := judgeAnswer(ctx, a, h, u, Judged{Source: url, URL: u.URL})
		switch {
		case err != nil:
			return fmt.Errorf("job: judge %s: %w", at, err)
		case next == "":
			return each(j)
		case hops == maxRedirects:
			return fmt.Errorf("job: judge %s: more than %d redirects", url, maxRedirects)
		}
		to, err := target.Resolve(next)
		if err != nil {
			return fmt.Errorf("job: judge %s: redirect to %q: %w", at, next, err)
		}
		at = to.WithoutFragment().String()
	}
}

// judgeAnswer fetches one URI; next is where it redirects to, if it does.
func judgeAnswer(ctx context.Context, a *analyzer.Analyzer, h *fetch.HTTP, u *crawl.CrawlURI, j Judged) (_ Judged, next string, err error) {
	_, err = h.Process(ctx, u)
	if u.Rec != nil {
		defer func() { err = errors.Join(err, u.Rec.Close()) }()
	}
	if err != nil {
		return j, "", err
	}
	if !u.Status.IsHTTP() {
		return j, "", fmt.Errorf("no answer (status %v %v)", u.Status, u.Annotations)
	}
	j.Status = u.HTTPStatus
	if u.Class == crawl.ClassRedirect {
		return j, u.Header("Location"), nil
	}
	if j.Status < 200 || j.Status > 299 {
		j.Skipped = fmt.Sprintf("the server answered %d", j.Status)
		return j, "", nil
	}
	// A body whose coding is broken is judged by what could be decoded.
	body, _ := u.Rec.Body(maxJudged)
	j, err = document(ctx, a, j, u.Header("Content-Type"), body, u.Addr, knownHosts{})
	return j, "", err
}
