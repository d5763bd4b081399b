package extract

import (
	"context"
	"net/netip"

	"exclave/chain"
	"exclave/internal/urlx"
)

// MaxAddrHosts is of how many different hosts a page may ask the address; links
// to further hosts have none.
const MaxAddrHosts = 1000

// addresses gives the addresses of one page's hosts from what the crawl has found
// out already; nothing is ever looked up for it. Facts that have expired count
// too: hosts seldom move to another country, and their address is asked for again
// only when a page of theirs is.
type addresses struct {
	hosts  chain.Hosts
	wanted bool // else every address is unknown, at no cost
	known  map[string]netip.Addr
}

// find returns the address of u's host; of several, the one that is tried first.
// An error is one of our state.
func (a *addresses) find(ctx context.Context, u *urlx.URL) (netip.Addr, error) {
	if !a.wanted {
		return netip.Addr{}, nil
	}
	if addr, ok := u.Addr(); ok {
		return addr, nil
	}
	host := u.Hostname()
	if addr, ok := a.known[host]; ok || host == "" || len(a.known) >= MaxAddrHosts {
		return addr, nil
	}
	facts, err := a.hosts.Host(ctx, host)
	if err != nil {
		return netip.Addr{}, err
	}
	var addr netip.Addr
	if len(facts.Addrs) > 0 {
		addr = facts.Addrs[0]
	}
	a.note(host, addr)
	return addr, nil
}

// note keeps what is known of a host; the address that a page was fetched from is
// that of its host, whatever others it has.
func (a *addresses) note(host string, addr netip.Addr) {
	if !a.wanted || host == "" {
		return
	}
	if a.known == nil {
		a.known = make(map[string]netip.Addr)
	}
	a.known[host] = addr
}
