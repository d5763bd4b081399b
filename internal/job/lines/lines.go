// Package lines reads what a line of a job's logs is about, for whoever compares the logs with a state or makes a
// state of them. The formats are those of docs/formats; whole logs are read by package logparts.
package lines

import (
	"encoding/json"
	"errors"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/crawllog"
)

// URL returns the URL that a line of a log is about.
func URL(log crawl.LogID, line []byte) (string, error) {
	if log == crawl.LogCrawl {
		e, err := crawllog.Parse(string(line))
		return e.URL, err
	}
	var l struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(line, &l); err != nil || l.URL == "" {
		return "", errors.New("is not a JSON object with a url")
	}
	return l.URL, nil
}

// Visit is what a line of crawl.log about a fetch adds to the statistics.
func Visit(e crawllog.Entry) frontier.Tally {
	y := frontier.Tally{URIs: 1, Bytes: e.Received()}
	if e.WARCFilename != "" {
		y.Stored, y.StoredBytes = 1, y.Bytes
	}
	switch {
	case crawl.Status(e.Status) == crawl.StatusRobots:
		y.Robots = 1
	case e.Status <= 0:
	case e.Facts().Duplicate:
		y.Dup, y.DupBytes = 1, y.Bytes
	case e.Facts().NotModified:
		y.Unmodified, y.UnmodifiedLen = 1, y.Bytes
	default:
		y.Novel, y.NovelBytes = 1, y.Bytes
	}
	return y
}
