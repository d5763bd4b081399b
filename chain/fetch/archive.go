package fetch

import (
	"context"
	"fmt"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/record"
)

// ArchiveReader reads answers back from the archive.
type ArchiveReader interface {
	// Response returns the answer in the record at ref, to be made with
	// record.Load; for a revisit record, with the payload of the record at
	// original, which is zero for others. The caller closes it.
	Response(ctx context.Context, ref, original crawl.Ref) (*record.Recording, error)
}

// Archive takes the answer of a URI that is only to be judged from the archive.
// It stands before the processors that ask servers.
type Archive struct{ reader ArchiveReader }

var _ chain.Processor = (*Archive)(nil)

// NewArchive returns the processor.
func NewArchive(r ArchiveReader) *Archive { return &Archive{r} }

// Process leaves URIs that are to be fetched alone; others go on with extraction.
func (a *Archive) Process(ctx context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if u.Mode != crawl.ModeJudge {
		return chain.Idle(), nil
	}
	if u.Prior == nil || u.Prior.Response.IsZero() {
		return chain.Result{}, fmt.Errorf("fetch: archived answer of %s: no place is known", u.URL)
	}
	rec, err := a.reader.Response(ctx, u.Prior.Response, u.Prior.Original)
	if err != nil {
		return chain.Result{}, fmt.Errorf("fetch: archived answer of %s: %w", u.URL, err)
	}
	u.Rec, u.Digest = rec, u.Prior.PayloadDigest // as the record has it
	u.Status, u.HTTPStatus = u.Prior.Outcome.Status, int(u.Prior.Outcome.Status)
	u.RecordID = u.Prior.RecordID
	describe(u, rec)
	return chain.Jump(chain.Extract), nil
}
