// Package judge judges documents without a crawl, as `exclave analyze` does: a file, the
// page behind a URL, every answer in a WARC file. It reads what it is given, keeps
// nothing, and knows no job; an analyzer that is open is all it needs. A function may be
// called from any goroutine. Fetch and Answers give the same inputs to who does not judge
// (`exclave extract`). What is not here: judging pages that a crawl fetches, which
// is a processor of package extract.
package judge
