package schema

// Found is what the best page was on which a URI was found.
type Found uint8

// The values are stored; never renumber.
const (
	FoundUnknown Found = iota // a seed, or found on a page that was not judged
	FoundValid
	FoundNear    // not valid, with at least half of the points
	FoundUseless // not valid
	FoundUseless2
	// Higher values are the third useless page in a row, and so on up to MostInARow.
)

// MostInARow is how many pages in a row are counted.
const MostInARow = 100

// Run is how many useless pages in a row end with this one.
func (w Found) Run() int { return max(int(w)-int(FoundUseless)+1, 0) }

// Better reports whether a page is better than another.
func (w Found) Better(than Found) bool {
	return w.Rank() < than.Rank() || w.Rank() == than.Rank() && w < than
}

// Rank is its rank in the order of pages: lower is better.
func (w Found) Rank() int {
	return [...]int{FoundUnknown: 2, FoundValid: 0, FoundNear: 1, FoundUseless: 3, FoundUseless2: 4}[min(w, FoundUseless2)]
}

// String describes it.
func (w Found) String() string {
	return [...]string{"unknown", "valid", "nearly valid", "useless", "second useless in a row"}[min(w, FoundUseless2)]
}
