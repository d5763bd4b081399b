package job

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"slices"
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
	Print    uint32           `json:"print"`             // checksum of what was taken, see fingerprint
	Done     bool             `json:"done"`
}

// String is one line for a person.
func (r SeedReport) String() string {
	s := fmt.Sprintf("%s: %d lines, %d accepted, %d broken", r.File, r.Lines, r.Accepted, r.Broken)
	for _, rule := range slices.Sorted(maps.Keys(r.Rejected)) {
		s += fmt.Sprintf(", %d out of scope (%s)", r.Rejected[rule], rule)
	}
	return s
}

// printed is how many bytes at either end of what was taken tell whether a seed
// file was changed.
const printed = 64 << 10

// fingerprint is a checksum of the first and the last bytes before offset.
func fingerprint(f io.ReaderAt, offset int64) (uint32, error) {
	sum := crc32.NewIEEE()
	for _, from := range []int64{0, max(0, offset-printed)} {
		part := io.NewSectionReader(f, from, min(printed, offset-from))
		if _, err := io.Copy(sum, part); err != nil {
			return 0, err
		}
	}
	return sum.Sum32(), nil
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
	schedule func(ctx context.Context, mark string, value []byte, cs ...crawl.Candidate) (known int, err error)
	marked   func(name string) ([]byte, bool, error)
	scope    *decide.Sequence
	rules    urlx.Rules
	again    bool // offer finished seeds again
}

// file streams a seed file into the frontier from where the last run stopped, or
// from its beginning when what was taken of it has changed since. name is the
// file as job.toml names it.
func (s *seeder) file(ctx context.Context, name, path string) (SeedReport, error) {
	mark := "seeds:" + name
	rep := SeedReport{File: name, Rejected: map[string]int64{}}
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
		if err := json.Unmarshal(old, &was); err != nil {
			return rep, fmt.Errorf("job: seeds: mark of %s: %w", name, err)
		}
		now, err := fingerprint(f, was.Offset)
		if err != nil {
			return rep, fmt.Errorf("job: seeds: %w", err)
		}
		if was.Offset <= st.Size() && now == was.Print {
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
	err = s.stream(ctx, f, mark, &rep)
	return rep, err
}

func (s *seeder) stream(ctx context.Context, f *os.File, mark string, rep *SeedReport) error {
	in := bufio.NewReaderSize(f, maxSeedLine)
	var batch []crawl.Candidate
	flush := func() (err error) {
		if rep.Print, err = fingerprint(f, rep.Offset); err != nil {
			return fmt.Errorf("job: seeds: %w", err)
		}
		value, err := json.Marshal(rep)
		if err != nil {
			return fmt.Errorf("job: seeds: %w", err)
		}
		_, err = s.schedule(ctx, mark, value, batch...)
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
	if u.Scheme() != "http" && u.Scheme() != "https" {
		rep.broken(fmt.Errorf("scheme %s: only http and https are fetched", u.Scheme()))
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
