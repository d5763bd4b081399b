package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/testweb/demoweb"
	"exclave/internal/urlx"
)

// printHosts shows, host by host, what was judged, why, and what was archived.
func printHosts(ctx context.Context, out io.Writer, cfg *config.Config) error {
	hosts, err := job.Hosts(ctx, cfg)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "HOST\tJUDGED\tVALID\tPOINTS\tSTRONGEST EVIDENCE\tARCHIVED")
	for _, h := range hosts {
		best := "–"
		if h.Judged > 0 {
			best = fmt.Sprint(h.Points)
		}
		evidence := h.Evidence
		if evidence == "" {
			evidence = "–"
		}
		archived := "–"
		if h.Archived > 0 {
			archived = count(h.Pages, "page") + ", " + count(h.Archived-h.Pages, "other")
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\n", urlx.DisplayHost(h.Host), h.Judged, h.Valid, best, evidence, archived)
	}
	return w.Flush()
}

// checkDemo compares the harvest with what is known of the demonstration web.
func checkDemo(ctx context.Context, out io.Writer, cfg *config.Config) error {
	got, err := job.Outcomes(ctx, cfg)
	if err != nil {
		return withCode(exitFailure, err)
	}
	wrong := 0
	for _, e := range demoweb.Expected(1) { // the depth of profile cz
		o := got[e.URL]
		valid := o.Judged && o.Valid()
		if o.Archived == e.Archived && (e.Verdict == demoweb.Valid) == valid {
			continue
		}
		wrong++
		fmt.Fprintf(out, "unexpected: %s: archived %v, valid %v; should be archived %v, %v (%s)\n",
			e.URL, o.Archived, valid, e.Archived, e.Verdict, e.Why)
	}
	if wrong > 0 {
		return withCode(exitNegative, errors.New("demo: "+count(wrong, "page")+" came out differently"))
	}
	fmt.Fprintln(out, "\nEvery page came out as its author meant it to.")
	return nil
}
