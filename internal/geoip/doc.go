// Package geoip says in which country and city an address is and who owns its
// network, by MaxMind DB files, and builds such files.
//
// Two forms of records are read. MaxMind's has a country with an iso_code, and
// perhaps a city and the owner of the network; oschwald/geoip2-golang reads it. Its
// registered_country and represented_country say where the holder of a network
// is at home, not where the network is, and are not looked at. The flat form has
// a country_code. A file of another kind is refused; files of autonomous systems
// (GeoLite2-ASN) are opened as Owners.
//
// Invariants: a file is held in memory, so nobody can change it under a crawl;
// Open walks the whole search tree and reads the country of every record, so that
// a damaged file is refused there and never makes a lookup panic; a country is two
// ASCII letters in upper case, or "" when none is known.
//
// Concurrency: a DB is immutable and serves any number of goroutines. A Builder
// belongs to one.
//
// Not here: finding out the address of a host (internal/resolve, frontier), and
// what an address is worth (analyzer).
package geoip
