package warc

// Rule returns the rule of the standard that a defect breaks: sections are those of WARC 1.1 (ISO 28500:2017).
func (k Kind) Rule() string {
	switch k {
	case KindFormat:
		return "annex D.2: record-at-time compression"
	case KindGzip:
		return "annex D; RFC 1952 section 2.3"
	case KindZstd:
		return "IIPC Zstandard Compression for WARC Files; RFC 8878"
	case KindTruncated, KindGarbage:
		return "section 4: a file is a concatenation of records"
	case KindHeader:
		return "sections 4 and 5.1: fields; 5.2 WARC-Record-ID, 5.4 WARC-Date, 5.5 WARC-Type are mandatory"
	case KindLength:
		return "section 5.3: Content-Length; section 4: two empty lines behind the block"
	case KindBlock:
		return "section 5.8: WARC-Block-Digest"
	case KindPayload:
		return "section 5.9: WARC-Payload-Digest"
	case KindURI:
		return "section 5.14: WARC-Target-URI"
	case KindDuplicate:
		return "section 5.2: WARC-Record-ID is globally unique"
	}
	return "as gowarc reads the standard"
}

// Remedy says what to do about a defect.
func (k Kind) Remedy() string {
	switch k {
	case KindFormat:
		return "exclave warc recompress makes a file with a member per record"
	case KindGzip, KindZstd, KindTruncated, KindGarbage, KindLength:
		return "put the file back from a copy, or save what is whole with exclave warc repair"
	case KindHeader:
		return "where it cannot be read the record is lost, put the file back from a copy; else tools may pass the record over, tell who wrote it"
	case KindBlock:
		return "the block was changed, or the writer was wrong: compare with a copy"
	case KindPayload:
		return "if the block digest is right, the writer digested something else (chunks, a decoded body); else compare with a copy"
	case KindURI:
		return "indexes hold another address or none; tell who wrote it"
	case KindDuplicate:
		return "references to the ID lead to either record"
	}
	return "most tools read it; tell who wrote it"
}
