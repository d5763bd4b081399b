package frontier

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/internal/conf"
)

// LimitsConfig bounds what grows (section [limits] of job.toml); 0 = no limit.
type LimitsConfig struct {
	// HostURIs and DomainURIs are how many URIs of a host and of a registered domain
	// are known; for each valid page URIsPerValid more, up to HostURIsMax and
	// DomainURIsMax.
	HostURIs      int64 `toml:"host_uris"`
	HostURIsMax   int64 `toml:"host_uris_max"`
	DomainURIs    int64 `toml:"domain_uris"`
	DomainURIsMax int64 `toml:"domain_uris_max"`
	URIsPerValid  int64 `toml:"uris_per_valid"`
	// HostGuesses is how many URIs of a host are known only because pages lead to them
	// that are neither valid nor nearly so; one more for each four valid pages. Not with
	// OrderConfig.FollowUseless.
	HostGuesses int64 `toml:"host_guesses"`
	// HostsPerDomain is how many hosts of a registered domain are known, and HostsPerValid
	// more for each valid page, up to HostsPerDomainMax. With HostsPerValid links of valid
	// pages may name ten times HostsPerDomain.
	HostsPerDomain    int64 `toml:"hosts_per_domain"`
	HostsPerDomainMax int64 `toml:"hosts_per_domain_max"`
	HostsPerValid     int64 `toml:"hosts_per_valid"`
	// Budgets in documents (lines of crawl.log: answers, failures, robots.txt) and in bytes received.
	HostDocuments   int64 `toml:"host_documents"`
	HostBytes       int64 `toml:"host_bytes"`
	DomainDocuments int64 `toml:"domain_documents"`
	DomainBytes     int64 `toml:"domain_bytes"`
	SourceDocuments int64 `toml:"source_documents"`
	SourceBytes     int64 `toml:"source_bytes"`
}

// DefaultLimitsConfig lets hosts and domains that have valid pages grow, and keeps those short
// that have none: docs/adr/0038-a-default-job-ends.md says why each number.
func DefaultLimitsConfig() LimitsConfig {
	return LimitsConfig{HostURIs: 10_000, HostURIsMax: 500_000, DomainURIs: 20_000, DomainURIsMax: 2_000_000, URIsPerValid: 50,
		HostGuesses: 40, HostsPerDomain: 15, HostsPerDomainMax: 20_000, HostsPerValid: 1}
}

func (c *LimitsConfig) fields() []struct {
	key string
	val int64
} {
	return []struct {
		key string
		val int64
	}{{"host_uris", c.HostURIs}, {"host_uris_max", c.HostURIsMax}, {"domain_uris", c.DomainURIs}, {"domain_uris_max", c.DomainURIsMax},
		{"uris_per_valid", c.URIsPerValid}, {"host_guesses", c.HostGuesses}, {"hosts_per_domain", c.HostsPerDomain},
		{"hosts_per_domain_max", c.HostsPerDomainMax}, {"hosts_per_valid", c.HostsPerValid}, {"host_documents", c.HostDocuments},
		{"host_bytes", c.HostBytes}, {"domain_documents", c.DomainDocuments}, {"domain_bytes", c.DomainBytes},
		{"source_documents", c.SourceDocuments}, {"source_bytes", c.SourceBytes}}
}

// Validate returns every value that cannot be.
func (c LimitsConfig) Validate() (ps conf.Problems) {
	for _, f := range c.fields() {
		if f.val < 0 {
			ps.Add(f.key, "%d is negative; 0 = no limit", f.val)
		}
	}
	for _, m := range []struct {
		key      string
		soft, hi int64
	}{{"host_uris_max", c.HostURIs, c.HostURIsMax}, {"domain_uris_max", c.DomainURIs, c.DomainURIsMax},
		{"hosts_per_domain_max", c.HostsPerDomain, c.HostsPerDomainMax}} {
		if m.hi > 0 && m.soft > m.hi {
			ps.Add(m.key, "%d is less than the %d to begin with", m.hi, m.soft)
		}
	}
	return ps
}

// Notices returns what a user should know of settings that change nothing.
func (c LimitsConfig) Notices() []string {
	if c.URIsPerValid > 0 && c.HostURIs == 0 && c.DomainURIs == 0 {
		return []string{"uris_per_valid changes nothing: neither host_uris nor domain_uris is a cap that could rise (limits)"}
	}
	return nil
}

