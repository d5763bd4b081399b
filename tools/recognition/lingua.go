package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// linguaFolder is the module of its own that asks lingua (ADR 60), from the module's root.
const linguaFolder = "tools/recognition/lingua"

// askLingua tells the language of every page, and returns the time that a page of the set takes, in
// ns, and the languages that lingua does not know.
func askLingua(ctx context.Context, pages []*page, languages []string, say func(format string, args ...any)) (ns float64, unknown []string, err error) {
	var in, out, notes bytes.Buffer
	e := json.NewEncoder(&in)
	for _, p := range pages {
		if err := e.Encode(p.text); err != nil {
			return 0, nil, err
		}
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"-C", linguaFolder, "run", "."}, languages...)...)
	cmd.Stdin, cmd.Stdout = &in, &out
	told, err := cmd.StderrPipe()
	if err != nil {
		return 0, nil, err
	}
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	lines := bufio.NewScanner(told)
	for lines.Scan() {
		if l, ok := strings.CutPrefix(lines.Text(), "lingua knows no "); ok {
			unknown = append(unknown, l)
			continue
		}
		say("%s", lines.Text())
		notes.WriteString(lines.Text() + "\n")
	}
	if err := cmd.Wait(); err != nil {
		return 0, nil, fmt.Errorf("lingua: %w\n%s", err, notes.String())
	}
	d := json.NewDecoder(&out)
	total, n := int64(0), 0
	for _, p := range pages {
		var a struct {
			Language string `json:"language"`
			NS       int64  `json:"ns"`
		}
		if err := d.Decode(&a); err != nil {
			return 0, nil, fmt.Errorf("lingua: an answer for each page is wanted: %w", err)
		}
		p.lingua = a.Language
		if p.ascii == 0 && a.NS > 0 {
			total, n = total+a.NS, n+1
		}
	}
	if _, err := d.Token(); err != io.EOF {
		return 0, nil, fmt.Errorf("lingua: more answers than pages")
	}
	return float64(total) / float64(max(1, n)), unknown, nil
}

// linguaVersion is what the module requires.
func linguaVersion(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "-C", linguaFolder, "list", "-m", "-f", "{{.Version}}", "github.com/pemistahl/lingua-go").Output()
	return strings.TrimSpace(string(out)), err
}
