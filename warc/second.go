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
type secondOpinion struct{ u gowarc.Unmarshaler }

// gowarcMu guards the making of gowarc objects, each of which sets a global of
// google/uuid without any lock. It guards nothing of ours.
var gowarcMu sync.Mutex

func newSecondOpinion() *secondOpinion {
	gowarcMu.Lock()
	defer gowarcMu.Unlock()
	return &secondOpinion{u: gowarc.NewUnmarshaler(
		gowarc.WithSyntaxErrorPolicy(gowarc.ErrWarn),
		gowarc.WithSpecViolationPolicy(gowarc.ErrWarn),
		gowarc.WithUnknownRecordTypePolicy(gowarc.ErrWarn),
		gowarc.WithAddMissingRecordId(false),
		gowarc.WithAddMissingContentLength(false),
		gowarc.WithAddMissingDigest(false),
		gowarc.WithFixContentLength(false),
		gowarc.WithFixDigest(false),
		gowarc.WithFixSyntaxErrors(false),
	)}
}

// of returns gowarc's objections to a record whose framing is known to be right.
// The digests are left out: they have been recomputed. Without the whole block
// gowarc is shown an empty one, so that it need not spill to disk.
func (s *secondOpinion) of(e *Entry, block []byte, whole bool) (objections []string) {
	defer func() {
		// A library's panic over a stranger's bytes must not end a verification.
		if p := recover(); p != nil {
			objections = append(objections, fmt.Sprintf("gowarc: panic: %v", p))
		}
	}()
	rec, _, val, err := s.u.Unmarshal(bufio.NewReader(io.MultiReader(
		bytes.NewReader(forSecond(e, whole)), bytes.NewReader(blockFor(block, whole)), strings.NewReader("\r\n\r\n"))))
	if err != nil {
		objections = append(objections, "gowarc: "+err.Error())
	}
	if val != nil && !val.Valid() {
		for _, v := range *val {
			objections = append(objections, "gowarc: "+v.Error())
		}
	}
	if rec != nil {
		if err := rec.Close(); err != nil {
			objections = append(objections, "gowarc: "+err.Error())
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
	for i, line := range bytes.SplitAfter(e.raw, []byte("\n")) {
		name, _, _ := strings.Cut(string(line), ":")
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
		b.Write(line)
	}
	return b.Bytes()
}
