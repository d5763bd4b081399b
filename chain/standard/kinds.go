package standard

import (
	"exclave/analyzer"
	"exclave/chain"
	"exclave/chain/decide"
	"exclave/chain/extract"
	"exclave/chain/fetch"
	"exclave/chain/post"
	"exclave/chain/prefetch"
	"exclave/chain/write"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/conf"
	"exclave/internal/markup"
	"exclave/internal/robots"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
	"io"
)

// Env is what processors are made of. Everything in it belongs to the job and
// outlives the chains.
type Env struct {
	Dir    string // the job's folder: where relative files of rules start
	Clock  clock.Clock
	Depths crawl.Depths
	Keys   urlx.Rules
	Scope  *decide.Sequence
	Sheets *sheet.Live // nil = there are none
	Hosts  chain.Hosts
	Robots robots.Policy
	// LinksLog takes the lines of links.log; nil: there is none.
	LinksLog io.Writer
	// RobotsToken is what robots.txt and directives of pages call the crawler by.
	RobotsToken string
	Resolver    fetch.Resolver
	HTTP        *fetch.HTTP // opened by the job, from its own section of job.toml
	Analyzer    *analyzer.Analyzer
	Room        *extract.Room // where documents are read
	Packed      bool          // what is in ZIP, tar, gzip and bzip2 files is read, too
	Whois       extract.Whois // nil = nobody is asked
	Archive     write.Pool
	Reader      fetch.ArchiveReader
	// Dedup says which answers Originals is asked for.
	Dedup        write.DedupConfig
	Originals    write.Originals // nil = none is known
	Earlier      write.Earlier   // nil = there are no other archives
	EntityDigest bool            // payload digests of answers in chunks are those of entities
	// FileName gives the final name of a WARC file by its number, "" when unknown.
	FileName func(number uint32) string
}

// Kinds that reports tell apart.
const (
	KindWebAnalyzer       = "web-analyzer"
	KindWARC              = "warc"
	KindLinksScoper       = "links-scoper"
	KindFrontierScheduler = "frontier-scheduler"
)

// Kind is a row of the table.
type Kind struct {
	Chain chain.Name
	Kind  string // unique within its chain
	Doc   string // what it does, for people: one sentence
	// New makes the processor; keys of problems are relative to the options.
	New func(env *Env, options map[string]any) (chain.Processor, conf.Problems)
}

// Kinds returns the table of built-in processors, chain by chain in the order in
// which a new job has them.
func Kinds() []Kind {
	kinds := []Kind{
		{chain.PreFetch, "preselector", "asks the scope again, since rules or claims may have changed, and whether a sheet blocks the URI", plain(func(e *Env) chain.Processor { return prefetch.NewPreselector(e.Scope, e.Sheets, e.Clock) })},
		{chain.PreFetch, "preconditions", "sees to it that address and robots.txt are known, and obeys the latter", plain(func(e *Env) chain.Processor { return prefetch.NewPreconditions(e.Robots, e.Hosts, e.Clock) })},
		{chain.Fetch, "archive", "reads a page that is only to be judged from the archive", plain(func(e *Env) chain.Processor { return fetch.NewArchive(e.Reader) })},
		{chain.Fetch, "dns", "looks up hosts", plain(func(e *Env) chain.Processor { return fetch.NewDNS(e.Resolver, e.Clock) })},
		{chain.Fetch, "ftp", "fetches files and directories of FTP servers, as the HTTP client's settings say", plain(func(e *Env) chain.Processor { return fetch.NewFTP(e.HTTP) })},
		{chain.Fetch, "whois", "asks WHOIS servers for whois: URIs, as the HTTP client's settings say", plain(func(e *Env) chain.Processor { return fetch.NewWhois(e.HTTP) })},
		{chain.Fetch, "http", "fetches http and https; its options are those of the HTTP client, in a section of their own", plain(func(e *Env) chain.Processor { return e.HTTP })},
		{chain.Extract, "sitemap", "entries of what robots.txt or an index names as a sitemap", newSitemap},
		{chain.Extract, "ftp", "what a directory of an FTP server has", newExtractFTP},
		{chain.Extract, "http", "links in the header fields Location, Link, Refresh and Content-Location", newExtractHTTP},
	}
	for _, m := range documents() {
		kinds = append(kinds, Kind{chain.Extract, m.kind, m.doc, newMarkup(m.formats)})
	}
	return append(kinds,
		Kind{chain.Extract, "packed", "links and text of documents in ZIP, tar, gzip and bzip2 files, where documents.packed is set", newPacked},
		Kind{chain.Extract, "soft-404", "marks pages that stand for addresses that do not exist, as http.soft_404 says", plain(func(*Env) chain.Processor { return extract.NewSoft404() })},
		Kind{chain.Extract, "directives", "heeds noindex and noarchive of robots meta elements and X-Robots-Tag, by setting", newDirectives},
		Kind{chain.Extract, KindWebAnalyzer, "judges pages by the profiles; comes last", newWebAnalyzer},
		Kind{chain.Write, KindWARC, "archives what the claims ask for, with the DNS answer and robots.txt it needed", newWARC},
		Kind{chain.Post, "crawl-state-updater", "decides whether the URI is done, tried again or put off", plain(func(*Env) chain.Processor { return post.NewStateUpdater() })},
		Kind{chain.Post, "links-log", "writes links.log, when the job has one", plain(func(e *Env) chain.Processor { return post.NewLinksLog(e.LinksLog, e.Keys) })},
		Kind{chain.Post, KindLinksScoper, "turns links into candidates, as the scope decides; writes out-of-scope.jsonl", newLinksScoper},
		Kind{chain.Post, KindFrontierScheduler, "hands candidates to the frontier", plain(func(*Env) chain.Processor { return post.NewFrontierScheduler() })},
		Kind{chain.Post, "crawl-log", "writes crawl.log", plain(func(e *Env) chain.Processor { return post.NewCrawlLog(e.FileName, e.Clock) })},
		Kind{chain.Post, "analysis-log", "writes analysis.jsonl", plain(func(e *Env) chain.Processor { return post.NewAnalysisLog(e.Clock) })},
	)
}

