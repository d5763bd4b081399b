package judge

import (
	"bufio"
	"context"
	"io"
	"net/netip"
	"strings"

	"exclave/chain"
	"exclave/crawl"
	"exclave/warc"
)

// knownHosts are the addresses of hosts that the DNS records of a WARC file name.
type knownHosts struct {
	noFacts
	addr map[string]netip.Addr
}

var _ chain.Hosts = knownHosts{}

// Bounds of what is kept of one WARC file's DNS records.
const (
	maxKnownHosts = 100_000
	maxDNSRecord  = 64 << 10 // bytes read of a record
)

// note keeps the first address in a record of a DNS answer: lines as in a zone
// file. It reports whether e is such a record.
func (k knownHosts) note(e *warc.Entry) bool {
	host, ok := crawl.DNSHost(e.TargetURI())
	if !ok {
		return false
	}
	if len(k.addr) >= maxKnownHosts {
		return true
	}
	lines := bufio.NewScanner(io.LimitReader(e.Block, maxDNSRecord))
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) < 5 || f[3] != "A" && f[3] != "AAAA" {
			continue
		}
		if a, err := netip.ParseAddr(f[4]); err == nil {
			k.addr[strings.ToLower(host)] = a
			break
		}
	}
	return true // what is damaged is reported by the reader
}

// Host implements chain.Hosts.
func (k knownHosts) Host(_ context.Context, host string) (crawl.HostFacts, error) {
	f := crawl.HostFacts{Host: host}
	if a, ok := k.addr[host]; ok {
		f.Status, f.Addrs = crawl.StatusDNS, []netip.Addr{a}
	}
	return f, nil
}

// noFacts is the part of [chain.Hosts] that a judgement outside a crawl asks nothing of.
type noFacts struct{}

// Origin implements [chain.Hosts].
func (noFacts) Origin(context.Context, string) (crawl.OriginFacts, error) {
	return crawl.OriginFacts{}, nil
}

// Deferred implements [chain.Hosts].
func (noFacts) Deferred(context.Context, string) (crawl.Deferred, bool, error) {
	return crawl.Deferred{}, false, nil
}
