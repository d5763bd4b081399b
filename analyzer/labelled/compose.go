package labelled

import (
	"fmt"
	"html"
	"strings"
)

// sheet is a page before it is HTML.
type sheet struct {
	lang      string // of the root element; "" = none
	metaLang  string // of a meta element content-language; "" = none
	charset   string // that a meta element declares; "" = none
	title     string
	menu      []string
	main      []block
	second    []block // beside or after main
	comments  []string
	heading   string // of the comments
	footer    string // HTML
	head      string // HTML
	rights    string
	generator string
}

// generators are what makes the pages.
func generators() []string { return []string{"wordpress", "tables", "joomla", "app", "plain", "xhtml"} }

// blocks returns a passage as one paragraph.
func blocks(text string) []block { return []block{{lines: []string{text}}} }

// html returns the page.
func (s *sheet) html() string {
	var b strings.Builder
	root := ""
	if s.lang != "" {
		root = fmt.Sprintf(` lang="%s"`, s.lang)
	}
	switch s.generator {
	case "tables":
		b.WriteString("<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<HTML" + root + ">\n<HEAD>\n")
	case "xhtml", "joomla":
		if s.lang != "" {
			root += fmt.Sprintf(` xml:lang="%s"`, s.lang)
		}
		b.WriteString("<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">\n<html xmlns=\"http://www.w3.org/1999/xhtml\"" + root + ">\n<head>\n")
	default:
		b.WriteString("<!DOCTYPE html>\n<html" + root + ">\n<head>\n")
	}
	if s.charset != "" {
		fmt.Fprintf(&b, "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=%s\">\n", s.charset)
	}
	if s.metaLang != "" {
		fmt.Fprintf(&b, "<meta http-equiv=\"content-language\" content=\"%s\">\n", s.metaLang)
	}
	fmt.Fprintf(&b, "<title>%s</title>\n%s", html.EscapeString(s.title), s.head)
	s.body(&b)
	return b.String()
}

func (s *sheet) body(b *strings.Builder) {
	title := html.EscapeString(s.title)
	switch s.generator {
	case "wordpress":
		b.WriteString("<meta name=\"generator\" content=\"WordPress 6.4\">\n<link rel=\"stylesheet\" href=\"/wp-content/themes/twentytwenty/style.css\">\n<script>window._wpemojiSettings={\"source\":{\"concatemoji\":\"/wp-includes/js/wp-emoji-release.min.js\"}};</script>\n</head>\n<body class=\"home page\">\n<header>\n")
		s.nav(b, "<nav id=\"site-navigation\"><ul class=\"menu\">\n", "<li class=\"menu-item\">", "</li>\n", "</ul></nav>\n")
		fmt.Fprintf(b, "</header>\n<main>\n<article>\n<h1 class=\"entry-title\">%s</h1>\n<div class=\"entry-content\">\n", title)
		s.content(b)
		b.WriteString("</article>\n</main>\n<footer class=\"site-footer\">\n")
		s.end(b)
		b.WriteString("</footer>\n</body>\n</html>\n")
	case "tables":
		b.WriteString("<META NAME=\"GENERATOR\" CONTENT=\"Microsoft FrontPage 4.0\">\n</HEAD>\n<BODY BGCOLOR=\"#FFFFCC\" TEXT=\"#000066\">\n<TABLE WIDTH=\"760\" BORDER=\"0\" CELLPADDING=\"4\"><TR><TD WIDTH=\"150\" VALIGN=\"top\"><FONT SIZE=\"2\">\n")
		s.nav(b, "", "", "<BR>\n", "")
		fmt.Fprintf(b, "</FONT></TD><TD VALIGN=\"top\"><CENTER><FONT SIZE=\"5\"><B>%s</B></FONT></CENTER>\n", title)
		s.content(b)
		b.WriteString("</TD></TR><TR><TD COLSPAN=\"2\" ALIGN=\"center\">\n")
		s.end(b)
		b.WriteString("</TD></TR></TABLE>\n</BODY>\n</HTML>\n")
	case "joomla":
		b.WriteString("<meta name=\"generator\" content=\"Joomla! - Open Source Content Management\" />\n<script src=\"/media/system/js/mootools-core.js\" type=\"text/javascript\"></script>\n</head>\n<body>\n<div id=\"wrapper\">\n")
		s.nav(b, "<div id=\"left\"><ul class=\"nav menu\">\n", "<li class=\"item\"><span>", "</span></li>\n", "</ul></div>\n")
		fmt.Fprintf(b, "<div class=\"item-page\">\n<h2>%s</h2>\n", title)
		s.content(b)
		b.WriteString("</div>\n<div id=\"footer\">\n")
		s.end(b)
		b.WriteString("</div>\n</div>\n</body>\n</html>\n")
	case "app":
		b.WriteString("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<script type=\"module\" crossorigin src=\"/assets/index-4f2a.js\"></script>\n</head>\n<body>\n<div id=\"root\"><div class=\"sc-bdVaJa\">\n")
		s.nav(b, "<div class=\"tabs\">\n", "<button>", "</button>\n", "</div>\n")
		fmt.Fprintf(b, "<div role=\"heading\">%s</div>\n", title)
		s.content(b)
		s.end(b)
		b.WriteString("</div></div>\n<script>window.__STATE__={\"route\":\"/\",\"user\":null,\"locale\":\"en-US\",\"messages\":{\"loading\":\"Loading, please wait\"}}</script>\n</body>\n</html>\n")
	default:
		b.WriteString("</head>\n<body>\n")
		s.nav(b, "<p>", "", " | \n", "</p>\n")
		fmt.Fprintf(b, "<h1>%s</h1>\n", title)
		s.content(b)
		s.end(b)
		b.WriteString("</body>\n</html>\n")
	}
}

