package frontier

import (
	"cmp"

	"exclave/crawl"
)

func byID(a, b crawl.ID) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.URI, b.URI)) }
