package langid

// Unpack reads the built-in model as the first does who asks for it.
func Unpack() (*Model, error) { return unpack() }
