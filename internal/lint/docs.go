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

Why the program is as it is. A record is not rewritten after it was accepted: a later one
supersedes it, and its status says so. [The template](0000-template.md) shows the form. This list
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

// adrHead reads the title, without its number, and the whole paragraph of the status: what is
// superseded, and by what, is the part that a reader of the list needs.
func adrHead(name string) (title, status string, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return "", "", fmt.Errorf("lint: %w", err)
	}
	inStatus := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if t, ok := strings.CutPrefix(line, "# "); ok && title == "" {
			title = strings.TrimLeft(t, "0123456789. :–-")
		}
		if s, ok := strings.CutPrefix(line, "Status:"); ok && status == "" {
			inStatus, line = true, s
		}
		if inStatus = inStatus && line != ""; inStatus {
			status = strings.TrimSpace(status + " " + strings.TrimSpace(line))
		}
	}
	if title == "" || status == "" {
		return "", "", fmt.Errorf("lint: %s: no title (# …) or no Status: line", filepath.Base(name))
	}
	return title, status, nil
}
