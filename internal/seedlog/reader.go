package seedlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"exclave/internal/urlx"
)

// MaxLine is the most bytes a line may have; a longer one is broken.
const MaxLine = 64 << 10

// maxSamples is how many broken lines are described.
const maxSamples = 10

// outOfScope is the status of a crawl.log for addresses that were out of scope
// when their turn came.
const outOfScope = -5000

// State is how far a source was read and what was counted on the way. A Reader
// that is given it goes on behind it. Every line is one of Blank, Skipped, Broken,
// Traps or an entry.
type State struct {
	Format  Format           `json:"format,omitempty"`  // recognised or forced; Auto: nothing to tell by yet
	Legend  string           `json:"legend,omitempty"`  // of a CDX file; the header of a list, or "?" and its separator in doubt
	Lines   int64            `json:"lines"`             // begun, the broken ones included
	Blank   int64            `json:"blank,omitempty"`   // empty, comments, headers, heads of records
	Skipped int64            `json:"skipped,omitempty"` // addresses that are no seeds: accepted there, other statuses
	Broken  int64            `json:"broken"`
	Rules   map[string]int64 `json:"rules,omitempty"`   // entries, by the rule that refused them there; at most 100 names
	Traps   map[string]int64 `json:"traps,omitempty"`   // left out because they were refused as traps there, by rule
	Causes  map[string]int64 `json:"causes,omitempty"`  // of what is broken
	Samples []string         `json:"samples,omitempty"` // "line N: cause: text", the first ten
	Damage  string           `json:"damage,omitempty"`  // why a compressed file could not be read to its end
	Offset  int64            `json:"offset"`            // bytes of the uncompressed stream taken so far
}

// Options say how a source is read. The zero value recognises everything.
type Options struct {
	Format   Format // Auto: recognise
	Name     string // of the file: a hint, may be ""
	Statuses []int  // of a crawl.log whose lines are entries; none: -5000, and with Traps -4000 to -4002
	Traps    bool   // take what was refused as a trap there, too (see [IsTrap])
	Resume   State  // go on behind it
	Userinfo Userinfo
}

// Userinfo says what is done with user names and passwords in addresses of lists, which
// people write. Those in logs, which were found on pages, are always dropped.
type Userinfo uint8

// What is done with them.
const (
	RefuseUserinfo Userinfo = iota // the line is broken
	DropUserinfo                   // the address is taken without
	KeepUserinfo                   // URL returns them; nothing but credentials may be made of that
)

// Reader reads the entries of one source.
type Reader struct {
	src   *source
	in    *bufio.Reader
	parse parser
	state State
	guess Guess
	entry Entry
	text  []byte // of the line of entry
	done  bool
	users Userinfo
	rules rules
	via   struct {
		raw []byte // of the last entry that was asked about
		url string
	}
}

// Open begins to read r. It fails when r cannot be read, and with [ErrNoLog] for what is
// no text that a log could be; what else is wrong with its content is found by Next.
// Close the Reader; r stays the caller's.
func Open(r io.Reader, o Options) (*Reader, error) {
	src, err := openSource(r)
	if err != nil {
		return nil, err
	}
	d := &Reader{src: src, in: bufio.NewReaderSize(src, 2*windowBytes), state: o.Resume, users: o.Userinfo}
	d.state.Causes, d.state.Samples = maps.Clone(o.Resume.Causes), slices.Clone(o.Resume.Samples)
	d.state.Damage = ""
	if o.Resume.Offset > 0 {
		if err := src.skip(o.Resume.Offset); err != nil {
			d.Close()
			return nil, err
		}
	}
	d.rules = newRules(o)
	if len(o.Statuses) == 0 {
		o.Statuses = append(trapStatuses(), outOfScope)
	}
	d.parse.statuses = o.Statuses
	d.parse.setMark(o.Resume.Legend)
	window, err := d.in.Peek(windowBytes)
	if err != nil && src.raw.failed != nil {
		d.Close()
		return nil, fmt.Errorf("seedlog: read: %w", src.raw.failed)
	}
	if o.Resume.Offset == 0 {
		if name := noLog(window); name != "" {
			d.Close()
			return nil, fmt.Errorf("seedlog: %w: %s", ErrNoLog, name)
		}
	}
	if err == nil { // the last line may go on
		window = window[:bytes.LastIndexByte(window, '\n')+1]
	}
	d.guess = guess(window, o.Name)
	switch {
	case o.Format != Auto:
		d.parse.format = o.Format
	case o.Resume.Format != Auto:
		d.parse.format = o.Resume.Format
	default:
		d.parse.format = d.guess.Format
	}
	if d.parse.format == List && o.Resume.Offset == 0 {
		d.parse.doubt = doubtful(window)
	}
	if o.Format != Auto || d.guess.Matched > 0 {
		d.state.Format = d.parse.format
	}
	return d, nil
}

// Close gives back what decompressing takes.
func (r *Reader) Close() { r.src.close() }

// Format is the format that lines are read as.
func (r *Reader) Format() Format { return r.parse.format }

// Guess is what the first lines suggested, also when the format was forced.
func (r *Reader) Guess() Guess { return r.guess }

// Compression is how the source is compressed.
func (r *Reader) Compression() Compression { return r.src.compression }

// State is what was read up to and including the last entry, or all of it after
// io.EOF. Its maps and slice belong to the caller.
func (r *Reader) State() State {
	s := r.state
	s.Causes, s.Samples = maps.Clone(s.Causes), slices.Clone(s.Samples)
	s.Rules, s.Traps = r.rules.counted()
	s.Legend = r.parse.mark()
	return s
}

