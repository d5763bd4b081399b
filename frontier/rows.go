package frontier

import "exclave/frontier/schema"

// Rows as those see them who ask a frontier: package schema says what they are.
type (
	// Record is everything kept of a URI.
	Record = schema.Record
	// State is where a URI stands.
	State = schema.State
	// Found is what is known of the best page on which a URI was found.
	Found = schema.Found
	// Retirement is why a queue is retired.
	Retirement = schema.Retirement
	// Capture is a capture group in a WARC file.
	Capture = schema.Capture
	// FileRow is what the state keeps of a WARC file.
	FileRow = schema.FileRow
	// LogRow is what the state keeps of a log.
	LogRow = schema.LogRow
	// LogPart is what the state keeps of a part of a log (ADR 39), compressed or not.
	LogPart = schema.LogPart
	// Tally counts visits.
	Tally = schema.Tally
	// Stats are the numbers of the crawl since it began.
	Stats = schema.Stats
	// Part is a setting that verdicts follow from. While the job lasts it stays what it was.
	Part = schema.Part
)

// What those need who ask a frontier.
const (
	FormatVersion = schema.FormatVersion
	Parked        = schema.Parked
	Waiting       = schema.Waiting
	Done          = schema.Done
	OtherTypes    = schema.OtherTypes
	UnknownType   = schema.UnknownType
	DNSHost       = schema.DNSHost
)
