package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"exclave/crawl"
	"exclave/internal/crawllog"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/logparts"
	"exclave/internal/testweb/benchweb"
)

// benchOrders are compared by exclave bench order; the first is what the others are
// measured by.
var benchOrders = []struct{ Name, Policies, Queues string }{
	{"breadth-first", `"hops"`, "best"},
	{"default", `"kind"`, "fair"},
	{"relevance", `"relevance"`, "best"},
	{"relevance, hops", `"relevance", "hops"`, "best"},
}

// orderShares are the parts of all requests, in percent, after which pages are counted.
var orderShares = []int{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}

// orderReport is the JSON of exclave bench order. Keys are stable.
type orderReport struct {
	Params     benchweb.Params `json:"params"`
	ToeThreads int             `json:"toe_threads"`
	National   int             `json:"national_pages"` // that can be reached
	Shares     []int           `json:"percent_of_requests"`
	Orders     []orderCurve    `json:"orders"`
}

// orderCurve is how a crawl went in one order.
type orderCurve struct {
	Name     string `json:"name"`
	Requests int    `json:"requests"`
	Found    []int  `json:"national_pages"` // by the shares of the report
}

func newBenchOrder() *cobra.Command {
	o := benchOptions{web: benchweb.DefaultParams(), toeThreads: 4, national: true}
	o.web.Resources, o.web.National, o.web.Locality = 10_000, 0.1, 0.8
	cmd := &cobra.Command{
		Use:   "order",
		Short: "Measure how soon each order of a crawl finds the national pages",
		Long: `order crawls the synthetic web once in each of several orders (policies of section
[order]) and counts how many national pages were found after each tenth of the
requests. docs/howto/bench.md explains the figures.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			o.fewHosts(cmd)
			if err := o.web.Validate().Err("benchweb"); err != nil {
				return withCode(exitUsage, err)
			}
			if o.web.Traps {
				return withCode(exitUsage, errors.New("bench order: --traps is for bench --default-job: an order is compared over the whole web"))
			}
			if o.dir, err = os.MkdirTemp("", "exclave-bench-"); err != nil {
				return withCode(exitFailure, err)
			}
			defer func() { err = errors.Join(err, os.RemoveAll(o.dir)) }()
			r, err := benchOrder(cmd, o)
			if err == nil {
				err = r.write(cmd.OutOrStdout(), o.json)
			}
			if err != nil {
				return withCode(exitFailure, fmt.Errorf("bench order: %w", err))
			}
			return nil
		},
	}
	o.webFlags(cmd)
	cmd.Flags().IntVar(&o.toeThreads, "toe-threads", o.toeThreads, "URLs processed at the same time, 1 … 10,000")
	cmd.Flags().StringVar(&o.json, "json", "", "write the figures to this file as JSON; - is stdout, instead of the table")
	return cmd
}

func benchOrder(cmd *cobra.Command, o benchOptions) (*orderReport, error) {
	web, err := benchweb.New(o.web)
	if err != nil {
		return nil, err
	}
	r := &orderReport{Params: o.web, ToeThreads: o.toeThreads, Shares: orderShares}
	national := map[string]bool{}
	for id := range o.web.Resources {
		if t := web.Resource(id); t.National && t.Reachable {
			national[t.URL] = true
		}
	}
	r.National = len(national)
	top := o.dir
	for i, order := range benchOrders {
		o.dir = filepath.Join(top, fmt.Sprint(i))
		o.order = fmt.Sprintf("\n[order]\nfollow_useless = true\npolicies = [%s]\nqueues = %q\n", order.Policies, order.Queues)
		fmt.Fprintf(cmd.ErrOrStderr(), "bench: %d resources on %d hosts, crawling: %s\n", o.web.Resources, o.web.Hosts, order.Name)
		found, err := crawlInOrder(cmd, o, national)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", order.Name, err)
		}
		c := orderCurve{Name: order.Name, Requests: len(found)}
		for _, share := range orderShares {
			c.Found = append(c.Found, found[len(found)*share/100-1])
		}
		r.Orders = append(r.Orders, c)
	}
	return r, nil
}

// crawlInOrder crawls the web and returns how many national pages were found after
// each request, in the order of crawl.log.
func crawlInOrder(cmd *cobra.Command, o benchOptions, national map[string]bool) (found []int, err error) {
	dir := benchFile(o, "job")
	if err := os.MkdirAll(dir, fsx.FolderMode); err != nil {
		return nil, err
	}
	w, err := startWeb(cmd, o, benchFile(o, "counts"))
	if err != nil {
		return nil, err
	}
	err = writeBenchJob(dir, o, w)
	if err == nil {
		c, e := child(cmd, "crawl", "--quiet", dir)
		if err = e; err == nil {
			_, _, err = timed(c)
		}
	}
	_, _, e := w.end()
	if err := errors.Join(err, e); err != nil {
		return nil, err
	}
	in, err := logparts.Open(fsx.Real(), filepath.Join(dir, folder.LogDir), crawl.LogCrawl.Name())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	lines, err := crawllog.NewReader(in)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for {
		e, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if e.Status <= 0 || crawl.IsDNS(e.URL) {
			continue
		}
		if national[e.URL] {
			seen[e.URL] = true
		}
		found = append(found, len(seen))
	}
	if len(found) < len(orderShares) {
		return nil, fmt.Errorf("only %d requests; a larger web is needed", len(found))
	}
	return found, nil
}

func (r *orderReport) write(stdout io.Writer, file string) error {
	if file != "" {
		text, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		text = append(text, '\n')
		if file == "-" {
			_, err = stdout.Write(text)
			return err
		}
		if err := os.WriteFile(filepath.Clean(file), text, 0o600); err != nil {
			return err
		}
	}
	t := tabwriter.NewWriter(stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "requests\t")
	for _, c := range r.Orders {
		fmt.Fprintf(t, "%s\t÷ %s\t", c.Name, r.Orders[0].Name)
	}
	fmt.Fprintln(t)
	for i, share := range r.Shares {
		fmt.Fprintf(t, "%d %%\t", share)
		for _, c := range r.Orders {
			fmt.Fprintf(t, "%d\t%.2f\t", c.Found[i], ratio(c.Found[i], r.Orders[0].Found[i]))
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "%d national pages can be reached; %d requests\n", r.National, r.Orders[0].Requests)
	return err
}
