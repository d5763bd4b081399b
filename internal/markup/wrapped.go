package markup

import (
	"bytes"
	"strings"
)

// wrapped goes on with an address that ends with a line of a PDF file, whose lines are those of the paper. Behind "-" it goes on for
// certain: where the next line cannot be the rest, there is no address. With "/" it may be whole: it is taken, and with the next line too where
// that is like a path. So it may with ".", where the line may begin a sentence as well.
func (b *builder) wrapped(text []byte, ref string, end int) (string, int) {
	for range 4 { // lines
		if end >= len(text) || text[end] != '\n' || len(ref) > maxURL {
			break
		}
		next := text[end+1:]
		n := addressLen(next)
		more := string(bytes.TrimRight(next[:n], ".,;:!?)]'"))
		goesOn := more != "" && isWordByte(more[0]) && !strings.Contains(more, "://") && !strings.ContainsFunc(more, func(r rune) bool { return r > '~' })
		switch {
		case strings.HasSuffix(ref, "-"):
			if !goesOn {
				return "", end
			}
		case strings.HasSuffix(ref, "."):
			_, server, _ := strings.Cut(strings.TrimRight(ref, "."), "://")
			whole := plausibleHost(server)
			if !goesOn || !behindDot(ref, more, whole) {
				return ref, end
			}
			if whole {
				b.guessed(ref)
			}
		case !strings.HasSuffix(ref, "/") || strings.HasSuffix(ref, "://"):
			return ref, end
		case !goesOn || !strings.ContainsAny(more, "/._-=?&"):
			return ref, end
		default:
			b.guessed(ref)
		}
		ref, end = ref+string(next[:n]), end+1+n
	}
	return ref, end
}

// behindDot reports a line that goes on with an address: the rest of the name of a server, which is not whole, or of a file, or of a path. A sentence
// begins with a capital.
func behindDot(ref, more string, whole bool) bool {
	if more[0] < 'a' && (more[0] < '0' || more[0] > '9') || strings.HasPrefix(more, "www.") || strings.Contains(more, "@") {
		return false
	}
	path, _, _ := strings.Cut(ref+more, "?")
	return !whole || strings.Contains(more, "/") || hasKnownExtension(path)
}
