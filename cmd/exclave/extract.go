package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"exclave/crawl"
	"exclave/internal/judge"
	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/internal/printable"
	"exclave/internal/reading"
	"exclave/internal/urlx"
	"exclave/warc"

	"github.com/spf13/cobra"
)

// extraction is what the flags of extract say, and what became of it.
type extraction struct {
	links              bool
	text, asJSON       bool
	base, typ, charset string // of files
	only               string // URL of records
	offset             int64  // of a record
	at                 bool   // offset was given
	met                bool   // a record stands there
	packed             bool
	contact            string
	reader             *reading.Reader
	something          bool // was printed
	titled             bool // there are several documents
}

func newExtract() *cobra.Command {
	x := &extraction{}
	cmd := &cobra.Command{
		Use:   "extract FILE|URL|WARC…",
		Short: "Show what a crawl reads in documents: links, text, charset",
		Long: `extract reads each file, the page behind each http(s) URL, or each response in a
WARC file as a crawl does, and prints its links, one a line: hop, kind, where it is,
URL. A URL is fetched once, with up to five redirects; robots.txt is not asked for.
Of WARC files, --url and --offset choose records. Links of a file are printed as
found, or with --base as they would be queued. At most 10 MB of a document are read.
What a file is read as, its content and its name tell, or --type. ZIP, tar, gzip and bzip2
files are opened with --packed, as by a job that says so; relative links in them lead
to other members, which have no address, and are left out.

Exit codes: 0 something was printed; 1 there was nothing; 2 an input cannot be read,
or an option is wrong.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := x.check(cmd); err != nil {
				return withCode(exitUsage, err)
			}
			if x.reader, err = reading.New(x.packed, nil); err != nil {
				return err
			}
			var errs []error
			x.titled = len(args) > 1
			doubts := &doubts{to: cmd.ErrOrStderr()}
			defer doubts.end()
			for _, arg := range args {
				errs = append(errs, x.input(cmd, arg, doubts))
			}
			switch err := errors.Join(errs...); {
			case err != nil:
				return withCode(exitUsage, err)
			case x.at && !x.met:
				return withCode(exitUsage, fmt.Errorf("--offset %d: no response record of a WARC file begins there", x.offset))
			case !x.something:
				return withCode(exitNegative, errSaid)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&x.links, "links", false, "the links, one a line: hop, kind, where it is, URL (the default)")
	cmd.Flags().BoolVar(&x.text, "text", false, "the text without markup")
	cmd.Flags().BoolVar(&x.asJSON, "json", false, "all that was read, one JSON object a document")
	cmd.Flags().StringVar(&x.base, "base", "", "URL of the file")
	cmd.Flags().StringVar(&x.typ, "type", "", "MIME type that a server would say of the file, such as text/css; without it, the one of its name")
	cmd.Flags().StringVar(&x.charset, "charset", "", "charset that a server would say of the file")
	cmd.Flags().BoolVar(&x.packed, "packed", false, "read what is in ZIP, tar, gzip and bzip2 files, as a job with [documents] packed; relative links inside are left out")
	cmd.Flags().StringVar(&x.only, "url", "", "of a WARC file, the responses of this URL only")
	cmd.Flags().Int64Var(&x.offset, "offset", 0, "of a WARC file, the record at this byte only")
	cmd.Flags().StringVar(&x.contact, "contact", "https://example.org/", "contact URL sent when a URL is fetched")
	return cmd
}

// check refuses values that cannot be.
func (x *extraction) check(cmd *cobra.Command) error {
	x.at = cmd.Flags().Changed("offset")
	if x.text && x.asJSON || x.links && (x.text || x.asJSON) {
		return errors.New("of --links, --text and --json only one can be given")
	}
	if cmd.Flags().Changed("base") {
		u, err := urlx.Parse(x.base)
		if err != nil {
			return fmt.Errorf("--base: %w", err)
		}
		x.base = u.WithoutUserinfo().WithoutFragment().String()
	}
	if err := x.typeCharset(); err != nil {
		return err
	}
	odd := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`;,"`, r) }
	if cmd.Flags().Changed("type") && (x.typ == "" || strings.ContainsFunc(x.typ, odd) || strings.Count(x.typ, "/") != 1) {
		return fmt.Errorf("--type %q: no format is known for it; types are text/html, text/css, text/javascript, application/json, application/xml, application/pdf and further MIME types", x.typ)
	}
	if cmd.Flags().Changed("charset") && (x.charset == "" || strings.ContainsFunc(x.charset, odd)) {
		return fmt.Errorf("--charset %q is none", x.charset)
	}
	if x.charset != "" && !markup.KnownCharset(x.charset) {
		return fmt.Errorf("charset %q is not known: labels are those of the WHATWG, such as windows-1250", x.charset)
	}
	return nil
}

// typeCharset takes the charset out of a type that is written as in a header field.
func (x *extraction) typeCharset() error {
	typ, rest, has := strings.Cut(x.typ, ";")
	if !has {
		return nil
	}
	name, value, _ := strings.Cut(strings.TrimSpace(rest), "=")
	value = strings.Trim(value, `"`)
	if !strings.EqualFold(name, "charset") || value == "" || x.charset != "" && !strings.EqualFold(x.charset, value) {
		return fmt.Errorf("--type %q: of its parameters only charset counts, and --charset may not say another", x.typ)
	}
	x.typ, x.charset = strings.TrimSpace(typ), value
	return nil
}

// contentType is the header field that a server would send with a file.
func (x *extraction) contentType(name string) string {
	typ := x.typ
	if typ == "" {
		typ = mime.ByName(filepath.Ext(name)) // of a file named as its address is, which has the extension last: list?page=2.html
		if typ == "" {
			typ = mime.ByName(filepath.Base(name))
		}
	}
	if x.charset == "" {
		return typ
	}
	return typ + "; charset=" + x.charset
}

// input reads what an argument names.
func (x *extraction) input(cmd *cobra.Command, arg string, doubts *doubts) error {
	file := true // itself the document
	take := func(u *crawl.CrawlURI) error {
		d, err := x.reader.Read(cmd.Context(), arg, u)
		if err != nil {
			return err
		}
		if n := d.Dropped; n > 0 && !x.text && !x.asJSON {
			fmt.Fprintf(cmd.ErrOrStderr(), "exclave: %s: %s left out: at most %d of a document are taken, and none that is too long\n", printable.Text(d.URL), count(n, "link"), reading.MaxLinks())
		}
		if file {
			x.asFile(cmd.ErrOrStderr(), arg, &d)
		}
		return x.print(cmd.OutOrStdout(), d)
	}
	if strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://") {
		file = false
		return judge.Fetch(cmd.Context(), arg, x.contact, programVersion, take)
	}
	if info, err := os.Stat(arg); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder; name the documents or WARC files in it", arg)
	}
	url := arg
	if x.base != "" {
		url = x.base
	}
	return judge.Answers(arg, url, x.contentType(arg), func(e *warc.Entry) bool {
		x.titled, file = true, false
		here := !x.at || e.Offset == x.offset
		x.met = x.met || here
		return here && (x.only == "" || e.TargetURI() == x.only)
	}, doubts.note, take)
}