// RawOffset is how many bytes of the file hold what State has read; of a
// compressed file a few more.
func (r *Reader) RawOffset() int64 {
	if r.src.compression == Plain {
		return r.state.Offset
	}
	return r.src.rawOffset()
}

// Next returns the next entry, io.EOF at the end (also when damage ended the
// stream: State tells), or the error of a source that cannot be read.
func (r *Reader) Next() (*Entry, error) {
	for !r.done {
		line, err := r.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			// Longer than any line may be: passed over to its end.
			begin := []byte(urlx.HideUserinfo(string(line[:maxCut])))
			size := int64(len(line))
			for errors.Is(err, bufio.ErrBufferFull) {
				line, err = r.in.ReadSlice('\n')
				size += int64(len(line))
			}
			if err == nil || errors.Is(err, io.EOF) {
				r.state.Lines++
				r.state.Offset += size
				r.broken(errLong, begin)
				r.done = err != nil
				continue
			}
		}
		if err != nil {
			if r.src.raw.failed != nil {
				return nil, fmt.Errorf("seedlog: read: %w", r.src.raw.failed)
			}
			r.done = true
			if !errors.Is(err, io.EOF) {
				r.damaged(err, line)
				break
			}
			if len(line) == 0 {
				break
			}
		}
		if e := r.take(line); e != nil {
			return e, nil
		}
	}
	return nil, io.EOF
}

// take counts a line and returns its entry, if it is one.
func (r *Reader) take(line []byte) *Entry {
	r.state.Lines++
	r.state.Offset += int64(len(line))
	r.entry = Entry{Line: r.state.Lines}
	r.text = trim(line)
	if len(r.text) > MaxLine {
		r.broken(errLong, r.text)
		return nil
	}
	kind, err := r.parse.line(r.text, &r.entry)
	switch {
	case err != nil:
		r.broken(err, r.text)
	case kind == blank:
		r.state.Blank++
	case kind == skipped:
		r.state.Skipped++
	case r.rules.leftOut(r.entry.Rule, r.parse.format):
	default:
		for _, s := range []*[]byte{&r.entry.Source, &r.entry.Via} {
			if bytes.IndexByte(*s, '@') >= 0 {
				*s = []byte(urlx.HideUserinfo(string(*s)))
			}
		}
		return &r.entry
	}
	return nil
}

// trim takes away white space around a line and the byte order mark of an editor.
func trim(b []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\ufeff")))
}

// damaged ends the stream. The line in work is not to be trusted: its end is
// missing. It is not counted as taken, so that a repaired file is read from there.
func (r *Reader) damaged(err error, line []byte) {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the file ends too early")
	}
	at := r.src.rawOffset()
	if part := trim(line); len(part) > 0 {
		r.state.Lines++
		r.broken(errCutOff, part)
	}
	r.state.Damage = fmt.Sprintf("%s damaged at byte %d of the file (behind line %d, byte %d uncompressed): %v",
		r.src.compression, at, r.state.Lines, r.state.Offset+int64(len(line)), err)
}

// URL parses the address of the last entry and, when it is not one that can be
// fetched, counts its line as broken and returns nil.
func (r *Reader) URL() *urlx.URL {
	u, err := urlx.Parse(string(r.entry.URL))
	switch {
	case err == nil && u.Userinfo() != "":
		return r.named(u.WithoutFragment())
	case err == nil:
		return u.WithoutFragment()
	case errors.Is(err, urlx.ErrScheme):
		r.broken(errScheme, r.text)
	case errors.Is(err, urlx.ErrTooLong):
		r.broken(errURLLong, r.text)
	default:
		r.broken(errURL, r.text)
	}
	return nil
}

// Via returns the page on which the log found the last entry, parsed, without fragment and
// user name, "" when it names none that is an address. The links of a page stand together in
// a log: only the first is parsed.
func (r *Reader) Via() string {
	if raw := r.entry.Via; !bytes.Equal(raw, r.via.raw) {
		r.via.raw, r.via.url = append(r.via.raw[:0], raw...), ""
		if u, err := urlx.Parse(string(raw)); err == nil {
			r.via.url = u.WithoutUserinfo().WithoutFragment().String()
		}
	}
	return r.via.url
}

// named is URL for an address with a user name or a password.
func (r *Reader) named(u *urlx.URL) *urlx.URL {
	switch {
	case r.parse.format != List && r.parse.format != Auto, r.users == DropUserinfo:
		return u.WithoutUserinfo()
	case r.users == KeepUserinfo:
		return u
	}
	r.broken(errUserinfo, r.text)
	return nil
}

// maxCut is how much of a broken line is shown, in bytes.
const maxCut = 100

func (r *Reader) broken(err error, text []byte) {
	r.state.Broken++
	if r.state.Causes == nil {
		r.state.Causes = map[string]int64{}
	}
	r.state.Causes[err.Error()]++
	if len(r.state.Samples) < maxSamples {
		more := ""
		// Before it there may be a password, wherever an address would begin.
		if i := bytes.LastIndexByte(text, '@'); i >= 0 {
			text = append([]byte("…"), text[i:]...)
		}
		if len(text) > maxCut {
			text, more = text[:maxCut], "…"
		}
		r.state.Samples = append(r.state.Samples, fmt.Sprintf("line %d: %v: %q%s", r.state.Lines, err, text, more))
	}
}
