package crawl

import "slices"

// attribute is one entry of the attribute list.
type attribute struct {
	key   string
	value any
}

// Attribute returns what a processor has left under a key of the URI's attribute list, nil when
// there is nothing. The list is how processors pass on what the fields of a CrawlURI have no
// place for: any of them may read and write it. Keys begin with the package they belong
// to: "extract.links". What the frontier, a log or a report decides on is a field, not an
// attribute: the list is given up before Finished.
func (u *CrawlURI) Attribute(key string) any {
	for _, a := range u.attributes {
		if a.key == key {
			return a.value
		}
	}
	return nil
}

// SetAttribute puts a value into the attribute list; nil takes the key out.
func (u *CrawlURI) SetAttribute(key string, value any) {
	i := slices.IndexFunc(u.attributes, func(a attribute) bool { return a.key == key })
	switch {
	case value == nil && i >= 0:
		u.attributes = slices.Delete(u.attributes, i, i+1)
	case value == nil:
	case i >= 0:
		u.attributes[i].value = value
	default:
		u.attributes = append(u.attributes, attribute{key, value})
	}
}

// Strip gives up what only processors need, so that no more than the outcome waits for the disk.
// The recording is its owner's to close.
func (u *CrawlURI) Strip() { u.Doc, u.Outlinks, u.attributes = nil, nil, nil }

// Copy returns a copy to which annotations and attributes may be added without changing u. The
// values of attributes are shared.
func (u *CrawlURI) Copy() *CrawlURI {
	c := *u
	c.Annotations, c.attributes = slices.Clone(u.Annotations), slices.Clone(u.attributes)
	return &c
}
