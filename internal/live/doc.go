// Package live is the view of a running crawl on a terminal: the numbers of a
// [job.Snapshot], why nothing happens when nothing does, what each worker does, and
// keys to steer. It is the same for a crawl of this process and for one that is
// looked at from outside; both are a [Crawl].
//
// A frame is made in two steps. A model and a size become rows of text (model.row,
// tested without a terminal); the terminal sends the rows that changed. The view
// has the terminal, on its alternate screen, from the start of Run until it
// returns, but for suspensions. Whatever way it ends, also by [View.Restore] from
// another goroutine, the terminal is as it was before; lines that were logged
// meanwhile ([Log]) follow on the normal screen.
//
// Text from the web is made harmless before it gets into a row ([cut]). Not here:
// the status line of crawls without a terminal (package job), the control socket.
package live
