package dict

// Unpack opens a built-in list as the first does who asks for it.
func Unpack(name string) (*List, error) { return unpack(name) }
