package job

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"exclave/chain/decide"
	"exclave/crawl"
	"exclave/internal/urlx"
)

// maxSeedLine bounds a line of a seed file; a longer one is broken.
const maxSeedLine = 64 << 10

// SeedReport says what became of the lines of a seed file.
type SeedReport struct {
	File     string           `json:"file"`
	Lines    int64            `json:"lines"`
	Accepted int64            `json:"accepted"`
	Rejected map[string]int64 `json:"rejected,omitempty"` // by the deciding rule
	Broken   int64            `json:"broken"`
	Samples  []string         `json:"samples,omitempty"` // "line N: why", the first ten
	Offset   int64            `json:"offset"`            // bytes taken so far
	Size     int64            `json:"size"`              // of the file when last read
	Done     bool             `json:"done"`
}

// seedLine is a line of the project's own out-of-scope log
// (docs/formats/out-of-scope.md).
type seedLine struct {
	URL    string `json:"url"`
	Via    string `json:"via"`
	Source string `json:"source"`
}

// parseSeed reads a line of a seed file: a URI, or a JSON object of the
// out-of-scope log. ok is false for blank lines and comments.
func parseSeed(line []byte) (s seedLine, ok bool, err error) {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
	switch {
	case len(line) == 0 || line[0] == '#':
		return s, false, nil
	case line[0] == '{':
		if err := json.Unmarshal(line, &s); err != nil {
			return s, false, fmt.Errorf("not a line of an out-of-scope log: %w", err)
		}
		if s.URL == "" {
			return s, false, errors.New(`no "url" in the JSON object`)
		}
	default:
		s.URL = string(line)
	}
	if urlx.Scheme(s.URL) == "" || hostPort(s.URL) {
		s.URL = "http://" + strings.TrimLeft(s.URL, "/")
	}
	return s, true, nil
}

// hostPort tells "example.com:8080/x", which parses as a scheme, from a URI.
func hostPort(s string) bool {
	head, rest, _ := strings.Cut(s, ":")
	return strings.Contains(head, ".") && rest != "" && rest[0] >= '0' && rest[0] <= '9'
}

// seeder offers seeds to the frontier.
type seeder struct {
	schedule func(ctx context.Context, mark string, value []byte, cs ...crawl.Candidate) error
	marked   func(name string) ([]byte, bool, error)
	scope    *decide.Sequence
	rules    urlx.Rules
	again    bool // offer finished seeds again
}

// file streams a seed file into the frontier from where the last run stopped.
func (s *seeder) file(ctx context.Context, path string) (SeedReport, error) {
	mark := "seeds:" + filepath.Base(path)
	rep := SeedReport{File: filepath.Base(path), Rejected: map[string]int64{}}
	f, err := os.Open(path)
	if err != nil {
		return rep, fmt.Errorf("job: seeds: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return rep, fmt.Errorf("job: seeds: %w", err)
	}
	if old, ok, err := s.marked(mark); err != nil {
		return rep, err
	} else if ok && !s.again {
		var was SeedReport
		if err := json.Unmarshal(old, &was); err == nil && was.Offset <= st.Size() {
			if was.Done && was.Size == st.Size() {
				return was, nil
			}
			rep = was
			if rep.Rejected == nil {
				rep.Rejected = map[string]int64{}
			}
		}
	}
	if _, err := f.Seek(rep.Offset, io.SeekStart); err != nil {
		return rep, fmt.Errorf("job: seeds: %w", err)
	}
	rep.Size, rep.Done = st.Size(), false
	return rep, s.stream(ctx, f, mark, &rep)
}

func (s *seeder) stream(ctx context.Context, f io.Reader, mark string, rep *SeedReport) error {
	in := bufio.NewReaderSize(f, maxSeedLine)
	var batch []crawl.Candidate
	flush := func() error {
		value, err := json.Marshal(rep)
		if err != nil {
			return fmt.Errorf("job: seeds: %w", err)
		}
		err = s.schedule(ctx, mark, value, batch...)
		batch = batch[:0]
		return err
	}
	for {
		line, err := in.ReadSlice('\n')
		rep.Offset += int64(len(line))
		if errors.Is(err, bufio.ErrBufferFull) {
			rep.Lines++
			rep.broken(fmt.Errorf("longer than %d bytes", maxSeedLine))
			if err = skipLine(in, &rep.Offset); err == nil {
				continue
			}
			line = nil
		}
		if len(line) > 0 {
			rep.Lines++
			if c, ok := s.candidate(line, rep); ok {
				batch = append(batch, c)
			}
		}
		if errors.Is(err, io.EOF) {
			rep.Done = true
			return flush()
		}
		if err != nil {
			return fmt.Errorf("job: seeds: read %s: %w", rep.File, err)
		}
		if len(batch) == 1000 {
			if err := flush(); err != nil {
				return err
			}
		}
	}
}

func skipLine(in *bufio.Reader, offset *int64) error {
	for {
		part, err := in.ReadSlice('\n')
		*offset += int64(len(part))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

func (r *SeedReport) broken(err error) {
	r.Broken++
	if len(r.Samples) < 10 {
		r.Samples = append(r.Samples, fmt.Sprintf("line %d: %v", r.Lines, err))
	}
}

func (s *seeder) candidate(line []byte, rep *SeedReport) (crawl.Candidate, bool) {
	seed, ok, err := parseSeed(line)
	if err != nil {
		rep.broken(err)
	}
	if !ok {
		return crawl.Candidate{}, false
	}
	u, err := urlx.Parse(seed.URL)
	if err != nil {
		rep.broken(err)
		return crawl.Candidate{}, false
	}
	u = u.WithoutFragment()
	c := crawl.Candidate{URL: u.String(), Key: s.rules.Key(u), Host: u.Hostname(), Kind: crawl.LinkNav,
		SourceTag: seed.Source, Seed: true, Force: s.again, Claim: crawl.Claim{Analyse: true}}
	if d, _, rule := s.scope.Decide(&decide.Subject{URL: u, Cand: &c}); d != decide.Accept {
		rep.Rejected[rule]++
		return crawl.Candidate{}, false
	}
	rep.Accepted++
	return c, true
}