// nav writes the menu; its links lead to pages of the same host.
func (s *sheet) nav(b *strings.Builder, open, before, after, end string) {
	if len(s.menu) == 0 {
		return
	}
	b.WriteString(open)
	for i, item := range s.menu {
		fmt.Fprintf(b, "%s<a href=\"/p%d\">%s</a>%s", before, i+1, html.EscapeString(item), after)
	}
	b.WriteString(end)
}

func (s *sheet) content(b *strings.Builder) {
	for _, x := range s.main {
		x.html(b, s.generator)
	}
	if len(s.second) > 0 {
		b.WriteString("<hr>\n<div class=\"second\">\n")
		for _, x := range s.second {
			x.html(b, s.generator)
		}
		b.WriteString("</div>\n")
	}
	if len(s.comments) > 0 {
		fmt.Fprintf(b, "<h3>%s (%d)</h3>\n<ol>\n", html.EscapeString(s.heading), len(s.comments))
		for _, c := range s.comments {
			fmt.Fprintf(b, "<li><p>%s</p></li>\n", html.EscapeString(c))
		}
		b.WriteString("</ol>\n")
	}
	if s.generator == "wordpress" {
		b.WriteString("</div>\n") // of entry-content
	}
}

func (s *sheet) end(b *strings.Builder) {
	b.WriteString(s.footer)
	if s.rights != "" {
		fmt.Fprintf(b, "<p>© 2019 %s</p>\n", html.EscapeString(s.rights))
	}
}

// html writes one block as the generator would.
func (x block) html(b *strings.Builder, generator string) {
	switch {
	case x.table:
		b.WriteString("<table>\n")
		for _, line := range x.lines {
			b.WriteString("<tr>")
			for cell := range strings.SplitSeq(line, "\t") {
				fmt.Fprintf(b, "<td>%s</td>", html.EscapeString(cell))
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</table>\n")
	case x.list && generator == "tables":
		for _, line := range x.lines {
			fmt.Fprintf(b, "<LI>%s\n", html.EscapeString(line))
		}
	case x.list:
		b.WriteString("<ul>\n")
		for _, line := range x.lines {
			fmt.Fprintf(b, "<li>%s</li>\n", html.EscapeString(line))
		}
		b.WriteString("</ul>\n")
	default:
		lines := make([]string, len(x.lines))
		for i, line := range x.lines {
			lines[i] = html.EscapeString(line)
		}
		fmt.Fprintf(b, "<p>%s</p>\n", strings.Join(lines, "<br>\n"))
	}
}

// plainText returns the page as a text file.
func (s *sheet) plainText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", strings.ToUpper(s.title))
	for _, x := range s.main {
		for _, line := range x.lines {
			mark := ""
			if x.list {
				mark = "* "
			}
			fmt.Fprintf(&b, "%s%s\n", mark, line)
		}
		b.WriteString("\n")
	}
	return b.String()
}
