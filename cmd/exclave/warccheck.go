package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"exclave/internal/printable"
	"exclave/warc"
	"exclave/warc/rewrite"

	"github.com/spf13/cobra"
)

// checked is a line of check --json.
type checked struct {
	File   string    `json:"file"`
	Offset int64     `json:"offset"`
	Kind   warc.Kind `json:"kind"`
	Detail string    `json:"detail"`
	Rule   string    `json:"rule"`
	Remedy string    `json:"remedy"`
}

func newWARCCheck() *cobra.Command {
	var asJSON bool
	var temp string
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "Report every defect of WARC files",
		Long: `check reads each file to its end and prints every defect with its offset, the rule of the standard that it breaks and what to do, then a
summary. Members and frames are unpacked with their checksums, lengths, headers and addresses compared with WARC 1.0 and 1.1, digests computed again. gowarc
is asked about each record that nothing else is wrong with (kind standard). After damage it goes on with the next record that can be found. Nothing is changed.
Record IDs that occur twice, in a file or in two of them, are told when all files were read (kind duplicate-id); they are sorted on disk, 30 bytes for each record.
Where warcio and jwarc say otherwise, and why, is in docs/formats/checks.md.

Exit codes: 0 no defect; 1 defects, or a file without records; 2 a file cannot be read; 3 a failure of our own; 130 interrupted.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			ctx, stop := signal.NotifyContext(cmd.Context(), endings()...)
			defer stop()
			c := &checking{cmd: cmd, asJSON: asJSON, ids: warc.NewDuplicates(temp), ended: ctx.Err}
			defer func() { err = errors.Join(err, c.ids.Close()) }()
			n, err := c.all(args)
			switch {
			case err != nil && ctx.Err() != nil:
				return withCode(exitInterrupt, errors.New("warc check: interrupted; nothing was changed"))
			case err != nil:
				return warcEnd(ctx, "check", err)
			case n > 0:
				return withCode(exitNegative, errors.New("warc check: "+count(n, "defect")))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "an object for each defect; the summary goes to stderr")
	cmd.Flags().StringVar(&temp, "temp", "", "folder in which record IDs are sorted (default: the system's)")
	return cmd
}

// checking is a check under way.
type checking struct {
	cmd    *cobra.Command
	asJSON bool
	ids    *warc.Duplicates
	ended  func() error
	shown  progressReader // of all files
}

// inspection is what was found in a file, or in all.
type inspection struct {
	records  int
	unpacked int64 // bytes of blocks
	types    map[string]int
	kinds    map[warc.Kind]int
	defects  int // also a file without records
	took     time.Duration
}

func newInspection() *inspection {
	return &inspection{types: map[string]int{}, kinds: map[warc.Kind]int{}}
}

func (i *inspection) add(o *inspection) {
	i.records += o.records
	i.unpacked += o.unpacked
	i.defects += o.defects
	i.took += o.took
	for k, n := range o.types {
		i.seen(k, n)
	}
	for k, n := range o.kinds {
		i.kinds[k] += n
	}
}

// seen counts records of a type, of which a stranger may have made up any number.
func (i *inspection) seen(kind string, n int) {
	if len(i.types) < 100 || i.types[kind] > 0 {
		i.types[kind] += n
	}
}

// all checks files and returns how many defects there are.
func (c *checking) all(files []string) (int, error) {
	sum := newInspection()
	size, err := sizesOf(files...)
	if err != nil {
		return 0, err
	}
	c.shown = progressReader{began: time.Now(), of: len(files), all: size}
	for n, name := range files {
		of, err := c.file(n, name)
		if err != nil {
			return 0, err
		}
		if sum.add(of); len(files) > 1 {
			c.summary(name, of)
		}
	}
	err = c.ids.Each(func(first int, firstOffset int64, file int, offset int64) error {
		where := fmt.Sprintf("offset %d", firstOffset)
		if first != file {
			where += " of " + files[first]
		}
		return errors.Join(c.ended(), c.tell(files[file], sum, warc.Defect{Offset: offset, Kind: warc.KindDuplicate, Detail: "the record at " + where + " has the same record ID"}))
	})
	if err != nil {
		return 0, err
	}
	name := files[0]
	if len(files) > 1 {
		name = count(len(files), "file")
	}
	c.summary(name, sum)
	return sum.defects, nil
}

// tell prints a defect.
func (c *checking) tell(name string, of *inspection, d warc.Defect) error {
	of.defects++
	of.kinds[d.Kind]++
	if c.asJSON {
		enc := json.NewEncoder(c.cmd.OutOrStdout())
		enc.SetEscapeHTML(false)
		return enc.Encode(checked{name, d.Offset, d.Kind, d.Detail, d.Kind.Rule(), d.Kind.Remedy()})
	}
	_, err := fmt.Fprintf(c.cmd.OutOrStdout(), "%s: offset %d: %s: %s (%s); %s\n", name, d.Offset, d.Kind, printable.Text(d.Detail), d.Kind.Rule(), d.Kind.Remedy())
	return err
}

func (c *checking) file(number int, name string) (of *inspection, err error) {
	f, err := openWARC(c.cmd.Context(), c.cmd, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	of = newInspection()
	var unwritten error
	in, done := c.progress(f, number, name)
	began := time.Now()
	err = warc.VerifyReader(in, func(i *warc.RecordInfo) error {
		of.records++
		of.unpacked += i.Size
		of.seen(i.Type, 1)
		return errors.Join(c.ended(), unwritten, c.ids.Add(number, i))
	}, func(d warc.Defect) { unwritten = errors.Join(unwritten, c.tell(name, of, d)) })
	of.took = time.Since(began)
	done()
	if err = errors.Join(err, unwritten); err != nil {
		return nil, err
	}
	switch {
	case of.records == 0 && of.defects == 0:
		of.defects++
		fmt.Fprintf(c.cmd.ErrOrStderr(), "%s: no record; it is empty\n", name)
	case of.records == 0:
		fmt.Fprintf(c.cmd.ErrOrStderr(), "%s: no record is whole; if it never was a WARC or ARC file, nothing can be saved\n", name)
	}
	return of, nil
}

func (c *checking) summary(name string, of *inspection) {
	out := c.cmd.OutOrStdout()
	if c.asJSON {
		out = c.cmd.ErrOrStderr()
	}
	fmt.Fprintf(out, "%s: %s%s, %s in blocks, %s%s; %s\n", name, count(of.records, "record"), inBrackets(counts(of.types)), printable.Size(of.unpacked),
		count(of.defects, "defect"), inBrackets(counts(of.kinds)), rate(of.unpacked, of.took))
}

func rate(n int64, took time.Duration) string {
	return fmt.Sprintf("%.0f MB/s", float64(n)/1e6/max(took.Seconds(), 1e-6))
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// counts lists how often there is what, the most frequent first.
func counts[K ~string](m map[K]int) string {
	var parts []string
	for _, k := range slices.SortedFunc(maps.Keys(m), func(a, b K) int { return cmp.Or(m[b]-m[a], cmp.Compare(a, b)) }) {
		parts = append(parts, fmt.Sprintf("%s %d", cmp.Or(printable.Text(string(k)), "without type"), m[k]))
	}
	return strings.Join(parts, ", ")
}

// progress shows on a terminal how far files were read, and what remains.
func (c *checking) progress(f io.Reader, number int, name string) (io.Reader, func()) {
	term, ok := printable.File(c.cmd.ErrOrStderr())
	if !ok {
		return f, func() {}
	}
	if st, err := term.Stat(); err != nil || st.Mode()&os.ModeCharDevice == 0 {
		return f, func() {}
	}
	p := &c.shown
	p.r, p.out, p.name, p.number, p.at = f, term, printable.Text(name), number, 0
	done := func() {
		p.before += p.at
		p.clear()
	}
	s, ok := f.(io.Seeker)
	if !ok {
		return p, done
	}
	if p.all < 0 && p.of == 1 { // of a server
		if size, err := s.Seek(0, io.SeekEnd); err == nil {
			p.all = size
		}
		if _, err := s.Seek(0, io.SeekStart); err != nil {
			p.all = -1 // reading tells why
		}
	}
	return &progressSeeker{p, s}, done
}

// progressReader reads one file after the other.
type progressReader struct {
	r          io.Reader
	out        io.Writer // the terminal itself: a Writer of printable takes CR away
	name       string
	number, of int   // of the file; files
	all        int64 // bytes of all files; not positive: unknown
	before, at int64 // bytes of the files before; of this one
	began      time.Time
	told       time.Time
}

// Read implements io.Reader.
func (p *progressReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	p.at += int64(n)
	if now := time.Now(); now.Sub(p.told) > time.Second {
		p.told = now
		fmt.Fprintf(p.out, "\r%-79s", p.line(now))
	}
	return n, err
}

func (p *progressReader) line(now time.Time) string {
	line := fmt.Sprintf("%s: %s read", p.name, printable.Size(p.at))
	if p.of > 1 {
		line = fmt.Sprintf("%d of %d, ", p.number+1, p.of) + line
	}
	if done := p.before + p.at; p.all > 0 && done > 0 {
		left := time.Duration(float64(now.Sub(p.began)) * float64(p.all-done) / float64(done))
		line += fmt.Sprintf(", %d %%, %v left", 100*done/p.all, left.Round(time.Second))
	}
	return line
}

func (p *progressReader) clear() {
	if !p.told.IsZero() {
		fmt.Fprintf(p.out, "\r%-79s\r", "")
	}
}

type progressSeeker struct {
	*progressReader
	s io.Seeker
}

// Seek implements io.Seeker.
func (p *progressSeeker) Seek(offset int64, whence int) (int64, error) {
	at, err := p.s.Seek(offset, whence)
	if err == nil {
		p.at = at
	}
	return at, err
}

// tally counts records and bytes.
type tally struct {
	Records int64 `json:"records"`
	Bytes   int64 `json:"bytes"` // of blocks
}

// mostTallied bounds what a table of stats holds: what is new beyond that is counted as other.
const mostTallied = 200_000

type tallies map[string]*tally

func (t tallies) add(key string, bytes int64) {
	if key == "" {
		key = "-"
	}
	x := t[key]
	if x == nil {
		if len(t) >= mostTallied {
			key = "other"
		}
		if x = t[key]; x == nil {
			x = &tally{}
			t[key] = x
		}
	}
	x.Records++
	x.Bytes += bytes
}

func newWARCStats() *cobra.Command {
	var asJSON bool
	var temp string
	top := 20
	cmd := &cobra.Command{
		Use:   "stats FILE…",
		Short: "Count the records of WARC files by type, status, MIME type, host and year",
		Long: `stats counts records and the bytes of their blocks: all by type, and responses, resources and revisits by status, MIME type, host and year.
Damage is told on stderr and what is whole is counted.

Exit codes: 0 counted; 1 something is damaged; 2 a file cannot be read; 3 a failure of our own; 130 interrupted.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			names := []string{"type", "status", "mime", "host", "year"}
			tables := map[string]tallies{}
			for _, n := range names {
				tables[n] = tallies{}
			}
			err := eachRecord(cmd, "stats", args, temp, func(r *rewrite.Record) error {
				tables["type"].add(r.Type, r.Size)
				if r.Type != warc.TypeResponse && r.Type != warc.TypeResource && r.Type != warc.TypeRevisit {
					return nil
				}
				status, year := "", ""
				if r.Status != 0 {
					status = fmt.Sprint(r.Status)
				}
				if !r.Date.IsZero() {
					year = r.Date.UTC().Format("2006")
				}
				tables["status"].add(status, r.Size)
				tables["mime"].add(r.MIME, r.Size)
				tables["host"].add(rewrite.HostOf(r), r.Size)
				tables["year"].add(year, r.Size)
				return nil
			})
			if err != nil && codeOf(err) != int(exitNegative) {
				return err
			}
			if asJSON {
				return errors.Join(json.NewEncoder(cmd.OutOrStdout()).Encode(tables), err)
			}
			for _, n := range names {
				printTallies(cmd.OutOrStdout(), n, tables[n], top)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one object, with everything")
	cmd.Flags().IntVar(&top, "top", top, "lines of each table, 0 for all")
	tempFlag(cmd, &temp)
	return cmd
}

func printTallies(w io.Writer, name string, t tallies, top int) {
	keys := slices.SortedFunc(maps.Keys(t), func(a, b string) int {
		return cmp.Or(cmp.Compare(t[b].Records, t[a].Records), cmp.Compare(a, b))
	})
	fmt.Fprintf(w, "[#records] [#bytes] [%s]\n", name)
	for i, k := range keys {
		if top > 0 && i == top {
			fmt.Fprintf(w, "… %d more\n", len(keys)-top)
			break
		}
		fmt.Fprintln(w, t[k].Records, t[k].Bytes, printable.Text(k))
	}
	fmt.Fprintln(w)
}
