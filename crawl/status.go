package crawl

import "strconv"

// Status is the fetch status of a URI: an HTTP status code, the reply of an FTP server, 1 for a DNS
// answer, 2001 for one of WHOIS,
// or one of Heritrix's negative codes (design: formats, status codes).
type Status int32

// Status codes as Heritrix users know them.
const (
	StatusUnattempted         Status = 0
	StatusDNS                 Status = 1
	StatusWhois               Status = 2001
	StatusDNSFailed           Status = -1
	StatusConnectFailed       Status = -2
	StatusConnectionLost      Status = -3
	StatusTimeout             Status = -4
	StatusRuntimeError        Status = -5
	StatusDNSPrereqFailed     Status = -6
	StatusUnfetchable         Status = -7
	StatusTooManyRetries      Status = -8
	StatusDeferred            Status = -50
	StatusNotQueueable        Status = -60
	StatusRobotsPrereqFailed  Status = -61
	StatusOtherPrereqFailed   Status = -62
	StatusPrereqUnschedulable Status = -63
	StatusDeemedNotFound      Status = -404
	StatusSerious             Status = -3000
	StatusTrap                Status = -4000
	StatusTooManyLinkHops     Status = -4001
	StatusTooManyEmbedHops    Status = -4002
	StatusOutOfScope          Status = -5000
	StatusBlockedByUser       Status = -5001
	StatusBlockedByProcessor  Status = -5002
	StatusQuota               Status = -5003
	StatusRuntimeLimit        Status = -5004
	StatusDeletedByUser       Status = -6000
	StatusWorkerKilled        Status = -7000
	StatusRobots              Status = -9998
)

// Class groups statuses by what to do about them. It is decided here and
// nowhere else.
type Class uint8

// The classes of a status.
const (
	ClassSuccess   Class = iota // a server or a name server answered
	ClassRetry                  // may pass: tried again later
	ClassPermanent              // will not change by trying again
	ClassDefer                  // waits for a prerequisite
)

// Class returns what the status asks for. HTTP 429 and 503 are retried with
// back-off; every other HTTP status is an answer.
func (s Status) Class() Class {
	switch s {
	case 429, 503, StatusConnectFailed, StatusConnectionLost, StatusTimeout,
		StatusRuntimeError, StatusDNSFailed, StatusSerious, StatusWorkerKilled:
		return ClassRetry
	case StatusDeferred, StatusUnattempted:
		return ClassDefer
	}
	if s > 0 {
		return ClassSuccess
	}
	return ClassPermanent
}

// The classes of errors that views and reports count, see [Status.ErrorClass].
const (
	ErrorDNS     = "dns"     // no address
	ErrorConnect = "connect" // no connection, or no TLS
	ErrorLost    = "lost"    // the connection broke
	ErrorTimeout = "timeout"
	ErrorRobots  = "robots" // forbidden by robots.txt, or it could not be had
	Error4xx     = "4xx"
	Error5xx     = "5xx"
	ErrorOther   = "other"
)

// ErrorClasses returns the classes of errors in the order in which they are shown.
func ErrorClasses() []string {
	return []string{ErrorDNS, ErrorConnect, ErrorLost, ErrorTimeout, ErrorRobots, Error4xx, Error5xx, ErrorOther}
}

// ErrorClass returns the class of error that a status is, "" when it is none: an
// answer, a URI that waits for another one, or one that we did not want (scope,
// quotas, an operator).
func (s Status) ErrorClass() string {
	switch s {
	case StatusDNSFailed, StatusDNSPrereqFailed:
		return ErrorDNS
	case StatusConnectFailed:
		return ErrorConnect
	case StatusConnectionLost:
		return ErrorLost
	case StatusTimeout:
		return ErrorTimeout
	case StatusRobots, StatusRobotsPrereqFailed:
		return ErrorRobots
	case StatusDeemedNotFound:
		return Error4xx
	case StatusUnattempted, StatusDeferred, StatusWhois, StatusTrap, StatusTooManyLinkHops, StatusTooManyEmbedHops,
		StatusOutOfScope, StatusBlockedByUser, StatusBlockedByProcessor, StatusQuota, StatusRuntimeLimit, StatusDeletedByUser:
		return ""
	}
	switch {
	case s >= 500:
		return Error5xx
	case s >= 400:
		return Error4xx
	case s < 0:
		return ErrorOther
	}
	return ""
}

// IsHTTP reports whether a web server answered, or one of FTP or WHOIS.
func (s Status) IsHTTP() bool { return s >= 100 }

// String returns the number as crawl.log prints it.
func (s Status) String() string { return strconv.Itoa(int(s)) }
