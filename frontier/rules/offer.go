package rules

import (
	"exclave/crawl"
	"exclave/frontier/schema"
)

// OfferOf makes the CrawlURI that a ToeThread works on; last says that it is the last attempt.
func OfferOf(r *schema.Record, last bool) *crawl.CrawlURI {
	u := &crawl.CrawlURI{
		Candidate: crawl.Candidate{URL: r.URL, Key: r.Key, Host: r.Host, Via: r.Via, Hops: r.Hops, Kind: r.Kind,
			Context: r.Context, Ways: r.Ways(), SourceTag: r.SourceTag, Seed: r.Seed, Force: r.Force, Claim: r.Claim},
		ID: r.ID, Mode: r.Mode, Attempt: r.Attempts + 1, LastAttempt: last,
	}
	if r.Finishes > 0 {
		u.Prior = &crawl.Prior{Outcome: r.Outcome, Response: r.Response, RecordID: r.RecordID, Date: r.Date,
			PayloadDigest: r.Digest, ETag: r.ETag, LastModified: r.LastModified, Original: r.Original}
	}
	return u
}
