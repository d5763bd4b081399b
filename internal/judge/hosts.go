package judge

import (
	"bufio"
	"context"
	"io"
	"net/netip"
	"strings"

	"exclave/analyzer"
	"exclave/chain"
	"exclave/crawl"
	"exclave/warc"
)

// knownHosts are the addresses of hosts that the DNS records of a WARC file name, and how the
// documents of each host were judged.
type knownHosts struct {
	noFacts
	addr     map[string]netip.Addr
	verdicts map[string]crawl.HostVerdicts // of the documents before
}

var (
	_ chain.Hosts        = knownHosts{}
	_ chain.HostVerdicts = knownHosts{}
)

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

// HostVerdicts implements [chain.HostVerdicts].
func (k knownHosts) HostVerdicts(_ context.Context, host string) (crawl.HostVerdicts, error) {
	return k.verdicts[host], nil
}

// judged counts what was judged of a host.
func (k knownHosts) judged(host string, vs []analyzer.Verdict) {
	if _, known := k.verdicts[host]; k.verdicts == nil || !known && len(k.verdicts) >= maxKnownHosts {
		return
	}
	v := k.verdicts[host]
	v.Judged++
	for i := range vs[:min(len(vs), len(v.Valid))] {
		if vs[i].Valid {
			v.Valid[i]++
		}
	}
	k.verdicts[host] = v
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
