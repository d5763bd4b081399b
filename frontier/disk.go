package frontier

import (
	"context"
	"fmt"
)

// Tables returns the bytes on disk of each table of the state, by the letter its keys
// begin with (docs/formats/state.md), as an estimate by whole blocks. What is not
// yet written to tables is not counted.
func (f *Frontier) Tables() (map[string]uint64, error) {
	out := map[string]uint64{}
	for _, kind := range "acdfghklmnoqrtuw" {
		n, err := f.db.EstimateDiskUsage([]byte{byte(kind)}, []byte{byte(kind) + 1})
		if err != nil {
			return nil, fmt.Errorf("frontier: size of the state: %w", err)
		}
		out[string(kind)] = n
	}
	return out, nil
}

// Compact writes the state anew as small as it gets. The crawl may go on meanwhile.
func (f *Frontier) Compact(ctx context.Context) error {
	return f.dead.guard(func() error {
		if err := f.db.Flush(); err != nil {
			return fmt.Errorf("frontier: compact: %w", err)
		}
		if err := f.db.Compact(ctx, []byte{0}, []byte{0xff}, true); err != nil {
			return fmt.Errorf("frontier: compact: %w", err)
		}
		return nil
	})
}
