package fetch

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strings"
	"time"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/record"
	"exclave/internal/urlx"
	"exclave/internal/whois"
)

// Whois asks for whois: URIs (RFC 3912; ADR 109). It uses the settings and the guard of the HTTP processor.
type Whois struct{ client *HTTP }

var _ chain.Processor = (*Whois)(nil)

// NewWhois returns the processor.
func NewWhois(client *HTTP) *Whois { return &Whois{client} }

// Process leaves other URIs alone. A server that the answer refers to is a redirect.
func (w *Whois) Process(ctx context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	target := u.Parsed()
	if u.Status != crawl.StatusUnattempted || target == nil || target.Scheme() != "whois" {
		return chain.Idle(), nil
	}
	h := w.client
	u.Started = h.clk.Now()
	began := h.clk.Mono()
	defer func() { u.Took = h.clk.Mono() - began }()
	rec := record.New(h.deps.Scratch, h.cfg.Memory)
	err := h.askWhois(ctx, u, target, rec)
	if ctx.Err() != nil {
		err = ctx.Err() // it was we who ended it
	}
	if err != nil {
		err = errors.Join(failed(u, err), rec.Close())
		return chain.Jump(chain.Post), err
	}
	u.Status, u.Rec, u.Digest = crawl.StatusWhois, rec, rec.PayloadDigest()
	u.Record = crawl.RecordForm{Type: crawl.RecordResponse, ContentType: "text/plain"}
	u.Protocols = append(u.Protocols[:0], "whois")
	describe(u, rec)
	answer, err := rec.Body(whois.MaxAnswer)
	if err != nil {
		return chain.Result{}, err
	}
	defer rec.Forget()
	if server := whois.Referral(string(answer)); server != "" {
		if to, err := urlx.Parse("whois://" + server + target.PathQuery()); err == nil && to.String() != target.String() {
			u.Outlinks = append(u.Outlinks, crawl.Outlink{URL: to, Hop: crawl.HopRedirect, Kind: crawl.LinkRedirect, Context: "whois:referral"})
		}
	}
	return chain.Result{}, nil
}

// askWhois records the answer of a server.
func (h *HTTP) askWhois(ctx context.Context, u *crawl.CrawlURI, target *urlx.URL, rec *record.Recording) error {
	query, err := url.PathUnescape(strings.TrimPrefix(target.PathQuery(), "/"))
	if err != nil || query == "" || strings.ContainsAny(query, "\r\n\x00") {
		return &failure{crawl.StatusUnfetchable, nil, errors.New("there is no question in the address")}
	}
	q := h.asked(u.Sheet)
	c, err := h.dial(ctx, target, time.Now().Add(min(h.cfg.HeaderTimeout, q.timeout)), time.Time{}, q)
	if err != nil {
		return err
	}
	h.pool.strip(c)
	defer c.pace.end()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	defer c.Close()
	u.Addr = c.addr
	if err := c.SetWriteDeadline(c.pace.deadline()); err != nil {
		return &failure{crawl.StatusConnectionLost, nil, err}
	}
	if _, err := io.WriteString(c.Conn, query+"\r\n"); err != nil {
		return &failure{crawl.StatusConnectionLost, nil, err}
	}
	buf := make([]byte, 4<<10)
	for size := 0; ; {
		n, err := c.Read(buf)
		if size += n; size > whois.MaxAnswer {
			n -= size - whois.MaxAnswer
			u.Truncated = crawl.TruncLength
			u.Annotate("lenTrunc")
		}
		if _, werr := rec.Write(buf[:n]); werr != nil {
			return werr
		}
		switch {
		case u.Truncated != "" || err == io.EOF && size > 0:
			return nil
		case err == io.EOF:
			return &failure{crawl.StatusConnectionLost, nil, errors.New("the server answered nothing")}
		case err != nil && isTimeout(err):
			return &failure{crawl.StatusTimeout, nil, err}
		case err != nil:
			return &failure{crawl.StatusConnectionLost, nil, err}
		}
	}
}
