package frontier

import "exclave/frontier/store"

func get(r store.Reader, key []byte) ([]byte, error) { return r.Get(key) }

func scan(r store.Reader, prefix []byte, fn func(key, value []byte) error) error {
	return r.Scan(prefix, fn)
}
