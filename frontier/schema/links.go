package schema

import (
	"encoding/binary"

	"exclave/crawl"
)

// Link is an outlink that is stored.
type Link struct {
	ID   crawl.ID
	Kind crawl.LinkKind
}

// LinksKey returns the key of the outlinks of a page.
func LinksKey(page crawl.ID) []byte { return idKey(Links, page) }

// ownHost marks the kind of a stored link whose host is that of the page.
const ownHost = 0x80

// OwnLinkLen is the length in bytes of a link to the page's own host, the shortest one.
const OwnLinkLen = 9

// NoLinks is the value that AppendLink begins with; it is not stored without links.
func NoLinks() []byte { return []byte{valueVersion} }

// NoLinksLen is the length of NoLinks.
const NoLinksLen = 1

// AppendLink adds a link of a page on the host.
func AppendLink(b []byte, host uint64, l Link) []byte {
	if l.ID.Host == host {
		return binary.BigEndian.AppendUint64(append(b, byte(l.Kind)|ownHost), l.ID.URI)
	}
	return AppendID(append(b, byte(l.Kind)), l.ID)
}

// DecodeLinks reads the outlinks of a page on the host.
func DecodeLinks(host uint64, v []byte) (out []Link, err error) {
	d := newDec(v)
	for len(d.b) > 0 {
		kind := d.take(1)[0]
		l := Link{crawl.ID{Host: host}, crawl.LinkKind(kind &^ ownHost)}
		if kind&ownHost == 0 {
			l.ID = d.id()
		} else if b := d.take(8); b != nil {
			l.ID.URI = binary.BigEndian.Uint64(b)
		}
		out = append(out, l)
	}
	return out, d.end()
}

// RedirectKey returns the key of the row of a redirect from source to target.
func RedirectKey(target, source crawl.ID) []byte { return AppendID(RedirectPrefix(target), source) }

// RedirectPrefix is what the keys of redirects to target begin with.
func RedirectPrefix(target crawl.ID) []byte { return idKey(Redirects, target) }

// RedirectSource returns the source of a redirect by its key.
func RedirectSource(k []byte) crawl.ID { return ReadID(k[1+IDLen:]) }

func checkLinks(k, v []byte) error {
	if err := keyLen(k, 1+IDLen); err != nil {
		return err
	}
	_, err := DecodeLinks(0, v)
	return err
}

func checkRedirect(k, v []byte) error {
	if err := keyLen(k, 1+2*IDLen); err != nil {
		return err
	}
	return newDec(v).end()
}
