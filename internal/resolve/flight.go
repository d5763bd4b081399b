package resolve

import (
	"context"
	"sync"

	"github.com/miekg/dns"
)

// question is what a server is asked.
type question struct {
	name  string
	qtype uint16
}

// reply is how a question ended.
type reply struct {
	msg    *dns.Msg
	server string
	err    error
}

// flights lets those who ask the same at the same time wait for one question.
type flights struct {
	mu sync.Mutex
	by map[question]*flight
}

type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int
	reply   reply // after done
}

// do returns what ask does, which it calls unless somebody has with the same question. ask ends
// when nobody waits for it any more.
func (fs *flights) do(ctx context.Context, q question, ask func(context.Context) reply) reply {
	fs.mu.Lock()
	f := fs.by[q]
	if f == nil {
		f = &flight{done: make(chan struct{})}
		var in context.Context
		in, f.cancel = context.WithCancel(context.WithoutCancel(ctx))
		fs.by[q] = f
		go func() {
			f.reply = ask(in)
			f.cancel()
			fs.mu.Lock()
			fs.end(q, f)
			fs.mu.Unlock()
			close(f.done)
		}()
	}
	f.waiting++
	fs.mu.Unlock()
	select {
	case <-f.done:
		return f.reply
	case <-ctx.Done():
	}
	fs.mu.Lock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
		fs.end(q, f) // who asks from now on asks anew
	}
	fs.mu.Unlock()
	return reply{err: ctx.Err()}
}

// end forgets a flight. The caller holds fs.mu.
func (fs *flights) end(q question, f *flight) {
	if fs.by[q] == f {
		delete(fs.by, q)
	}
}
