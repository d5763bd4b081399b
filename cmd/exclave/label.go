package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"exclave/config"
	"exclave/internal/job/folder"
	"exclave/internal/job/view"
	"exclave/internal/labels"
	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/internal/printable"
	"exclave/internal/record"
	"exclave/internal/rescore"
	"exclave/internal/urlx"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func newLabel() *cobra.Command {
	var (
		profile, nation, out string
		pages                int
	)
	cmd := &cobra.Command{
		Use:   "label JOB",
		Short: "Ask a person about the pages whose verdict was a near thing",
		Long: `label shows the judged pages of a harvest that were nearest to the other verdict, one after another,
with what was found and, of archived pages of a job at rest, title and text, and asks whether
they belong to the nation: y (yes), n (no), s (skip), b (back to the page before), q (quit).
On a terminal a key is enough; from a pipe each answer is a line. Answers are appended to a file
that eval and calibrate read; pages in it are not shown again. Pages without text come last.

Exit codes: 0 done; 1 there is no page to ask about; 2 the configuration is wrong, the profile is
not of the job; 3 the log cannot be read, the file not written; 130 ended by a signal (on a terminal): answers are kept.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			cfg, err := loadJob(cmd, args[0])
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join(cfg.Dir, "labels.jsonl")
			}
			known := map[string]bool{}
			if err := labels.Read(out, func(p *labels.Page) error { known[p.URL] = true; return nil }); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return withCode(exitUsage, fmt.Errorf("label: %w", err))
			}
			near, err := rescore.Near(cmd.Context(), filepath.Join(cfg.Dir, folder.LogDir), profile, pages, func(url string) bool { return known[url] })
			if wrong := (*rescore.Error)(nil); errors.As(err, &wrong) {
				return withCode(exitUsage, fmt.Errorf("label: %w", err))
			}
			if err != nil {
				return withCode(exitFailure, fmt.Errorf("label: %w", err))
			}
			if len(near) == 0 {
				return withCode(exitNegative, fmt.Errorf("label %s: no judged page that is not in %s", args[0], out))
			}
			if nation == "" {
				nation = near[0].Verdict.Profile
			}
			f, err := os.OpenFile(out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
			if err != nil {
				return withCode(exitFailure, fmt.Errorf("label: %w", err))
			}
			a := &asking{out: cmd.OutOrStdout(), in: bufio.NewReader(cmd.InOrStdin()), file: f, nation: nation, near: near}
			ctx := cmd.Context()
			if tty, ok := cmd.InOrStdin().(*os.File); ok && term.IsTerminal(int(tty.Fd())) {
				a.keys = &keys{tty: tty}
				var stop func()
				ctx, stop = signal.NotifyContext(ctx, endings()...) // or it would be left raw
				defer stop()
			}
			if a.view, err = view.Open(cmd.Context(), folder.Of(cfg, jobOptions(cmd.ErrOrStderr()).Env()), view.Options{}); err != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "exclave: note: texts of pages are not shown: %v\n", err)
			} else {
				defer func() { err = errors.Join(err, a.view.Close()) }()
			}
			err = a.ask(ctx, cfg)
			ended := err != nil && ctx.Err() != nil
			if ended {
				err = nil
				fmt.Fprintln(a.out)
			}
			if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
				return withCode(exitFailure, fmt.Errorf("label: %s: %w", out, err))
			}
			if ended {
				return withCode(exitInterrupt, fmt.Errorf("label: interrupted; %s: %s", out, count(a.written, "answer")))
			}
			_, err = fmt.Fprintf(a.out, "%s: %s\n", out, count(a.written, "answer"))
			return err
		},
	}
	cmd.Flags().StringVar(&profile, "profile", "", "profile of the job whose verdicts are asked about; without it the only one")
	cmd.Flags().StringVar(&nation, "nation", "", "what the nation is called in labels; without it the name of the profile")
	cmd.Flags().StringVarP(&out, "out", "o", "", "file that answers are appended to; without it labels.jsonl in the job's folder")
	cmd.Flags().IntVar(&pages, "pages", 50, "most pages to ask about")
	return cmd
}

// asking is a conversation about pages.
type asking struct {
	out     io.Writer
	in      *bufio.Reader
	keys    *keys // in place of in; nil = it is no terminal
	file    io.Writer
	view    *view.View // nil = there is no text to show
	nation  string
	near    []rescore.Logged
	written int
}

// ask shows page after page. The end of the answers is a quit.
func (a *asking) ask(ctx context.Context, cfg *config.Config) error {
	for i := 0; i < len(a.near); {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.show(ctx, cfg, i); err != nil {
			return err
		}
		answer, err := a.answer(ctx)
		if err != nil {
			return err
		}
		switch answer {
		case 'y', 'n':
			if err := a.write(a.near[i], answer == 'y'); err != nil {
				return err
			}
			i++
		case 's':
			i++
		case 'b':
			i = max(0, i-1)
		case 'q':
			return nil
		}
	}
	return nil
}

const askFormat = "Does it belong to %s? [y]es [n]o [s]kip [b]ack [q]uit: "

// answer reads keys, or lines, until one is an answer.
func (a *asking) answer(ctx context.Context) (byte, error) {
	if a.keys != nil {
		return a.key(ctx)
	}
	for {
		fmt.Fprintf(a.out, askFormat, printable.Text(a.nation))
		line, err := a.in.ReadString('\n')
		line = strings.ToLower(strings.TrimSpace(line))
		for _, word := range answers() {
			if line != "" && strings.HasPrefix(word, line) {
				fmt.Fprintln(a.out)
				return word[0], nil
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			fmt.Fprintln(a.out)
			return 'q', nil
		case err != nil:
			return 0, err
		}
	}
}

func answers() []string { return []string{"yes", "no", "skip", "back", "quit"} }

// key reads keys until one is an answer. Ctrl-C and Ctrl-D quit: what was answered is kept.
func (a *asking) key(ctx context.Context) (byte, error) {
	fmt.Fprintf(a.out, askFormat, printable.Text(a.nation))
	for {
		k, err := a.keys.next(ctx)
		if errors.Is(err, io.EOF) || k == ctrlC || k == ctrlD {
			k, err = 'q', nil
		}
		if err != nil {
			return 0, err
		}
		for _, word := range answers() {
			if k|0x20 == word[0] {
				fmt.Fprintf(a.out, "%s\n\n", word)
				return word[0], nil
			}
		}
	}
}

// write appends a label. When a page is asked about again, the later line counts.
func (a *asking) write(l rescore.Logged, yes bool) error {
	p := labels.Page{URL: l.URL, Via: l.Via, Label: map[string]bool{a.nation: yes}, Words: l.Verdict.Words}
	p.Verdicts = append(p.Verdicts, l.Verdict)
	line, err := p.Line()
	if err == nil {
		_, err = a.file.Write(line)
		a.written++
	}
	return err
}

// shownText is how much of a page's text is shown, in bytes.
const shownText = 600

func (a *asking) show(ctx context.Context, cfg *config.Config, i int) error {
	l := a.near[i]
	fmt.Fprintf(a.out, "%d of %d  %s\n", i+1, len(a.near), printable.Text(l.URL))
	if d := a.document(ctx, cfg, l.URL); d != nil {
		if d.Title != "" {
			fmt.Fprintf(a.out, "  %s\n", printable.Text(d.Title))
		}
		text := strings.Join(strings.Fields(d.Text), " ")
		if len(text) > shownText {
			n := shownText
			for !utf8.RuneStart(text[n]) {
				n--
			}
			text = text[:n] + "…"
		}
		fmt.Fprintf(a.out, "  %s\n", printable.Text(text))
	}
	return l.Verdict.Explain(a.out)
}

// maxDocument bounds what is read of a page, in bytes.
const maxDocument = 1 << 20

// document returns the archived page; nil when there is none, or none that can be read: then the evidence
// has to do.
func (a *asking) document(ctx context.Context, cfg *config.Config, url string) *markup.Doc {
	u, err := urlx.Parse(url)
	if err != nil || a.view == nil || ctx.Err() != nil {
		return nil
	}
	r, err := a.view.State.Lookup(cfg.URL.Key(u.WithoutUserinfo().WithoutFragment()))
	if err != nil || r == nil || !r.Outcome.Archived {
		return nil
	}
	e, c, err := a.view.Records().Open(ctx, r.Response)
	if err != nil {
		return nil
	}
	defer c.Close()
	const most = record.MaxHead + maxDocument
	rec, err := record.Load(io.LimitReader(e.Block, most), os.TempDir(), most)
	if err != nil {
		return nil
	}
	defer func() { _ = rec.Close() }() // only read
	body, _ := rec.Body(maxDocument)   // what could be decoded
	t := mime.Detect(url, rec.Head().Get("Content-Type"), body[:min(len(body), mime.HeadSize)], 0)
	return markup.Parse(markup.KindOf(t.Type), body, markup.Options{DeclaredCharset: t.Charset})
}