// domains reports whether registered domains have limits.
func (c *LimitsConfig) domains() bool {
	return c.DomainURIs > 0 || c.DomainURIsMax > 0 || c.HostsPerDomain > 0 || c.HostsPerDomainMax > 0 || c.domainBudget()
}

// caps reports whether the number of URIs known, or of hosts, has limits.
func (c *LimitsConfig) caps() bool {
	return c.HostURIs > 0 || c.HostURIsMax > 0 || c.DomainURIs > 0 || c.DomainURIsMax > 0 || c.HostGuesses > 0 || c.HostsPerDomain > 0 || c.HostsPerDomainMax > 0
}

func (c *LimitsConfig) domainBudget() bool { return c.DomainDocuments > 0 || c.DomainBytes > 0 }

func (c *LimitsConfig) encode() []byte {
	var values []int64
	for _, f := range c.fields() {
		values = append(values, f.val)
	}
	return schema.EncodeLimits(values)
}

// spent is a budget's limits and what was used.
func spent(documents, bytes int64, y schema.Tally) bool {
	return documents > 0 && y.URIs >= documents || bytes > 0 && y.Bytes >= bytes
}

func (c *LimitsConfig) hostSpent(h *schema.Host) bool {
	return h.Tally != nil && spent(c.HostDocuments, c.HostBytes, *h.Tally)
}

func (c *LimitsConfig) domainSpent(d *schema.Domain) bool {
	return spent(c.DomainDocuments, c.DomainBytes, schema.Tally{URIs: int64(d.Documents), Bytes: int64(d.Bytes)})
}

func (c *LimitsConfig) sourceSpent(y schema.Tally) bool {
	return spent(c.SourceDocuments, c.SourceBytes, y)
}

// admit decides whether a URI of the host may become known, which fresh says is not. When a
// cap is reached, the worst waiting URI of the host gives way to a better one.
func (t *tx) admit(r *schema.Record, h *openHost, fresh bool) (ok bool, err error) {
	l := &t.f.o.Limits
	if r.IsPrereq() || r.Seed || !l.caps() {
		return true, nil
	}
	d, err := t.domain(r.Host)
	if err != nil {
		return false, err
	}
	if fresh && d != nil && l.hostsFull(&d.Domain, r.Found) && !(r.Needed() && r.Kind != crawl.LinkNav) {
		return false, nil
	}
	if l.HostGuesses > 0 && !t.f.order.FollowUseless && guess(r) && h.Guessed >= uint64(l.HostGuesses)+h.Valid/validPerGuess {
		return t.giveWay(r, guess)
	}
	full := func(known, valid uint64, soft, hard int64) bool {
		return hard > 0 && known >= uint64(hard) ||
			soft > 0 && known >= uint64(soft)+uint64(l.URIsPerValid)*valid && !r.Needed()
	}
	if !full(h.Known, h.Valid, l.HostURIs, l.HostURIsMax) && (d == nil || !full(d.Known, d.Valid, l.DomainURIs, l.DomainURIsMax)) {
		return true, nil
	}
	return t.giveWay(r, anyURI)
}

// mostGiveWay is how many URIs at the end of a queue are looked at.
const mostGiveWay = 32

// validPerGuess is how many valid pages of a host let one guess more be known.
const validPerGuess = 4

// moreOfValid is how many times more hosts of a domain links of valid pages may name, where the cap
// rises: the nation's blogs on a hoster come after those of others.
const moreOfValid = 10

// hostsFull reports whether a registered domain has as many hosts as may be known by links
// of such pages.
func (c *LimitsConfig) hostsFull(d *schema.Domain, by schema.Found) bool {
	soft := uint64(c.HostsPerDomain)
	if by == schema.FoundValid && c.HostsPerValid > 0 {
		soft *= moreOfValid
	}
	return c.HostsPerDomainMax > 0 && d.Hosts >= uint64(c.HostsPerDomainMax) ||
		c.HostsPerDomain > 0 && d.Hosts >= soft+uint64(c.HostsPerValid)*d.Valid
}

func anyURI(*schema.Record) bool { return true }

