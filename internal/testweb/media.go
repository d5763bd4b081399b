package testweb

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
)

// Image is a small PNG picture; pictures of different n differ.
func Image(n int) Page {
	return Page{Body: string(PNG(16, 16, uint64(n)))}.With("Content-Type", "image/png")
}

// PNG draws a picture of two colours, which seed decides.
func PNG(width, height int, seed uint64) []byte {
	h := mix(seed, 0x9e3779b97f4a7c15)
	a := color.RGBA{R: uint8(h), G: uint8(h >> 8), B: uint8(h >> 16), A: 255}
	b := color.RGBA{R: uint8(h >> 24), G: uint8(h >> 32), B: uint8(h >> 40), A: 255}
	m := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{a, b})
	for y := range height {
		for x := range width {
			// 64 squares: the picture itself is the seed.
			if mix(seed, uint64(8*y/height*8+8*x/width))&1 == 1 {
				m.SetColorIndex(x, y, 1)
			}
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		return nil // only for an empty picture
	}
	return out.Bytes()
}

// PDF is a document of one page with a link annotation for each URL.
func PDF(title string, links ...string) Page {
	var annots strings.Builder
	for i := range links {
		fmt.Fprintf(&annots, "%d 0 R ", 6+i)
	}
	content := "BT /F1 18 Tf 72 760 Td (" + pdfString(title) + ") Tj ET"
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R" +
			" /Resources << /Font << /F1 5 0 R >> >> /Annots [" + strings.TrimSpace(annots.String()) + "] >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	for i, l := range links {
		objects = append(objects, fmt.Sprintf("<< /Type /Annot /Subtype /Link /Rect [72 %d 300 %d] /Border [0 0 0]"+
			" /A << /S /URI /URI (%s) >> >>", 720-20*i, 736-20*i, pdfString(l)))
	}
	var b strings.Builder
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, off := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", off)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)
	return Page{Body: b.String()}.With("Content-Type", "application/pdf")
}

func pdfString(s string) string {
	return strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s)
}

// MP4 is what a video of so many bytes looks like to a program that sniffs: an
// ftyp box, then one of media data without meaning.
func MP4(size int) []byte {
	head := []byte("\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41")
	size = max(size, len(head)+8)
	rest := size - len(head)
	out := append(head, byte(rest>>24), byte(rest>>16), byte(rest>>8), byte(rest))
	out = append(out, "mdat"...)
	for i := uint64(0); len(out) < size; i++ {
		out = append(out, byte(mix(i, 1)))
	}
	return out
}

// mix is the finaliser of SplitMix64 over two numbers: the hash from which
// everything generated here follows.
func mix(a, b uint64) uint64 {
	z := a*0xbf58476d1ce4e5b9 + b + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
