package warc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
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
		gowarc.WithBlockErrorPolicy(gowarc.ErrWarn),
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

// SecondOpinion has tell called, with a [KindStandard], for each objection of gowarc to a record
// that was read to its end and is whole, before Finish or Next returns. Nothing else changes. Of
// blocks only those of fields are shown to gowarc, and nothing of a record in the form of this
// program's own, to which it never objects. Call it before the first Next.
func (r *Reader) SecondOpinion(tell func(Defect)) { r.doubt = tell }

// keepFields has a block of fields kept while it is read.
func (r *Reader) keepFields(e *Entry) {
	if r.fields = nil; r.doubt != nil && e.Size <= wholeBlock && isFields(e) {
		r.fields = new(bytes.Buffer)
		r.body.R = io.TeeReader(r.inner, r.fields)
	}
}

// ask asks gowarc about a whole record.
func (r *Reader) ask(e *Entry, length int64) {
	if r.doubt == nil || e.Version == VersionARC {
		return
	}
	var block []byte
	if r.fields != nil {
		block = r.fields.Bytes()
	}
	info := infoOf(e, length)
	if ownForm(e, &info, block, r.fields != nil) {
		return
	}
	if r.second == nil {
		r.second = newSecondOpinion()
	}
	for _, objection := range r.second.of(e, block, r.fields != nil) {
		r.doubt(*defect(e.Offset, KindStandard, "%s", objection))
	}
}

// isFields reports that a block holds named fields.
func isFields(e *Entry) bool {
	return strings.HasPrefix(strings.ToLower(e.Header.Get("Content-Type")), ContentFields)
}

// of returns gowarc's objections to a record whose framing is known to be right.
// Digests are left out: they have been recomputed. Only blocks of fields are
// parsed: what a server sent is archived as it came, broken HTTP too. Without
// the whole block gowarc is shown one of a byte at most, so that it need not spill to disk.
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
	if whole && isFields(e) {
		u = s.full
	}
	rec, _, val, err := u.Unmarshal(bufio.NewReader(io.MultiReader(
		bytes.NewReader(forSecond(e, whole)), bytes.NewReader(blockFor(e, block, whole)), strings.NewReader("\r\n\r\n"))))
	if err != nil {
		object(err)
	}
	if val != nil && !val.Valid() {
		for _, v := range *val {
			object(v)
		}
	}
	if rec != nil {
		if len(objections) == 0 {
			for _, name := range differing(e, rec.WarcHeader()) {
				object("reads " + name + " differently")
			}
		}
		if err := rec.Close(); err != nil {
			object(err)
		}
	}
	return objections
}

// differing returns the fields whose values gowarc reads otherwise than we do; those that it is
// not shown, and brackets around URIs, do not matter.
func differing(e *Entry, theirs *gowarc.WarcFields) (names []string) {
	for i, f := range e.Header {
		switch name := strings.ToLower(f.Name); {
		case name == "content-length", name == "warc-block-digest", name == "warc-payload-digest":
			continue
		case slices.ContainsFunc(e.Header[:i], func(g Field) bool { return strings.EqualFold(g.Name, f.Name) }):
			continue
		}
		if !slices.EqualFunc(e.Header.All(f.Name), theirs.GetAll(f.Name), func(a, b string) bool { return unbracket(a) == unbracket(b) }) {
			names = append(names, f.Name)
		}
	}
	return names
}

func blockFor(e *Entry, block []byte, whole bool) []byte {
	if whole {
		return block
	}
	return make([]byte, min(e.Size, 1))
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
				fmt.Fprintf(&b, "Content-Length: %d\r\n", min(e.Size, 1))
				continue
			}
		}
		b.WriteString(line)
	}
	return b.Bytes()
}
