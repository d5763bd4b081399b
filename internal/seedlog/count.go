package seedlog

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// Estimate is a number of different things.
type Estimate struct {
	N     int64 `json:"n"`
	Exact bool  `json:"exact"` // otherwise within 1 % with a probability of 98 %
}

// registerBits is the precision of the estimate: 2^16 registers have a standard
// error of 1.04/√65536 = 0.41 %.
const registerBits = 16

// distinct counts different 64-bit hashes: exactly up to most of them, in a set
// of 16 to 32 bytes for each, and by HyperLogLog beyond (Flajolet, Fusy, Gandouet,
// Meunier 2007, with linear counting for small numbers), in 64 KB. Two of n
// things share a hash with a probability of n²/2^65: 5·10⁻⁷ for 4 million.
type distinct struct {
	most      int
	set       []uint64 // open addressing, linear probing; nil once full
	n         int
	zero      bool // the hash 0, which marks free places
	registers []uint8
}

func newDistinct(most int) *distinct {
	return &distinct{most: most, set: make([]uint64, 1<<10), registers: make([]uint8, 1<<registerBits)}
}

func (d *distinct) add(h uint64) {
	r := h >> (64 - registerBits)
	if rank := uint8(bits.LeadingZeros64(h<<registerBits|1<<(registerBits-1)) + 1); rank > d.registers[r] {
		d.registers[r] = rank
	}
	if d.set == nil {
		return
	}
	if h == 0 {
		if !d.zero {
			d.zero = true
			d.n++
		}
		return
	}
	if !insert(d.set, h) {
		return
	}
	if d.n++; d.n > d.most {
		d.set = nil
		return
	}
	if 4*d.n > 3*len(d.set) {
		grown := make([]uint64, 2*len(d.set))
		for _, h := range d.set {
			if h != 0 {
				insert(grown, h)
			}
		}
		d.set = grown
	}
}

func insert(set []uint64, h uint64) bool {
	mask := uint64(len(set) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		switch set[i] {
		case 0:
			set[i] = h
			return true
		case h:
			return false
		}
	}
}

func (d *distinct) count() Estimate {
	if d.set != nil {
		return Estimate{int64(d.n), true}
	}
	m, sum, free := float64(len(d.registers)), 0.0, 0.0
	for _, r := range d.registers {
		sum += math.Ldexp(1, -int(r))
		if r == 0 {
			free++
		}
	}
	estimate := 0.7213 / (1 + 1.079/m) * m * m / sum
	if estimate <= 2.5*m && free > 0 {
		estimate = m * math.Log(m/free)
	}
	return Estimate{N: int64(estimate + 0.5)}
}

// Share is how often something occurs.
type Share struct {
	Name string `json:"name"`
	N    int64  `json:"n"`
}

// Top are the most frequent things. When there were too many to count all, each
// may have occurred up to Error times more than it says, and something that
// occurred no more than Error times may be missing.
type Top struct {
	Most  []Share `json:"most"`
	Error int64   `json:"error,omitempty"`
}

// frequent counts by name, exactly up to 2·keep names, and beyond as Misra and
// Gries do (1982; in batches, Agarwal and others 2012): when there are too many
// names, all are lowered by the count of the one at place keep+1.
type frequent struct {
	keep int
	n    map[string]*int64
	lost int64
}

func newFrequent(keep int) *frequent { return &frequent{keep: keep, n: map[string]*int64{}} }

func (f *frequent) add(name string) {
	if n, ok := f.n[name]; ok {
		*n++
		return
	}
	one := int64(1)
	f.n[strings.Clone(name)] = &one // name may be part of something long
	if len(f.n) > 2*f.keep {
		f.prune()
	}
}

func (f *frequent) prune() {
	counts := make([]int64, 0, len(f.n))
	for _, n := range f.n {
		counts = append(counts, *n)
	}
	slices.Sort(counts)
	by := counts[len(counts)-f.keep-1]
	f.lost += by
	maps.DeleteFunc(f.n, func(_ string, n *int64) bool {
		*n -= by
		return *n <= 0
	})
}

// top returns the n most frequent; of two as frequent the first by name.
func (f *frequent) top(n int) Top {
	all := make([]Share, 0, len(f.n))
	for name, n := range f.n {
		all = append(all, Share{name, *n})
	}
	slices.SortFunc(all, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name))
	})
	return Top{Most: all[:max(0, min(n, len(all)))], Error: f.lost}
}
