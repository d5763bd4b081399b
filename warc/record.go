package warc

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Types of records (WARC 1.1 section 6).
const (
	TypeWarcinfo     = "warcinfo"
	TypeResponse     = "response"
	TypeResource     = "resource"
	TypeRequest      = "request"
	TypeMetadata     = "metadata"
	TypeRevisit      = "revisit"
	TypeConversion   = "conversion"
	TypeContinuation = "continuation"
)

// Content types of blocks.
const (
	ContentHTTPRequest  = "application/http; msgtype=request"
	ContentHTTPResponse = "application/http; msgtype=response"
	ContentFields       = "application/warc-fields"
	ContentDNS          = "text/dns"
	ContentJSON         = "application/json"
)

// Profiles of revisit records (WARC 1.1 section 6.7).
const (
	ProfileIdentical   = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	ProfileNotModified = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
)

// Field is one named field of a header or of an application/warc-fields block.
type Field struct{ Name, Value string }

// Block is the body of a record. *bytes.Reader, *strings.Reader and
// *io.SectionReader are Blocks.
type Block interface {
	io.ReaderAt
	Size() int64 // bytes
}

// Record is what File.Write archives.
type Record struct {
	Type          string     // one of the Type constants
	TargetURI     string     // absolute, ASCII; empty only for warcinfo and metadata
	Date          time.Time  // compulsory; written in UTC with milliseconds
	ID            string     // "urn:uuid:…", without brackets; made when empty, and set
	WarcinfoID    string     // of the warcinfo record of its file; set when it is written
	ContentType   string     // compulsory when the block is not empty
	ConcurrentTo  []string   // IDs of other records of the capture
	IP            netip.Addr // of the server; zero when there is none
	Truncated     string     // "", "length", "time", "disconnect" or "unspecified"
	PayloadDigest string     // "sha1:" + base32; left out when empty
	BlockDigest   string     // "sha1:" + base32; computed, and set, when empty
	Revisit       *Revisit   // for revisit records, else nil
	Extra         []Field    // further fields, after the others
	Block         Block      // nil is an empty block; only read, never kept
}

// Revisit says which earlier record a revisit record stands for. Replay tools
// fail without TargetURI and Date, also for 304.
type Revisit struct {
	Profile   string    // ProfileIdentical or ProfileNotModified
	TargetURI string    // of the earlier record
	Date      time.Time // of the earlier record
	ID        string    // of the earlier record; may be empty when unknown
}

