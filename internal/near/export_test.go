package near

// SetBucket makes buckets smaller.
func (f *Finder) SetBucket(n int) { f.bucket = n }
