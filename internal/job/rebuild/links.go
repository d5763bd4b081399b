package rebuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"exclave/internal/job/folder"
	"exclave/internal/logparts"
)

// neededGuess is what stands in a line of links.log behind the addresses when the page needs what is only a guess: type 3, hop X. Of all other
// links the hop, which crawl.log has, tells the kind.
const neededGuess = "\t3\tX\t"

// indexLinks indexes what links.log knows of links and crawl.log does not, for those of pages that are not archived. It is written beside the
// commits, so lines may be missing, or broken.
func (r *replay) indexLinks(ctx context.Context) error {
	in, err := r.FS.Open(r.Path(folder.LogDir, folder.LinksLog))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	err = logparts.Lines(in, func(n int64, line []byte) error {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !bytes.Contains(line, []byte(neededGuess)) {
			return nil
		}
		f := bytes.Split(bytes.TrimSuffix(line, []byte("\n")), []byte("\t"))
		if len(f) != 8 || string(f[3]) != "3" || string(f[4]) != "X" {
			return nil
		}
		return r.index.b.Put(append(named('l', string(f[2])), f[0]...), bytes.Clone(f[5]))
	})
	if err = errors.Join(err, in.Close()); err != nil {
		return fmt.Errorf("job: recover %s: %w", folder.LinksLog, err)
	}
	return nil
}
