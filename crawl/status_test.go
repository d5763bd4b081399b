package crawl

import (
	"slices"
	"testing"
)

// Views and reports count errors by these classes; a decision of ours is none.
func TestErrorClass(t *testing.T) {
	for s, want := range map[Status]string{
		200: "", 304: "", StatusDNS: "", StatusWhois: "", StatusFTPFile: "", StatusFTPDirectory: "", StatusUnattempted: "", StatusDeferred: "",
		StatusOutOfScope: "", StatusBlockedByUser: "", StatusQuota: "", StatusTooManyLinkHops: "", StatusRuntimeLimit: "",
		StatusDNSFailed: ErrorDNS, StatusDNSPrereqFailed: ErrorDNS,
		StatusConnectFailed: ErrorConnect, StatusConnectionLost: ErrorLost, StatusTimeout: ErrorTimeout,
		StatusRobots: ErrorRobots, StatusRobotsPrereqFailed: ErrorRobots,
		400: Error4xx, 429: Error4xx, 499: Error4xx, StatusDeemedNotFound: Error4xx,
		500: Error5xx, 503: Error5xx, 999: Error5xx,
		StatusRuntimeError: ErrorOther, StatusSerious: ErrorOther, StatusTooManyRetries: ErrorOther,
	} {
		got := s.ErrorClass()
		if got != want {
			t.Errorf("status %v: class %q, want %q", s, got, want)
		}
		if got != "" && !slices.Contains(ErrorClasses(), got) {
			t.Errorf("status %v: class %q is not listed", s, got)
		}
	}
}
