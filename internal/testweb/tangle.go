package testweb

import (
	"math/rand/v2"
	"strings"
)

// Tangle is a small random web in which the same file is reached in many ways: frames within
// frames that are pages elsewhere; style sheets and scripts under types that say nothing, which
// one page links to and another loads; redirects between all of them; robots.txt as a page. Its
// hosts are a.com, b.com, and c.cz, which stands for an excluded domain.
type Tangle struct {
	Tiny
	Seeds []string // some of its pages
}

// tangled is a file of a [Tangle].
type tangled struct{ url, kind string }

// NewTangle makes the web of a seed, of 8 … 22 files.
func NewTangle(seed uint64) Tangle {
	r := rand.New(rand.NewPCG(seed, 16))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	var files []tangled
	for i := range 8 + r.IntN(15) {
		kind := pick("page", "page", "page", "page", "css", "css", "js", "image", "image", "redirect", "redirect", "text")
		if i < 3 {
			kind = "page"
		}
		name := pick("http://a.com/", "http://a.com/", "http://b.com/", "http://c.cz/") + itoa(i)
		switch kind {
		case "css", "js":
			name += pick("", "", "", "."+kind, ".txt")
		case "image":
			name += ".png"
		}
		files = append(files, tangled{name, kind})
	}
	t := Tangle{Tiny: Tiny{}}
	for i, f := range files {
		// Most references lead on, so that chains are long.
		ref := func() tangled {
			if j := i + 1 + r.IntN(4); j < len(files) && r.IntN(3) > 0 {
				return files[j]
			}
			return files[r.IntN(len(files))]
		}
		t.Tiny[f.url] = tangle(r, f, i, pick, ref)
		if f.kind == "page" && (i < 2 || len(t.Seeds) < 4 && r.IntN(3) == 0) {
			t.Seeds = append(t.Seeds, f.url)
		}
	}
	return t
}

func tangle(r *rand.Rand, f tangled, i int, pick func(...string) string, ref func() tangled) Page {
	vague := func(own string) string {
		return pick(own, "text/plain", "text/plain", "application/octet-stream", "text/html")
	}
	var refs strings.Builder
	switch f.kind {
	case "css":
		for range r.IntN(4) {
			if to := ref(); r.IntN(2) == 0 {
				refs.WriteString(`@import "` + to.url + "\";\n")
			} else {
				refs.WriteString(`b{background:url("` + to.url + "\")}\n")
			}
		}
		return Text(refs.String()+"i{margin:"+itoa(i)+"px}\n").With("Content-Type", vague("text/css"))
	case "js":
		for range r.IntN(4) {
			if to := ref(); r.IntN(2) == 0 {
				refs.WriteString(`import "` + to.url + "\";\n")
			} else {
				refs.WriteString(`var a = "` + to.url + "\";\n")
			}
		}
		return Text(refs.String()+"var n = "+itoa(i)+";\n").With("Content-Type", vague("text/javascript"))
	case "image":
		return Image(i)
	case "redirect":
		return Redirect(302, ref().url)
	case "text":
		return Text(nationalText(uint64(i), 8))
	}
	var links []string
	for range 1 + r.IntN(5) {
		to := ref()
		switch n := r.IntN(8); {
		case n < 2 && to.kind == "css", n == 2:
			links = append(links, Stylesheet(to.url))
		case n < 2 && to.kind == "js", n == 3:
			links = append(links, Script(to.url))
		case n < 2 && to.kind == "image":
			links = append(links, Img(to.url))
		case n == 4, n == 5:
			links = append(links, IFrame(to.url))
		default:
			links = append(links, to.url)
		}
	}
	if r.IntN(4) == 0 {
		host, _, _ := strings.Cut(strings.TrimPrefix(ref().url, "http://"), "/")
		links = append(links, "http://"+host+"/robots.txt", "dns:"+host)
	}
	if r.IntN(3) == 0 {
		return NationalPage(i, links...)
	}
	return ForeignPage(i, links...)
}
