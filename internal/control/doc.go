// Package control lets other processes of the same user look at a running crawl
// and steer it: HTTP over a Unix socket, served by the process that crawls
// ([Serve]) and asked by the verbs ([Dial]).
//
// The socket is JOB/state/control.sock, mode 0600; where that path is too long for
// a socket it lies in a private temporary folder. The file JOB/state/control names
// it either way. Both go when the crawl ends; what a kill leaves behind is known by
// nobody answering, and replaced by the next crawl.
//
// Routes, a row each in routes.go, answer in JSON unless they say otherwise; an
// error is {"error": "…"} with a status that says whose it is. Handlers run
// concurrently with the crawl and with each other, use only what a job allows to
// any goroutine, and end when their request's context does: [Server.Close] waits
// for them, so that no handler meets a closed job.
//
// What is not here: what the routes do (package job), what the verbs print (cmd),
// and access from other machines or users, which needs authentication (ADR 0020).
package control
