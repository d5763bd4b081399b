package schema

// Table is a table of the state: the letter that the keys of its rows begin with.
type Table byte

// The tables. Letters are stored; never reuse one. [Tables] declares them.
const (
	URIs          Table = 'u'
	Queues        Table = 'q'
	Line          Table = 'i'
	Snoozed       Table = 'w'
	Retired       Table = 'x'
	Hosts         Table = 'h'
	FailedOrigins Table = 'e'
	Domains       Table = 'b'
	Addresses     Table = 'a'
	HostFacts     Table = 'n'
	OriginFacts   Table = 'o'
	Answers       Table = 'd'
	Captures      Table = 'c'
	Files         Table = 'f'
	Logs          Table = 'g'
	Links         Table = 'l'
	Redirects     Table = 'r'
	Works         Table = 'k'
	Meta          Table = 'm'
	Tallies       Table = 't'
	Commits       Table = 'y'
	Payloads      Table = 'p'
	Scratch       Table = 'z'
)

// Declaration declares a table.
type Declaration struct {
	Table Table
	Name  string // of what has rows, for people
	Key   string // what follows the letter, as docs/formats/state.md has it
	// Version begins every value; 0: values are empty, or of several kinds. Older are versions that can be read too;
	// such a row gets the present version when it changes.
	Version byte
	Older   []byte
	// Grows says what the number of rows grows with.
	Grows Growth
	// Hashed says that keys end in a hash that the filter of known URIs and hosts has.
	Hashed bool
	// Scratch says that the table exists only while a state is made anew.
	Scratch bool
	// Check reads a row and returns what is wrong with it.
	Check func(key, value []byte) error
}

// Growth is what a table grows with.
type Growth uint8

// What tables grow with.
const (
	Hardly    Growth = iota // or with how long the crawl lasts
	WithURIs                // that are known
	WithHosts               // that are known, their queues, addresses and domains
)

// Tables returns the declarations of all tables, in the order of docs/formats/state.md.
func Tables() []Declaration {
	return []Declaration{
		{Table: URIs, Name: "URIs", Key: "id", Grows: WithURIs, Version: valueVersion, Hashed: true, Check: checkURI},
		{Table: Queues, Name: "queues", Key: "host precedence seq", Grows: WithURIs, Check: checkQueued},
		{Table: Line, Name: "queues in line", Key: "place host", Grows: WithHosts, Check: checkPlace},
		{Table: Snoozed, Name: "queues that are snoozed", Key: "time host", Grows: WithHosts, Check: checkPlace},
		{Table: Retired, Name: "queues that are retired", Key: "0 host", Grows: WithHosts, Check: checkPlace},
		{Table: Hosts, Name: "hosts", Key: "host", Grows: WithHosts, Version: hostVersion, Older: []byte{hostVersionUnjudged, hostVersion3}, Hashed: true, Check: checkHost},
		{Table: FailedOrigins, Name: "origins that failed", Key: "host origin", Grows: WithHosts, Version: valueVersion, Check: checkOrigin},
		{Table: Domains, Name: "registered domains", Key: "domain", Grows: WithHosts, Version: valueVersion, Check: checkDomain},
		{Table: Addresses, Name: "IP addresses", Key: "IP address", Grows: WithHosts, Version: valueVersion, Check: checkAddress},
		{Table: HostFacts, Name: "facts of hosts", Key: "host name", Grows: WithHosts, Version: valueVersion, Check: checkHostFacts},
		{Table: OriginFacts, Name: "facts of origins", Key: "origin", Grows: WithHosts, Version: valueVersion, Check: checkOriginFacts},
		{Table: Answers, Name: "answers kept for the archive", Key: "dns:host, robots:origin", Grows: WithHosts, Version: valueVersion, Check: checkAnswer},
		{Table: Captures, Name: "capture groups", Key: "file offset", Grows: WithURIs, Version: valueVersion, Check: checkCapture},
		{Table: Files, Name: "WARC files", Key: "file", Version: valueVersion, Check: checkFile},
		{Table: Logs, Name: "logs and their parts", Key: "log number", Version: valueVersion, Check: checkLog},
		{Table: Payloads, Name: "payloads that are archived", Key: "hash", Grows: WithURIs, Version: valueVersion, Hashed: true, Check: checkPayload},
		{Table: Links, Name: "outlinks of pages", Key: "id", Grows: WithURIs, Version: valueVersion, Check: checkLinks},
		{Table: Redirects, Name: "redirects", Key: "target source", Grows: WithURIs, Version: valueVersion, Check: checkRedirect},
		{Table: Works, Name: "claims to be passed on", Key: "number", Grows: WithURIs, Version: valueVersion, Check: checkWork},
		{Table: Meta, Name: "rows of which there is one", Key: "name", Check: checkMeta},
		{Table: Tallies, Name: "tallies", Key: "kind name", Version: valueVersion, Check: checkTally},
		{Table: Commits, Name: "commits", Key: "number", Version: valueVersion, Check: checkCommit},
		{Table: Scratch, Name: "scratch", Key: "the caller's", Scratch: true, Check: func([]byte, []byte) error { return nil }},
	}
}

// Prefix is what the keys of the table begin with, and the least that one of them could be.
func (t Table) Prefix() []byte { return []byte{byte(t)} }

// End is the key after the last of the table.
func (t Table) End() []byte { return []byte{byte(t) + 1} }

// String returns the letter.
func (t Table) String() string { return string(rune(t)) }

// keyLen demands a key of one of some lengths.
func keyLen(k []byte, lens ...int) error {
	for _, n := range lens {
		if len(k) == n {
			return nil
		}
	}
	return ErrDamaged
}
