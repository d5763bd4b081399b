package crawl

import (
	"strings"

	"exclave/internal/urlx"
)

// StatusFTPFile is what an FTP server says of a file, or of a list of names, that came whole (RFC 959 §4.2.1: 226).
const StatusFTPFile Status = 226

// StatusFTPDirectory is what an FTP server says of a directory that was asked for without a slash at the end of its address.
const StatusFTPDirectory Status = 250

// IsFTPDirectory reports whether a status is about such a directory: the answer is a redirect to the address with the slash.
func IsFTPDirectory(at *urlx.URL, s Status) bool {
	return at != nil && at.Scheme() == "ftp" && s == StatusFTPDirectory
}

// IsFTPListing reports whether what is at an address of an FTP server is a list of names.
func IsFTPListing(at *urlx.URL) bool {
	return at != nil && at.Scheme() == "ftp" && strings.HasSuffix(at.Path(), "/")
}
