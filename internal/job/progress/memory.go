package progress

import (
	"runtime/metrics"
)

// MemoryInUse is what the process has from the system and not given back, as the
// Go runtime knows it, in bytes.
func MemoryInUse() int64 {
	m := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(m)
	var n [2]int64
	for i := range m {
		if m[i].Value.Kind() == metrics.KindUint64 {
			n[i] = int64(m[i].Value.Uint64())
		}
	}
	return n[0] - n[1]
}

// heapInUse is what live and not yet collected objects take, in bytes.
func heapInUse() int64 {
	m := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(m)
	return int64(m[0].Value.Uint64())
}
