package schema

// ScratchKey returns the key of a row that exists only while a state is made anew.
func ScratchKey(key []byte) []byte { return append(Scratch.Prefix(), key...) }