// giveWay forgets the worst waiting URI of the host that is of a kind when r is better,
// and reports whether it did.
func (t *tx) giveWay(r *schema.Record, is func(*schema.Record) bool) (gave bool, err error) {
	hash, mine := t.f.hash(t.f.queueName(r)), t.f.order.prec(r)
	if worst, looked := t.worst[hash]; looked && worst <= mine {
		return false, nil
	}
	it, err := t.ends(hash)
	if err != nil {
		return false, err
	}
	if t.worst[hash] = 0; it.Last() {
		t.worst[hash] = it.Key()[9]
	}
	for range mostGiveWay {
		if !it.Valid() || it.Key()[9] <= mine {
			return false, it.Error()
		}
		v, err := it.ValueAndErr()
		if err != nil {
			return false, err
		}
		id, err := schema.QueuedID(hash, v)
		if err != nil {
			return false, err
		}
		worst, err := t.record(id)
		if err != nil {
			return false, err
		}
		if worst != nil && worst.Host == r.Host && is(worst) && givesWay(worst, hash, it.Key()) && t.f.reserve(id) {
			return true, t.forget(worst)
		}
		it.Prev()
	}
	return false, it.Error()
}

// ends returns an iterator over a queue as it was before this commit. One serves the whole
// commit; who fails leaves it to discard.
func (t *tx) ends(queue uint64) (it *pebble.Iterator, err error) {
	prefix := schema.QueuePrefix(queue)
	if t.queues == nil {
		t.queues, err = t.f.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: schema.After(prefix)})
		return t.queues, err
	}
	t.queues.SetBounds(prefix, schema.After(prefix))
	return t.queues, nil
}

// givesWay reports whether a URI that waits at the key may be forgotten: nobody refers
// to it in a way that must last.
func givesWay(r *schema.Record, queue uint64, key []byte) bool {
	return r.State == schema.Waiting && r.Finishes == 0 && !r.Seed && !r.Force && !r.Targeted && !r.Needed() &&
		bytes.Equal(schema.QueueKey(queue, r.Precedence, r.Seq), key)
}

// reserve keeps a URI from being offered; false: a ToeThread has it.
func (f *Frontier) reserve(id crawl.ID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.process[id] != nil {
		return false
	}
	f.reserved[id] = true
	return true
}

// forget removes a waiting URI from the state.
func (t *tx) forget(r *schema.Record) error {
	if err := t.dequeue(r); err != nil {
		return err
	}
	t.dropped[t.f.hash(t.f.queueName(r))] = true
	t.st.Dropped++
	if _, _, err := t.unlearnURI(r); err != nil {
		return err
	}
	t.recs[r.ID] = nil
	t.freed = append(t.freed, r.ID)
	return t.b.Delete(schema.URIKey(r.ID), nil)
}

// quota retires the queue of a URI that was just counted when a budget is spent.
func (t *tx) quota(r *schema.Record) error {
	l := &t.f.o.Limits
	q, _, err := t.queue(r)
	if err != nil {
		return err
	}
	switch d, err := t.domain(r.Host); {
	case err != nil:
		return err
	case t.f.cfg.queueKey() == QueueByHost && l.hostSpent(&q.Host):
		q.Retired = schema.HostBudget
	case d != nil && l.domainSpent(&d.Domain):
		q.Retired = schema.DomainBudget
	}
	return nil
}

// revive puts a retired queue that gets a URI back in order, unless the budget that
// would pay for the URI is spent still.
func (t *tx) revive(r *schema.Record, q *openHost) error {
	l, spent := &t.f.o.Limits, false
	switch q.Retired {
	case schema.HostBudget:
		spent = l.hostSpent(&q.Host)
	case schema.DomainBudget:
		d, err := t.domain(r.Host)
		if err != nil {
			return err
		}
		spent = d != nil && l.domainSpent(&d.Domain)
	case schema.SourceBudget:
		spent = !r.IsPrereq() && r.SourceTag != "" && l.sourceSpent(t.source(r.SourceTag))
	}
	if !spent {
		q.Retired = schema.NotRetired
	}
	return nil
}

// mayNotAsk returns why the head of a queue must not be asked for. f.mu is held.
func (f *Frontier) mayNotAsk(r *schema.Record) (schema.Retirement, error) {
	if r.IsPrereq() {
		return schema.NotRetired, nil
	}
	l := &f.o.Limits
	if l.domainBudget() {
		if d, err := f.readDomain(r.Host); err != nil || l.domainSpent(d) {
			return schema.DomainBudget, err
		}
	}
	if r.SourceTag != "" && l.sourceSpent(f.tallies.sources[r.SourceTag]) {
		return schema.SourceBudget, nil
	}
	return schema.NotRetired, nil
}

