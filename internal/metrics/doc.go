// Package metrics serves the numbers of a running crawl to Prometheus: /metrics,
// and nothing else, on the address that [metrics] of job.toml names.
//
// Everything comes from one [job.Snapshot] per scrape, so the numbers of a scrape
// belong together and a crawl that nobody scrapes pays nothing. The registry is
// the server's own. Names and labels are stable, and listed in
// docs/howto/metrics.md; a test compares. No label holds a host or a URL: their
// number has no bound.
//
// What is not here: what the numbers mean (packages chain and frontier), and
// access control: whoever reaches the address reads them.
package metrics
