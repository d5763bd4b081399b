package main

import (
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"

	"exclave/internal/job/question"
	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/internal/near"
	"exclave/internal/record"
	"exclave/internal/simhash"
	"exclave/warc"
	"exclave/warc/rewrite"

	"github.com/spf13/cobra"
)

func newWARCNear() *cobra.Command {
	var temp string
	distance := 3
	cmd := &cobra.Command{
		Use:   "near FILE…",
		Short: "Count the pages that say the same as an earlier one, or nearly",
		Long: fmt.Sprintf(`near computes the simhash of the text of each page (HTML or plain text, with a status of 2xx) and prints what the near-duplicates-report of a crawl
has (docs/formats/reports.md): how many pages have the text of an earlier one or nearly, of which hosts, and the largest groups. Files are read in their
order; of several visits to an address the last counts. Revisit records have no text. Texts of less than %d words are only compared as a whole.

Exit codes: 0 counted; 1 something is damaged, and what is whole is counted; 2 a file cannot be read; 3 a failure of our own; 130 interrupted.`, simhash.MinWords),
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			f := near.New(temp, distance)
			defer func() { err = errors.Join(err, f.Close()) }()
			damaged := eachRecord(cmd, "near", args, temp, func(r *rewrite.Record) error {
				p, ok, err := pageOf(r, temp)
				if err != nil || !ok {
					return err
				}
				return f.Add(p)
			})
			if damaged != nil && codeOf(damaged) != int(exitNegative) {
				return damaged
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), endings()...)
			defer stop()
			found, err := f.Find(ctx)
			if err != nil {
				return warcEnd(ctx, "near", err)
			}
			question.WriteNear(cmd.OutOrStdout(), found, distance)
			return damaged
		},
	}
	cmd.Flags().IntVar(&distance, "distance", distance, fmt.Sprintf("in how many bits simhashes of texts nearly the same differ at most, 1 to %d", near.MaxDistance))
	tempFlag(cmd, &temp)
	return cmd
}

// mostPage is how much of a page is read, as in a crawl.
const mostPage = 10e6

// pageOf reads the text of a record; ok is false when it is no page with text.
func pageOf(r *rewrite.Record, temp string) (p near.Page, ok bool, err error) {
	http := strings.HasPrefix(strings.ToLower(r.Fields.Get("Content-Type")), "application/http")
	if r.Type != warc.TypeResponse && r.Type != warc.TypeResource || strings.HasPrefix(r.URI, "dns:") || http && (r.Status < 200 || r.Status > 299) {
		return p, false, nil
	}
	body, declared := []byte(nil), r.Fields.Get("Content-Type")
	if http {
		rec, err := record.Load(r.Block(), temp, record.DefaultMemory)
		if err != nil {
			return p, false, err
		}
		defer func() { _ = rec.Close() }() // a file without a name
		declared = rec.Head().Get("Content-Type")
		body, _ = rec.Body(mostPage) // of a broken coding what could be decoded
	} else if body, err = io.ReadAll(io.LimitReader(r.Block(), mostPage)); err != nil {
		return p, false, err
	}
	info := mime.Detect(r.URI, declared, body[:min(len(body), mime.HeadSize)], 0)
	kind := markup.KindOf(info.Type)
	if !near.HasText(kind) {
		return p, false, nil
	}
	doc := markup.Parse(kind, body, markup.Options{DeclaredCharset: info.Charset, MaxLinks: 1})
	if !near.HasText(doc.Kind) { // JSON, in what is said to be a page
		return p, false, nil
	}
	p.URL, p.Host = r.URI, rewrite.HostOf(r)
	return p, p.Parse(simhash.Of(doc.Text).Strings()), nil
}
