package warc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/nlnwa/gowarc/v2"
)

// secondOpinion is gowarc's view of single records. It belongs to one goroutine.
type secondOpinion struct {
	full    gowarc.Unmarshaler // parses blocks of fields
	headers gowarc.Unmarshaler // takes blocks as bytes
}

// gowarcMu guards the making of gowarc objects, each of which sets a global of
// google/uuid without any lock. It guards nothing of ours.
var gowarcMu sync.Mutex

func newSecondOpinion() *secondOpinion {
	gowarcMu.Lock()
	defer gowarcMu.Unlock()
	options := []gowarc.WarcRecordOption{
		gowarc.WithSyntaxErrorPolicy(gowarc.ErrWarn),
		gowarc.WithSpecViolationPolicy(gowarc.ErrWarn),
		gowarc.WithUnknownRecordTypePolicy(gowarc.ErrWarn),
		gowarc.WithAddMissingRecordId(false),
		gowarc.WithAddMissingContentLength(false),
		gowarc.WithAddMissingDigest(false),
		gowarc.WithFixContentLength(false),
		gowarc.WithFixDigest(false),
		gowarc.WithFixSyntaxErrors(false),
	}
	return &secondOpinion{
		full:    gowarc.NewUnmarshaler(options...),
		headers: gowarc.NewUnmarshaler(append(options, gowarc.WithSkipParseBlock())...),
	}
}

// of returns gowarc's objections to a record whose framing is known to be right.
// Digests are left out: they have been recomputed. Only blocks of fields are
// parsed: what a server sent is archived as it came, broken HTTP too. Without
// the whole block gowarc is shown an empty one, so that it need not spill to disk.
func (s *secondOpinion) of(e *Entry, block []byte, whole bool) (objections []string) {
	object := func(err any) {
		objections = append(objections, "gowarc: "+strings.TrimPrefix(fmt.Sprint(err), "gowarc: "))
	}
	defer func() {
		// A library's panic over a stranger's bytes must not end a verification.
		if p := recover(); p != nil {
			object(fmt.Sprint("panic: ", p))
		}
	}()
	u := s.headers
	if whole && strings.HasPrefix(strings.ToLower(e.Header.Get("Content-Type")), ContentFields) {
		u = s.full
	}
	rec, _, val, err := u.Unmarshal(bufio.NewReader(io.MultiReader(
		bytes.NewReader(forSecond(e, whole)), bytes.NewReader(blockFor(block, whole)), strings.NewReader("\r\n\r\n"))))
	if err != nil {
		object(err)
	}
	if val != nil && !val.Valid() {
		for _, v := range *val {
			object(v)
		}
	}
	if rec != nil {
		if err := rec.Close(); err != nil {
			object(err)
		}
	}
	return objections
}

func blockFor(block []byte, whole bool) []byte {
	if whole {
		return block
	}
	return nil
}

func forSecond(e *Entry, whole bool) []byte {
	var b bytes.Buffer
	for i, line := range strings.SplitAfter(e.raw, "\n") {
		name, _, _ := strings.Cut(line, ":")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "warc-block-digest", "warc-payload-digest":
			if i > 0 {
				continue
			}
		case "content-length":
			if !whole {
				b.WriteString("Content-Length: 0\r\n")
				continue
			}
		}
		b.WriteString(line)
	}
	return b.Bytes()
}
