// Package schematest checks rows of the state for tests of packages that write them.
package schematest

import (
	"fmt"

	"exclave/frontier/schema"
)

// Check reads a row of whatever table and returns what is wrong with it.
func Check(key, value []byte) error {
	for _, d := range schema.Tables() {
		if len(key) == 0 || d.Table != schema.Table(key[0]) {
			continue
		}
		if err := d.Check(key, value); err != nil {
			return fmt.Errorf("%s: key %x: %w", d.Name, key, err)
		}
		return nil
	}
	return fmt.Errorf("key %x belongs to no table", key)
}
