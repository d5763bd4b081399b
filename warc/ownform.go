package warc

import (
	"bytes"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// ownForm reports that a record has the form in which this program writes records, or that of WARC 1.0 as most others do, so strictly
// that gowarc has nothing to object to it (ADR 40). It need not be asked then: that would take
// as long as everything else. Digests do not matter, they are recomputed; block is what
// [secondOpinion.of] is given.
func ownForm(e *Entry, i *RecordInfo, block []byte, whole bool) bool {
	if e.Version != "1.1" && e.Version != "1.0" || !plainLines(e.raw) {
		return false
	}
	var seen uint
	typed := false
	for _, f := range e.Header {
		n, ok := plainField(f, i, e.Version)
		if !ok || n < fieldConcurrent && seen&(1<<n) != 0 {
			return false
		}
		seen |= 1 << n
		typed = typed || n == fieldContentType
	}
	const compulsory = 1<<fieldType | 1<<fieldDate | 1<<fieldID | 1<<fieldLength
	if seen&compulsory != compulsory || !typed && e.Size > 0 {
		return false
	}
	if !isFields(e) || !whole {
		return true
	}
	return (i.Type == TypeWarcinfo || i.Type == TypeMetadata) && plainFields(block)
}

// Fields that occur in plain records, those that may stand once before the others.
const (
	fieldType = iota
	fieldDate
	fieldID
	fieldLength
	fieldContentType
	fieldTarget
	fieldAddress
	fieldBlockDigest
	fieldPayloadDigest
	fieldTruncated
	fieldFilename
	fieldProfile
	fieldRefersTo
	fieldRefersToDate
	fieldRefersToTarget
	fieldWarcinfo
	fieldIdentified
	fieldSuite
	fieldConcurrent // from here on: may occur several times
	fieldProtocol
)

// plainField returns the number of a field; false when it is none that occurs in plain records of
// the type, or its value has another form.
func plainField(f Field, i *RecordInfo, version string) (n uint, ok bool) {
	aside := i.Type == TypeRequest || i.Type == TypeResponse || i.Type == TypeMetadata || i.Type == TypeRevisit || i.Type == TypeResource
	revisit := i.Type == TypeRevisit
	switch f.Name {
	case "WARC-Type":
		return fieldType, aside || i.Type == TypeWarcinfo
	case "WARC-Date":
		return fieldDate, plainDate(f.Value) && !i.Date.IsZero()
	case "WARC-Record-ID":
		return fieldID, plainID(f.Value)
	case "Content-Length":
		return fieldLength, f.Value == strconv.FormatInt(i.Size, 10)
	case "Content-Type":
		return fieldContentType, f.Value != ""
	case "WARC-Target-URI":
		return fieldTarget, plainURI(f.Value)
	case "WARC-IP-Address":
		ip, err := netip.ParseAddr(f.Value)
		return fieldAddress, aside && err == nil && ip.Zone() == ""
	case "WARC-Block-Digest":
		return fieldBlockDigest, true
	case "WARC-Payload-Digest":
		return fieldPayloadDigest, true
	case "WARC-Truncated":
		return fieldTruncated, true
	case "WARC-Filename":
		return fieldFilename, i.Type == TypeWarcinfo
	case "WARC-Identified-Payload-Type":
		return fieldIdentified, aside && f.Value != ""
	case "WARC-Protocol":
		return fieldProtocol, aside && f.Value != ""
	case "WARC-Cipher-Suite":
		return fieldSuite, aside && f.Value != ""
	case "WARC-Warcinfo-ID":
		return fieldWarcinfo, aside && plainID(f.Value)
	case "WARC-Profile":
		return fieldProfile, revisit && plainProfile(f.Value, version)
	case "WARC-Refers-To":
		return fieldRefersTo, revisit && plainID(f.Value)
	case "WARC-Refers-To-Date":
		return fieldRefersToDate, revisit && plainDate(f.Value) && isDate(f.Value)
	case "WARC-Refers-To-Target-URI":
		return fieldRefersToTarget, revisit && plainURI(f.Value)
	case "WARC-Concurrent-To":
		return fieldConcurrent, aside && plainID(f.Value)
	}
	return 0, false
}

// plainLines reports that every line ends with CRLF, the last one is empty, none is folded, and
// nothing is encoded (RFC 2047).
func plainLines(raw string) bool {
	if strings.Contains(raw, "=?") || !strings.HasSuffix(raw, "\r\n\r\n") {
		return false
	}
	for line, rest := cutAfterLF(raw); line != ""; line, rest = cutAfterLF(rest) {
		n := len(line)
		if n < 2 || line[n-2] != '\r' || strings.IndexByte(line[:n-2], '\r') >= 0 || line[0] == ' ' || line[0] == '\t' || n == 2 && rest != "" {
			return false
		}
	}
	return true
}

// plainProfile wants a profile of the version.
func plainProfile(s, version string) bool {
	rest, ok := strings.CutPrefix(s, "http://netpreserve.org/warc/"+version+"/revisit/")
	return ok && (rest == "identical-payload-digest" || rest == "server-not-modified")
}

// plainDate wants a date with seconds or milliseconds, by its length.
func plainDate(s string) bool {
	return (len(s) == len("2006-01-02T15:04:05Z") || len(s) == len(dateFormat)) && s[len(s)-1] == 'Z'
}

func isDate(s string) bool {
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}

// plainID wants a UUID in brackets.
func plainID(s string) bool {
	const prefix = "<urn:uuid:"
	if len(s) != len(prefix)+37 || !strings.HasPrefix(s, prefix) || s[len(s)-1] != '>' {
		return false
	}
	for _, c := range []byte(s[len(prefix) : len(s)-1]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && c != '-' {
			return false
		}
	}
	return true
}

// plainURI wants a URI in which gowarc's parser cannot find anything wrong: one without authority,
// or http with a host of letters, digits, hyphens and dots that is no number.
func plainURI(s string) bool {
	if strings.HasPrefix(s, "dns:") || strings.HasPrefix(s, "urn:") {
		return validURI(s)
	}
	rest, ok := strings.CutPrefix(s, "http://")
	if !ok {
		if rest, ok = strings.CutPrefix(s, "https://"); !ok {
			return false
		}
	}
	host, _, _ := strings.Cut(rest, "/")
	host, port, hasPort := strings.Cut(host, ":")
	if hasPort {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
	}
	last := host
	for label, more := host, true; more; {
		var next string
		label, next, more = strings.Cut(label, ".")
		if !plainLabel(label) {
			return false
		}
		last, label = label, next
	}
	return !isDigit(last[0]) && validURI(s)
}

// plainLabel wants a label of a host that is not encoded.
func plainLabel(s string) bool {
	if s == "" || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' || len(s) > 3 && s[2:4] == "--" {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && !isDigit(c) && c != '-' {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// plainFields wants a block of named fields, one to a line that ends with CRLF, none of them folded,
// encoded or empty; behind them there may be an empty line, as Heritrix writes one.
func plainFields(block []byte) bool {
	if bytes.HasSuffix(block, []byte("\r\n\r\n")) {
		block = block[:len(block)-2]
	}
	if len(block) == 0 || bytes.Contains(block, []byte("=?")) {
		return false
	}
	for len(block) > 0 {
		i := bytes.IndexByte(block, '\n')
		if i < 1 || block[i-1] != '\r' || bytes.IndexByte(block[:i], '\r') != i-1 || block[0] <= ' ' || bytes.IndexByte(block[:i], ':') < 1 {
			return false
		}
		block = block[i+1:]
	}
	return true
}