// asFile takes from what was read of a file what only a server could have said, and tells why there is nothing to print.
func (x *extraction) asFile(stderr io.Writer, name string, d *reading.Document) {
	d.Status = 0
	if x.typ == "" {
		d.Declared = ""
	}
	var why string
	switch {
	case x.asJSON:
		return
	case d.MIME == "":
		why = "is empty"
	case markup.KindOf(d.MIME) == markup.Packed && !x.packed:
		why = fmt.Sprintf("is %s, which --packed opens", d.MIME)
	case d.Format == markup.None.String():
		why = fmt.Sprintf("no format is known for type %s; --type says another", d.MIME)
	case x.text && d.Text == "":
		why = fmt.Sprintf("no text, read as %s; --type says another", d.MIME)
	case !x.text && len(d.Links) == 0:
		why = fmt.Sprintf("no links, read as %s; --type says another", d.MIME)
	default:
		return
	}
	fmt.Fprintf(stderr, "exclave: %s: %s\n", printable.Text(name), why)
}

// print prints a document; of several, each has its URL above it.
func (x *extraction) print(w io.Writer, d reading.Document) error {
	if x.asJSON {
		x.something = true
		e := json.NewEncoder(forPrograms(w))
		e.SetEscapeHTML(false)
		return e.Encode(d)
	}
	var b strings.Builder
	if x.text && d.Text != "" {
		fmt.Fprintln(&b, d.Text)
	}
	if !x.text {
		for _, l := range d.Links {
			fmt.Fprintln(&b, l.Hop, l.Kind, l.Context, printable.Text(l.URL))
		}
	}
	x.something = x.something || b.Len() > 0
	if x.titled {
		fmt.Fprintf(w, "# %s  [%s]%s\n", printable.Text(d.URL), printable.Text(d.MIME), status(d))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// status is that of HTTP in a heading; a file has none.
func status(d reading.Document) string {
	if d.Status == 0 {
		return ""
	}
	return fmt.Sprintf("  %d", d.Status)
}
