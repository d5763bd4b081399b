//go:build race

package record

// poison overwrites buffers that are given back: tests run with the race detector,
// and who still looks at a recording after Close finds nonsense.
const poison = true
