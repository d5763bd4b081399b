package sched

import (
	"cmp"
	"time"
)

// heap is a binary heap whose items know their index in it, -1 outside of it.
type heap[T any] struct {
	items []T
	less  func(a, b T) bool
	index func(T) *int32
}

// top returns the least item; there must be one.
func (h *heap[T]) top() T { return h.items[0] }

func (h *heap[T]) push(x T) {
	h.items = append(h.items, x)
	h.up(len(h.items) - 1)
}

func (h *heap[T]) remove(x T) {
	i := int(*h.index(x))
	last := len(h.items) - 1
	moved := h.items[last]
	var none T
	h.items[last] = none
	h.items = h.items[:last]
	*h.index(x) = -1
	if i == last {
		return
	}
	h.items[i] = moved
	h.fix(i)
}

// fix restores the order after the item at i changed.
func (h *heap[T]) fix(i int) {
	if !h.down(i) {
		h.up(i)
	}
}

func (h *heap[T]) up(i int) {
	x := h.items[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(x, h.items[parent]) {
			break
		}
		h.set(i, h.items[parent])
		i = parent
	}
	h.set(i, x)
}

func (h *heap[T]) down(i int) (moved bool) {
	x, n := h.items[i], len(h.items)
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && h.less(h.items[child+1], h.items[child]) {
			child++
		}
		if !h.less(h.items[child], x) {
			break
		}
		h.set(i, h.items[child])
		i, moved = child, true
	}
	h.set(i, x)
	return moved
}

func (h *heap[T]) set(i int, x T) {
	h.items[i] = x
	*h.index(x) = int32(i)
}

func wakesBefore(a, b *queue) bool {
	return cmp.Or(cmp.Compare(a.readyAt(), b.readyAt()), cmp.Compare(a.hash, b.hash)) < 0
}

// goesBefore orders queues that are ready. Of the same class and wake time the one goes first that was ready first; a
// load does not change that.
func goesBefore(a, b *queue) bool {
	return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.readyAt(), b.readyAt()), int(int32(a.readySeq-b.readySeq))) < 0
}

func queueIndex(q *queue) *int32 { return &q.heap }

// nextNotInProcess is the first wake time of a queue without a URI in process, negative when there is none.
func nextNotInProcess(h *heap[*queue]) time.Duration {
	best := time.Duration(-1)
	var look func(i int)
	look = func(i int) {
		if i >= len(h.items) {
			return
		}
		q := h.items[i]
		if at := q.readyAt(); best >= 0 && at >= best {
			return
		} else if q.inProcess == 0 {
			best = at
			return
		}
		look(2*i + 1)
		look(2*i + 2)
	}
	look(0)
	return best
}