// shelve puts URIs at the head of a queue whose sources' budgets are spent at its end,
// and retires the queue when nothing else is left.
func (t *tx) shelve(name string) error {
	hash := t.f.hash(name)
	q, err := t.host(name)
	if err != nil {
		return err
	}
	var heads []*schema.Record
	var until time.Time // the first of those wakes that rest
	past := 0
	err = scan(t.f.db, schema.QueuePrefix(hash), func(k, v []byte) error {
		id, err := schema.QueuedID(hash, v)
		if err != nil {
			return err
		}
		r, err := t.record(id)
		if err != nil {
			return err
		}
		if r == nil || r.State != schema.Waiting || !bytes.Equal(schema.QueueKey(hash, r.Precedence, r.Seq), k) {
			return nil
		}
		if len(heads) == maxLinks {
			return errStop
		}
		if r.IsPrereq() || r.SourceTag == "" || !t.f.o.Limits.sourceSpent(t.source(r.SourceTag)) {
			o, err := t.originFor(r, q, hash, false)
			if err != nil {
				return err
			}
			if o == nil || t.f.left(o.Until) == 0 {
				return errStop
			}
			if until.IsZero() || o.Until.Before(until) {
				until = o.Until
			}
			if past++; past > mostPast {
				return errAll // the others are not looked at before
			}
			return nil
		}
		if r.Precedence == schema.PrecShelved {
			return errAll
		}
		heads = append(heads, r)
		return nil
	})
	switch {
	case errors.Is(err, errStop):
	case err != nil && !errors.Is(err, errAll):
		return err
	case len(heads) > 0:
	case until.IsZero(): // all of them had been shelved
		q.Retired = schema.SourceBudget
	default:
		t.restUntil(q, until)
	}
	for _, r := range heads {
		if err := t.move(r, schema.PrecShelved); err != nil {
			return err
		}
	}
	return nil
}

// errAll ends a look at a queue of which nothing else may be asked for.
var errAll = errors.New("nothing else")

// mostPast is how many URIs that rest are passed over in a commit.
const mostPast = 10 * maxLinks

// SameLimits reports whether the limits are those by which queues were retired in the last run;
// others may put some back in line when the frontier is opened to crawl.
func (f *Frontier) SameLimits() (bool, error) {
	was, err := get(f.db, schema.MetaKey(schema.MetaLimits))
	return bytes.Equal(was, f.o.Limits.encode()), err
}

// wakeRetired puts queues back in line whose budgets are greater now, when the limits
// are not those of the last run.
func (f *Frontier) wakeRetired() error {
	now := f.o.Limits.encode()
	was, err := get(f.db, schema.MetaKey(schema.MetaLimits))
	if err != nil || bytes.Equal(was, now) {
		return err
	}
	b := f.db.NewBatch()
	err = scan(f.db, schema.Retired.Prefix(), func(k, _ []byte) error {
		p := schema.ReadPlace(k)
		v, err := get(f.db, schema.HostKey(p.Host))
		if err != nil {
			return err
		}
		h, err := schema.DecodeHost(v)
		if err != nil {
			return err
		}
		switch h.Retired {
		case schema.HostBudget:
			if f.o.Limits.hostSpent(h) {
				return nil
			}
		case schema.DomainBudget:
			d, err := f.readDomain(h.Name)
			if err != nil {
				return err
			}
			if f.o.Limits.domainSpent(d) {
				return nil
			}
		}
		h.Retired = schema.NotRetired
		to := f.order.stands(h, p.Host)
		f.st.Moved(p, to)
		f.changes.step(retired, f.standsAt(p.Host, to))
		return errors.Join(b.Delete(k, nil), b.Set(to.Key(), nil, nil), b.Set(schema.HostKey(p.Host), h.Encode(), nil))
	})
	if err != nil {
		return errors.Join(fmt.Errorf("queues that were retired: %w", err), b.Close())
	}
	if err := errors.Join(b.Set(schema.MetaKey(schema.MetaLimits), now, nil), b.Set(schema.MetaKey(schema.MetaStats), f.st.Encode(), nil)); err != nil {
		return errors.Join(err, b.Close())
	}
	return f.commit(b, pebble.Sync)
}
