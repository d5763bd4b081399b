package analyzer

// Eight bytes of a text at a time.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// zeros has the high bit of each byte of v that is zero, and perhaps of one above it.
func zeros(v uint64) uint64 { return (v - ones) & ^v & highs }

// nextDigit returns where the first digit of text[i:] is; the end of the text when there is none.
func nextDigit(text string, i int) int {
	for ; i+8 <= len(text); i += 8 {
		v := eight(text[i : i+8])
		if zeros(v&(0xf0*ones)^'0'*ones) != 0 { // 0x30 to 0x3f
			for j := i; j < i+8; j++ {
				if digitAt(text, j) {
					return j
				}
			}
		}
	}
	for i < len(text) && !digitAt(text, i) {
		i++
	}
	return i
}

// nextNumber returns where the first byte of text[i:] is that a telephone number may begin with.
func nextNumber(text string, i int) int {
	for ; i+8 <= len(text); i += 8 {
		v := eight(text[i : i+8])
		if zeros(v&(0xf0*ones)^'0'*ones)|zeros(v^'+'*ones)|zeros(v^'('*ones)|zeros(v^0xef*ones) != 0 {
			for j := i; j < i+8; j++ {
				if beginsNumber(text[j]) {
					return j
				}
			}
		}
	}
	for i < len(text) && !beginsNumber(text[i]) {
		i++
	}
	return i
}

// beginsNumber: 0xef is the first byte of ＋.
func beginsNumber(b byte) bool { return '0' <= b && b <= '9' || b == '+' || b == '(' || b == 0xef }

// eight returns the first eight bytes of s.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
