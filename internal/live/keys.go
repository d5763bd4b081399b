package live

// key is a key that means something: a character, or one of those below.
type key rune

// Keys that are no characters.
const (
	keyUp key = -(iota + 1)
	keyDown
	keyPageUp
	keyPageDown
	keyHome
	keyEnd
	keyOther // a sequence without a meaning here
)

// Characters of the terminal's raw mode.
const (
	ctrlC         key = 0x03
	ctrlL         key = 0x0c
	ctrlZ         key = 0x1a
	ctrlBackslash key = 0x1c
	escape            = 0x1b
)

// parseKeys reads what a terminal sent: characters, and the sequences of keys as
// ECMA-48 frames them (ESC [ parameters final, ESC O final).
func parseKeys(b []byte) []key {
	var keys []key
	for len(b) > 0 {
		if b[0] != escape {
			keys = append(keys, key(b[0]))
			b = b[1:]
			continue
		}
		end := 1
		if end < len(b) && (b[1] == '[' || b[1] == 'O') {
			for end = 2; end < len(b) && (b[end] < 0x40 || b[end] > 0x7e); end++ {
			}
			end = min(end+1, len(b))
		}
		keys = append(keys, named(string(b[1:end])))
		b = b[end:]
	}
	return keys
}

func named(sequence string) key {
	switch sequence {
	case "[A", "OA":
		return keyUp
	case "[B", "OB":
		return keyDown
	case "[5~":
		return keyPageUp
	case "[6~":
		return keyPageDown
	case "[H", "OH", "[1~", "[7~":
		return keyHome
	case "[F", "OF", "[4~", "[8~":
		return keyEnd
	}
	return keyOther
}
