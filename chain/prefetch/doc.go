// Package prefetch holds the processors that decide whether a URI may be fetched
// now: [Preselector] asks the scope once more, [Preconditions] see to it that the
// host's address and its robots.txt are known, and obeys the latter.
//
// Invariants: no request is made for a URI whose host has no known address or
// whose robots.txt forbids it (unless the policy is to ignore robots.txt);
// prerequisites pass the scope. A URI that is only judged from the archive makes
// no request, so nothing here stops it.
//
// All processors serve all ToeThreads; the only state is a bounded cache of
// decoded robots.txt rules. Not here: limits of the whole crawl (the controller),
// when a host may be asked (the frontier), and fetching.
package prefetch
