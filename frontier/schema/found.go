package schema

// Found is what is known of the best page on which a URI was found.
type Found uint8

// What a page was. Values are stored; never renumber.
const (
	FoundUnknown Found = iota // a seed, or found on what was not judged
	FoundValid
	FoundNear    // not valid, with at least half of the points
	FoundUseless // not valid
	FoundUseless2
	// Those beyond are the third useless page in a row, and so on up to mostInARow.
)

// MostInARow is how many pages in a row are counted.
const MostInARow = 100

// Run is how many useless pages in a row it is the last of.
func (w Found) Run() int { return max(int(w)-int(FoundUseless)+1, 0) }

// Better reports whether a URI is found on a better page than before.
func (w Found) Better(than Found) bool {
	return w.Rank() < than.Rank() || w.Rank() == than.Rank() && w < than
}

// Rank orders them: lower is better.
func (w Found) Rank() int {
	return [...]int{FoundUnknown: 2, FoundValid: 0, FoundNear: 1, FoundUseless: 3, FoundUseless2: 4}[min(w, FoundUseless2)]
}

// String names it.
func (w Found) String() string {
	return [...]string{"unknown", "valid", "nearly valid", "useless", "second useless in a row"}[min(w, FoundUseless2)]
}
