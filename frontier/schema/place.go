package schema

import (
	"cmp"
	"encoding/binary"
	"time"
)

// LinePosition is what a place in line consists of: a lower number goes first.
type LinePosition struct {
	Round      uint64    // in which it may be dispatched, from 0 to MaxRounds+1
	Precedence uint8     // of its head, where the order uses it
	Speed      int       // class of how fast its server answers, 0 to MaxSpeed
	Ticket     time.Time // when it got in line
}

// Parts of the number: round, precedence, speed, ticket.
const (
	ticketBits = 41
	speedBits  = 3
	precBits   = 8
	// A ticket is in units of 16 ms since 1970: good until the year 3084.
	ticketUnit = 16
)

// MaxRounds and MaxSpeed are the greatest values that fit into a number.
const (
	MaxRounds = 1<<(64-ticketBits-speedBits-precBits) - 2
	MaxSpeed  = 1<<speedBits - 1
)

// Number is the number by which queues in line are ordered.
func (t *LinePosition) Number() uint64 {
	class := (t.Round<<precBits|uint64(t.Precedence))<<speedBits | uint64(t.Speed)
	ticket := uint64(max(t.Ticket.UnixMilli(), 0)) / ticketUnit
	return class<<ticketBits | min(ticket, 1<<ticketBits-1)
}

// Class is the number of a place in line without the ticket: round, precedence and speed.
type Class uint32

// ClassOf returns the class of a number.
func ClassOf(number uint64) Class { return Class(number >> ticketBits) }

// Round returns the round that queues of a class may be dispatched in.
func (c Class) Round() uint64 { return uint64(c >> (speedBits + precBits)) }

// Place is the place of a queue: its table, its number in that (of snoozed queues milliseconds since 1970), and its
// hash. The zero place is that of an exhausted queue.
type Place struct {
	Kind     Table
	At, Host uint64
}

// Before orders the places of one table.
func (p Place) Before(o Place) bool {
	return cmp.Or(cmp.Compare(p.At, o.At), cmp.Compare(p.Host, o.Host)) < 0
}

// Key returns the key of the row, which has no value.
func (p Place) Key() []byte { return binary.BigEndian.AppendUint64(numberKey(p.Kind, p.At), p.Host) }

// ReadPlace reads a key that Key made.
func ReadPlace(key []byte) Place {
	return Place{Table(key[0]), binary.BigEndian.Uint64(key[1:]), binary.BigEndian.Uint64(key[9:])}
}

func checkPlace(k, v []byte) error {
	if len(v) > 0 {
		return ErrDamaged
	}
	return keyLen(k, 17)
}
