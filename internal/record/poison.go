//go:build !race

package record

// poison overwrites buffers that are given back.
const poison = false
