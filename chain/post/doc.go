// Package post holds the processors of the post chain, which every URI passes:
// they decide what the frontier is to do with it, turn its links into
// candidates that passed the scope, and make its lines for crawl.log,
// out-of-scope.jsonl and analysis.jsonl.
//
// Invariants: a link that the scope refuses leaves exactly one line; no line
// holds a raw blank or line end within a field, whatever a server sent; links
// and lines are made only for URIs that are done. The lines become durable with
// the outcome, so a URI that is offered again leaves no trace of this try.
//
// Every processor serves all ToeThreads. Not here: the queues, and the writing
// of the logs (package frontier).
package post