// Default returns the chains of a new job: every built-in processor, in order.
func Default() map[chain.Name][]StepConfig {
	out := map[chain.Name][]StepConfig{}
	for _, k := range Kinds() {
		out[k.Chain] = append(out[k.Chain], StepConfig{Kind: k.Kind})
	}
	return out
}

type document struct {
	kind, doc string
	formats   []markup.Kind
}

func documents() []document {
	return []document{
		{"html", "links of HTML and XHTML", []markup.Kind{markup.HTML, markup.XHTML}},
		{"text", "links of Markdown, WebVTT, Turtle, calendars, bibliographies, shortcuts and messages (MHTML); plain text has none, and is read, whether or not it is judged",
			[]markup.Kind{markup.PlainText, markup.Markdown, markup.VTT, markup.Turtle, markup.Card, markup.Bibliography, markup.Shortcut, markup.Mail}},
		{"css", "imports, images and fonts of style sheets", []markup.Kind{markup.CSS}},
		{"js", "imports of scripts, and strings that look like addresses", []markup.Kind{markup.JS}},
		{"xml", "links of SVG, of XML by its vocabularies, feeds and sitemaps, RELAX NG", []markup.Kind{markup.SVG, markup.XML, markup.RNC}},
		{"json", "strings of JSON that look like addresses, files of glTF", []markup.Kind{markup.JSON, markup.GLTF}},
		{"playlist", "variants and segments of HLS and DASH, files of PLS", []markup.Kind{markup.HLS, markup.DASH}},
		{"manifest", "icons and addresses of web manifests", []markup.Kind{markup.Manifest}},
		{"pdf", "links and text of PDF files, links of PostScript", []markup.Kind{markup.PDF, markup.PostScript}},
		{"swf", "links and text of Flash", []markup.Kind{markup.SWF}},
		{"office", "links and text of Office Open XML, OpenDocument, EPUB and RTF", []markup.Kind{markup.OOXML, markup.ODF, markup.EPUB, markup.RTF}},
	}
}

// plain is a kind without options.
func plain(build func(*Env) chain.Processor) func(*Env, map[string]any) (chain.Processor, conf.Problems) {
	return func(env *Env, options map[string]any) (chain.Processor, conf.Problems) {
		return build(env), none(options)
	}
}

func newExtractHTTP(_ *Env, options map[string]any) (chain.Processor, conf.Problems) {
	c, problems := read(options, extract.DefaultHTTPConfig())
	return extract.NewHTTP(c), problems
}

func newExtractFTP(_ *Env, options map[string]any) (chain.Processor, conf.Problems) {
	c, problems := read(options, extract.DefaultFTPConfig())
	return extract.NewFTP(c), problems
}

func newSitemap(env *Env, options map[string]any) (chain.Processor, conf.Problems) {
	c, problems := read(options, extract.DefaultSitemapConfig())
	c.Room = env.Room
	return extract.NewSitemap(c), problems
}

func newDirectives(env *Env, options map[string]any) (chain.Processor, conf.Problems) {
	c, problems := read(options, extract.DirectivesConfig{})
	c.Token = env.RobotsToken
	return extract.NewDirectives(c), problems
}

func newMarkup(formats []markup.Kind) func(*Env, map[string]any) (chain.Processor, conf.Problems) {
	return func(env *Env, options map[string]any) (chain.Processor, conf.Problems) {
		c, problems := read(options, extract.DefaultConfig())
		c.Room, c.Token = env.Room, env.RobotsToken
		return extract.NewMarkup(c, formats...), problems
	}
}

func newWebAnalyzer(env *Env, options map[string]any) (chain.Processor, conf.Problems) {
	c, problems := read(options, extract.DefaultConfig())
	c.Room, c.Token = env.Room, env.RobotsToken
	w := extract.NewWebAnalyzer(env.Analyzer, env.Hosts, c)
	w.Ask(env.Whois)
	return w, problems
}

func newWARC(env *Env, options map[string]any) (chain.Processor, conf.Problems) {
	return write.NewWARC(env.Archive, env.Depths, env.Hosts, env.Clock, env.Dedup, env.Originals, env.Earlier, env.EntityDigest), none(options)
}

func newPacked(env *Env, options map[string]any) (chain.Processor, conf.Problems) {
	c, problems := read(options, extract.DefaultConfig())
	c.Room, c.Token, c.Off = env.Room, env.RobotsToken, !env.Packed
	return extract.NewMarkup(c, markup.Packed), problems
}

func newLinksScoper(env *Env, options map[string]any) (chain.Processor, conf.Problems) {
	c, problems := read(options, post.DefaultScopeConfig())
	c.Token, c.Robots = env.RobotsToken, env.Robots
	_, c.NofollowIsSet = options["obey_nofollow"]
	return post.NewLinksScoper(c, env.Scope, env.Depths, env.Keys, env.Clock), problems
}
