package collection

import (
	"exclave/internal/seedlog"
	"exclave/internal/urlx"
)

// Bounds of what is read ahead: under 2 MB with lines as long as they usually are.
const (
	batchLinks = 1024
	batches    = 4
)

// link is an entry of a log.
type link struct {
	url         *urlx.URL // nil: it cannot be fetched
	via, source []byte
}

// batch is a piece of a log.
type batch struct {
	links []link
	text  []byte // what links point into
	err   error  // that ended the log
}

// fill reads the next piece.
func (b *batch) fill(log *seedlog.Reader) {
	b.links, b.text, b.err = b.links[:0], b.text[:0], nil
	for len(b.links) < cap(b.links) {
		e, err := log.Next()
		if err != nil {
			b.err = err
			return
		}
		b.links = append(b.links, link{log.URL(), b.keep(e.Via), b.keep(e.Source)})
	}
}

// keep copies what lives only until the next entry. When text grows, what was
// copied before stays where it was.
func (b *batch) keep(field []byte) []byte {
	at := len(b.text)
	b.text = append(b.text, field...)
	return b.text[at:]
}

// ahead reads a log in a goroutine of its own: decompressing and parsing take about
// as long as what is done with the addresses.
type ahead struct {
	full  chan *batch // in the order of the log; closed behind its end
	empty chan *batch // give back what was taken from full
}

func readAhead(log *seedlog.Reader) *ahead {
	a := &ahead{make(chan *batch, batches), make(chan *batch, batches)}
	for range batches {
		a.empty <- &batch{links: make([]link, 0, batchLinks)}
	}
	go func() {
		defer close(a.full)
		for b := range a.empty {
			b.fill(log)
			a.full <- b // there is room for all
			if b.err != nil {
				return
			}
		}
	}()
	return a
}

// stop ends when nothing is being read. The log may be closed then.
func (a *ahead) stop() {
	close(a.empty)
	for range a.full {
		continue // to its end
	}
}
