package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ADRIndex returns docs/adr/README.md as it must be: a row for every record.
func ADRIndex(root string) (string, error) {
	files, err := filepath.Glob(filepath.Join(root, "docs", "adr", "[0-9]*.md"))
	if err != nil {
		return "", fmt.Errorf("lint: %w", err)
	}
	var b strings.Builder
	b.WriteString(`# Decision records

Why the program is as it is. A record is never rewritten after it was accepted: a
later one supersedes it. [The template](0000-template.md) shows the form. This list
is written by ` + "`go test ./internal/lint -rewrite`" + `.

| record | status |
| --- | --- |
`)
	for _, name := range files {
		base := filepath.Base(name)
		if strings.HasPrefix(base, "0000") {
			continue
		}
		title, status, err := adrHead(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| [%s %s](%s) | %s |\n", base[:4], title, base, status)
	}
	return b.String(), nil
}

// adrHead reads the title, without its number, and the first word of the status.
func adrHead(name string) (title, status string, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return "", "", fmt.Errorf("lint: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if t, ok := strings.CutPrefix(line, "# "); ok && title == "" {
			title = strings.TrimLeft(t, "0123456789. :–-")
		}
		if s, ok := strings.CutPrefix(line, "Status:"); ok && status == "" {
			status, _, _ = strings.Cut(strings.TrimSpace(s), " ")
			status = strings.TrimRight(status, ";,.")
		}
	}
	if title == "" || status == "" {
		return "", "", fmt.Errorf("lint: %s: no title (# …) or no Status: line", filepath.Base(name))
	}
	return title, status, nil
}
