package crawllog

// Line returns the number of the line that Next returned last, from 1.
func (r *Reader) Line() int64 { return r.line }
