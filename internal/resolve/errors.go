package resolve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// Class says what kind of failure a lookup ended with.
type Class uint8

const (
	// NotFound: the name does not exist or has no address. Permanent.
	NotFound Class = iota + 1
	// Invalid: no DNS name can look like this. Permanent.
	Invalid
	// ServFail: servers answered and could not or would not say.
	ServFail
	// Timeout: no server answered in time.
	Timeout
	// Network: no server could be reached, or it closed the connection.
	Network
	// Malformed: what the servers sent is no answer to the question.
	Malformed
)

// String returns a word for logs and annotations.
func (c Class) String() string {
	switch c {
	case NotFound:
		return "not found"
	case Invalid:
		return "invalid name"
	case ServFail:
		return "server failure"
	case Timeout:
		return "timeout"
	case Network:
		return "network"
	case Malformed:
		return "malformed answer"
	}
	return "unknown"
}

// Permanent reports that asking again soon will not help.
func (c Class) Permanent() bool { return c == NotFound || c == Invalid }

// Error is why a lookup failed. When several servers failed it is the last one.
type Error struct {
	Class  Class
	Host   string        // as asked for
	Server string        // "" when none was asked
	TTL    time.Duration // of NotFound: how long it may be relied on; else 0
	Err    error         // cause, may be nil
}

func (e *Error) Error() string {
	s := fmt.Sprintf("resolve: lookup %s: %v", e.Host, e.Class)
	if e.Server != "" {
		s += " (server " + e.Server + ")"
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// classify sorts the errors of one exchange.
func classify(err error) Class {
	var timeout net.Error
	var op *net.OpError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return Timeout
	case errors.As(err, &op), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Network
	}
	return Malformed
}
