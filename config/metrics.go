package config

import (
	"net"
	"strconv"

	"exclave/internal/conf"
)

// Metrics says where Prometheus finds the numbers of a running crawl.
type Metrics struct {
	// Address is host:port, "" = nowhere. The host is an IP address or "localhost"
	// and must be written out: no host would mean every network of the machine.
	Address string `toml:"address"`
}

// Validate returns what is wrong with the address.
func (m Metrics) Validate() (ps conf.Problems) {
	if m.Address == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(m.Address)
	if err != nil {
		ps.Add("address", `%q is not host:port, as in "127.0.0.1:9090"`, m.Address)
		return ps
	}
	if host != "localhost" && net.ParseIP(host) == nil {
		ps.Add("address", `%q has no IP address before the port, as in "127.0.0.1:9090"; for every network of this machine write "0.0.0.0"`, m.Address)
		return ps
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		ps.Add("address", "port %q is not a number up to 65535", port)
		return ps
	}
	return ps
}

// Public reports whether other machines can read the metrics.
func (m Metrics) Public() bool {
	host, _, err := net.SplitHostPort(m.Address)
	return err == nil && host != "localhost" && !net.ParseIP(host).IsLoopback()
}