// NewID returns a random record ID, "urn:uuid:" and a UUID of version 4 (RFC
// 9562 section 5.4). google/uuid would do, but gowarc switches its global random
// pool on, unguarded, each time it is used, which races with every other user.
func NewID() string {
	var u [16]byte
	rand.Read(u[:]) // never fails (crypto/rand)
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

func (r *Record) size() int64 {
	if r.Block == nil {
		return 0
	}
	return r.Block.Size()
}

func (r *Record) reader() io.Reader {
	if r.Block == nil {
		return bytes.NewReader(nil)
	}
	return io.NewSectionReader(r.Block, 0, r.Block.Size())
}

// complete fills in ID and BlockDigest; buf is to copy through, nil for none.
func (r *Record) complete(buf []byte) error {
	if r.ID == "" {
		r.ID = NewID()
	}
	if r.BlockDigest == "" {
		d, err := digest(r.reader(), buf)
		if err != nil {
			return fmt.Errorf("warc: digest block of %s: %w", r.TargetURI, err)
		}
		r.BlockDigest = d
	}
	return nil
}

const dateFormat = "2006-01-02T15:04:05.000Z"

// appendHeader appends the version line, the fields and the empty line.
func (r *Record) appendHeader(b []byte) []byte {
	field := func(name, value string) {
		if value != "" {
			b = append(append(append(append(b, name...), ": "...), value...), "\r\n"...)
		}
	}
	id := func(name, value string) {
		if value != "" {
			field(name, "<"+value+">")
		}
	}
	b = append(b, "WARC/1.1\r\n"...)
	field("WARC-Type", r.Type)
	field("WARC-Target-URI", r.TargetURI)
	field("WARC-Date", r.Date.UTC().Format(dateFormat))
	if r.IP.IsValid() {
		field("WARC-IP-Address", r.IP.Unmap().WithZone("").String())
	}
	for _, c := range r.ConcurrentTo {
		id("WARC-Concurrent-To", c)
	}
	if v := r.Revisit; v != nil {
		field("WARC-Profile", v.Profile)
		field("WARC-Refers-To-Target-URI", v.TargetURI)
		field("WARC-Refers-To-Date", v.Date.UTC().Format(dateFormat))
		id("WARC-Refers-To", v.ID)
	}
	field("WARC-Payload-Digest", r.PayloadDigest)
	field("WARC-Block-Digest", r.BlockDigest)
	field("WARC-Truncated", r.Truncated)
	for _, f := range r.Extra {
		field(f.Name, f.Value)
	}
	id("WARC-Warcinfo-ID", r.WarcinfoID)
	id("WARC-Record-ID", r.ID)
	field("Content-Type", r.ContentType)
	field("Content-Length", strconv.FormatInt(r.size(), 10))
	return append(b, "\r\n"...)
}

// check refuses what would make a record that readers misunderstand. It returns
// every problem, joined.
func (r *Record) check() error {
	var errs []error
	bad := func(ok bool, format string, a ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("warc: record of %q: "+format, append([]any{r.TargetURI}, a...)...))
		}
	}
	switch r.Type {
	case TypeWarcinfo:
		bad(r.TargetURI == "", "a warcinfo record has no target URI")
		bad(len(r.ConcurrentTo) == 0, "a warcinfo record is concurrent to nothing")
	case TypeMetadata:
		bad(r.TargetURI == "" || validURI(r.TargetURI), "invalid target URI")
	case TypeResponse, TypeResource, TypeRequest, TypeRevisit, TypeConversion, TypeContinuation:
		bad(validURI(r.TargetURI), "invalid target URI")
	default:
		bad(false, "unknown type %q", r.Type)
	}
	bad((r.Type == TypeRevisit) == (r.Revisit != nil), "Revisit belongs to revisit records and only to them")
	if v := r.Revisit; v != nil {
		bad(v.Profile != "" && !hasControl(v.Profile), "invalid profile %q", v.Profile)
		bad(validURI(v.TargetURI), "invalid target URI of the original %q", v.TargetURI)
		bad(!v.Date.IsZero(), "no date of the original")
		bad(v.ID == "" || validID(v.ID), "invalid id of the original %q", v.ID)
	}
	bad(!r.Date.IsZero(), "no date")
	bad(validID(r.ID), "invalid id %q", r.ID)
	for _, c := range r.ConcurrentTo {
		bad(validID(c), "invalid concurrent id %q", c)
	}
	switch r.Truncated {
	case "", "length", "time", "disconnect", "unspecified":
	default:
		bad(false, "unknown truncation %q", r.Truncated)
	}
	bad(r.ContentType != "" || r.size() == 0, "no content type")
	bad(!hasControl(r.ContentType), "control character in content type %q", r.ContentType)
	for _, d := range []string{r.PayloadDigest, r.BlockDigest} {
		bad(d == "" || validDigest(d), "invalid digest %q", d)
	}
	for _, f := range r.Extra {
		bad(validName(f.Name) && !hasControl(f.Value), "invalid field %q: %q", f.Name, f.Value)
	}
	return errors.Join(errs...)
}

// validURI accepts a scheme, a colon and something, all printable ASCII without
// spaces or angle brackets: what may stand in WARC-Target-URI and be split at
// white space by every tool.
func validURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || rest == "" || scheme == "" || !isLetter(scheme[0]) {
		return false
	}
	for i := range len(scheme) {
		c := scheme[i]
		if !isLetter(c) && (c < '0' || c > '9') && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '<' || c == '>' {
			return false
		}
	}
	return true
}

func validID(s string) bool { return validURI(s) }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// validName accepts a token of RFC 2616, as WARC field names are.
func validName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>@,;:\"/[]?={}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

func hasControl(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) >= 0
}

// Fields marshals an application/warc-fields block: one "name: value" line each.
// Line ends within values become spaces, since a line is what separates them.
func Fields(fields []Field) []byte {
	var b bytes.Buffer
	for _, f := range fields {
		fmt.Fprintf(&b, "%s: %s\r\n", f.Name, oneLine.Replace(f.Value))
	}
	return b.Bytes()
}

var oneLine = strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ")
