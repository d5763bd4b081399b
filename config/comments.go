package config

// comments are the texts of the template, by path; "" is the head of the file.
// A test fails when a key of the tree has none.
func comments() map[string]string {
	return map[string]string{
		"": `A crawl job of exclave. Every setting is here with its default; a line left out
means the same. Check with: exclave check FOLDER
Durations are written "500ms", "30s", "15m", "6h"; sizes are bytes.`,

		"job":             `What the crawl is.`,
		"job.name":        `Letters, digits, ".", "_" and "-"; stands in every WARC file.`,
		"job.description": `For people; stands in every WARC file.`,
		"job.operator":    `Who crawls; stands in every WARC file.`,
		"job.seeds": `Lists of URLs, one a line, and logs of links that other harvests left out (Heritrix,
Browsertrix, Veidemann, exclave), CDX, CDXJ, SURT prefixes; plain, gzip or zstd.`,
		"job.seed_credentials": `A seed http://name:password@host/: "refuse" it; "drop" name and password; "use" them
for all of that server. They are read from the files of seeds at each start; only
those, and their copies in checkpoints, hold them.`,
		"job.seed_traps": `Take from logs also what was refused as a trap there: too many hops, a path that
repeats itself, too many segments. Lists are always taken whole.`,

		"crawl":             `The crawl as a whole. A limit of 0 is none; at a limit the crawl stops in order.`,
		"crawl.toe_threads": `URLs processed at the same time, 1 … 10,000.`,
		"crawl.max_time":    `Duration of this run.`,
		"crawl.max_urls":    `Answers fetched in this run.`,
		"crawl.max_bytes":   `Bytes received in this run.`,
		"crawl.grace": `How long a stop waits for the URLs in process. What is then not about to be written is
cut short, and offered again by the next run.`,
		"crawl.min_free_disk": `Bytes that must stay free on the disk of the job; with less the crawl pauses until
there is room. 0 = not looked at.`,
		"crawl.max_storage": `Bytes of WARC files that the job may have, over all its runs.`,
		"crawl.memory_limit": `Bytes of memory that the process keeps to as far as it can, at least 268,435,456: it
collects garbage more often when it comes close. 0 = no limit. GOMEMLIMIT in the
environment, when set, counts instead.`,
		"crawl.statistics_interval": `Between two lines of logs/progress-statistics.log, at least 1s.`,
		"crawl.analyse_linked": `Judge the pages that an archived page links to. With false a national site is
left at its first valid page when the depth is 0.`,
		"crawl.links_log":              `Write every link of every page into logs/links.log: docs/formats/links-log.md.`,
		"crawl.fetch_unclaimed_embeds": `Fetch images and styles also of pages that are not archived. Costly.`,

		"http": `How pages are asked for.`,
		"http.contact": `Compulsory: the URL of a page that says who crawls, and why. It stands in every
request.`,
		"http.user_agent":      `"" = "Mozilla/5.0 (compatible; exclave/VERSION +CONTACT)". Must hold the contact.`,
		"http.from":            `E-mail address sent with every request; "" = none.`,
		"http.robots_token":    `The name that robots.txt calls this crawler by.`,
		"http.accept":          `Value of the header field Accept.`,
		"http.accept_language": `Value of Accept-Language: "profile" = the languages that the job's profiles look for, then any; "" = none.`,
		"http.referrer_policy": `What Referer tells of the page that led to a URL: "strict-origin-when-cross-origin" as browsers, "unsafe-url" = its whole
address as Heritrix, "no-referrer".`,
		"credential": `User names for parts of the web, and where their passwords are: docs/howto/login.md. A job has none at first:
[[credential]]
prefix = "https://www.example.org/members/"
user = "archive"
password_env = "EXAMPLE_PASSWORD" # or password_file, which only its owner may read
realm = ""                        # of HTTP authentication: the only one that it is for; "" = any
login = ""                        # the page with the form; "" = HTTP authentication
user_field = ""                   # name of the form's field for the user
password_field = ""               # and for the password
fields = {}                       # further fields`,
		"http.cookies":        `Keep a jar for the job, and send what servers set. By host: sheets.`,
		"http.cookies_file":   `A cookies.txt (Netscape's form) whose cookies the jar has from the beginning; "" = none. Only its owner may read it.`,
		"http.proxy":          `What servers are connected to through: "http://host:port" (it must allow CONNECT) or "socks5://host:port"; "" = nothing. Its user name and password are in a [[credential]]. By host: sheets.`,
		"http.source_address": `The address of this machine that connections come from; "" = any. A crawl does not begin on one without it. By host: sheets.`,
		"http.max_rate":       `Bytes a second that are received of all answers together; 0 = any.`,
		"http.host_rate":      `And of one server's. By host: sheets.`,
		"http.soft_404": `Pages that a server gives for addresses that do not exist, told by one request for a random one: "off"; "mark" = annotation soft404;
"hold" = do not follow their links, either, but for embeds and those of seeds. What such pages have of their own may be numbers, dates and ids, words of the address, and of each 50 words one, three at most. By host: sheets.`,
		"http.headers":        `Further header fields of every request. Those of some hosts: sheets (docs/howto/sheets.md).`,
		"http.timeout":        `How long one answer may take in all.`,
		"http.socket_timeout": `How long to wait for a connection, and for each next byte.`,
		"http.header_timeout": `How long connecting, TLS and the header may take together.`,
		"http.least_rate": `Bytes a second of a body that must come; with less for a quarter more than
socket_timeout the rest is given up, and the record says so. 0 = any rate. Slow
servers, and bodies of less than eight times that after half a minute, hold at most
half of the ToeThreads.`,
		"http.max_size": `Bytes of a body that are received; what is longer is cut, and the record says
so. 0 = all.`,
		"http.max_sizes": `The same by media type, such as { "video/*" = 500000000, "application/pdf" = 50000000 };
the most exact one that fits the Content-Type counts.`,
		"http.too_long": `What is received of a body that says to be longer: "cut", so much of it; "refuse",
nothing. exclave report JOB truncated lists both, exclave retry --truncated asks again.`,
		"http.max_header":        `Bytes of a header that are received, 1,024 … 1,048,576.`,
		"http.robots_ttl":        `How long a robots.txt is relied on.`,
		"http.certificates":      `"accept": any certificate, and what is wrong with it is noted; or "verify".`,
		"http.root_certificates": `PEM files of authorities that are trusted too.`,
		"http.connect_to": `Other addresses for hosts: { "www.example.com:80" = "127.0.0.1:8080" }, or
"*:80" for all others.`,
		"http.allow": `Private and local address ranges that may be contacted nevertheless:
["127.0.0.0/8"], or one port: ["127.0.0.1:8080"]. Ports that browsers refuse are opened by name only.`,
		"http.refuse":        `What is never contacted, in the same form: public ranges of your own. Goes before allow.`,
		"http.max_idle":      `Connections kept open between requests, of all servers together.`,
		"http.idle_timeout":  `For how long.`,
		"http.record_memory": `Bytes of an answer held in memory; the rest goes to a scratch file.`,

		"dns":             `How host names are looked up.`,
		"dns.servers":     `Such as "127.0.0.1:5353". Empty = those of the system.`,
		"dns.timeout":     `How long one server is waited for.`,
		"dns.attempts":    `How often the list of servers is gone through.`,
		"dns.prefer_ipv6": `Ask for IPv6 addresses first.`,
		"dns.min_ttl":     `An answer is valid at least so long, whatever it says …`,
		"dns.max_ttl":     `… and at most so long.`,
		"dns.rate":        `Questions a second to each server; 0 = as many as there are.`,

		"robots": `robots.txt.`,
		"robots.policy": `"obey"; "ignore" for owners of the hosts that are crawled, which ignores ` + "`nofollow`" + ` of pages, too; "obey-but-embeds" = fetch the images, style sheets and scripts
of archived pages all the same; "most-favored" = fetch what any crawler may that the file names. By host: sheets.`,
		"sitemaps":               `Sitemaps name pages that no page links to.`,
		"sitemaps.use":           `"off"; "robots" = those that robots.txt names; "all" = also well_known, where it names none. By host: sheets.`,
		"sitemaps.well_known":    `Paths where sitemaps may be.`,
		"robots.unreachable_for": `After how long a robots.txt that could not be had counts as absent (RFC 9309: for example 30 days); 0 = never.`,

		"frontier":                 `Politeness and patience.`,
		"frontier.delay_factor":    `The delay between two requests to a host: this × duration of the last one …`,
		"frontier.min_delay":       `… at least …`,
		"frontier.max_delay":       `… and at most.`,
		"frontier.max_crawl_delay": `The longest delay that a robots.txt can ask for.`,
		"frontier.max_retry_delay": `retry_delay doubles with each failure of a host, up to this, and halves with each
answer.`,
		"frontier.refused_burst": `A host that answers 403 this many times in a row rests as after a failure; 0 = never.`,
		"frontier.connections_per_host": `URIs of a queue that are in process at the same time, 1 … 8. With more than 1,
they begin min_delay (or the Crawl-delay) apart; delays hold from each answer on. A
host that failed is asked for one at a time until it answers again.`,
		"frontier.hosts_per_address": `Hosts of one IP address that are asked at the same time; 0 = any number. A server with
a thousand names is one machine to its owner. Addresses of content networks stand for
thousands of machines, though: thousands of hosts behind a few of them wait for each
other. When exclave why JOB says that they hold up the crawl, more is no harm.`,
		"frontier.address_delay": `Least time between the beginnings of two requests to an IP address: it bounds what all
the hosts there get in a second.`,
		"frontier.pause_after": `Requests to a host after which its IP address rests, with all its hosts; 0 = never.`,
		"frontier.pause":       `How long it rests then.`,
		"frontier.hosts_in_memory": `Hosts with URLs waiting that are in memory at most, about 500 bytes each; the
others wait on disk.`,
		"frontier.queue_key": `URLs that share a queue, and with it the delays: "host"; "authority", host and port;
"domain", the registered domain; "address", the IP address. Cannot be changed after the
first crawl.`,
		"frontier.max_retries":     `Attempts at a URL that fails in a way that may pass.`,
		"frontier.retry_delay":     `How long its host rests after each.`,
		"frontier.max_retry_after": `The longest rest that a server's Retry-After can ask for.`,
		"frontier.dns_retries":     `Attempts at a host name.`,
		"frontier.dns_retry_delay": `How long between them.`,
		"frontier.robots_retries":  `Attempts at a robots.txt.`,
		"frontier.self_redirects":  `How often a redirect to another form of the same address is followed.`,

		"order": `What goes first, and what is left for later: docs/howto/order.md.`,
		"order.policies": `What ranks the URLs of a queue, the first most: "kind" (seeds, what archived pages
need, links), "relevance" (links of valid pages, what else archived pages need, links of
pages nearly valid, of unknown ones, of useless ones), "hops", "depth-first", "score",
"topical".`,
		"order.queues":       `Which queues go first: "fair", all alike; "best", those whose next URL ranks best.`,
		"order.faster_first": `Queues of servers that answer faster go first among their like.`,
		"order.session_balance": `URLs of a queue that are asked for before it goes behind those that wait for their
turn on disk; 0 = all of them.`,
		"order.error_penalty":     `What a failure costs of the balance.`,
		"order.topics":            `Domains that policy topical puts first.`,
		"order.wanted_extensions": `What policy score gives points for: extensions of URLs …`,
		"order.wanted_types":      `… and types of documents that lead to them.`,
		"order.follow_useless": `true: follow all links, whatever the pages are they stand on, and however long they
lead to nothing. false: by the next three, and limits.host_guesses, since most of the web is
not the nation's.`,
		"order.useless_pages": `So many pages in a row, along a path of links, that are not national and not nearly so,
end it: links of the last are not followed. Behind two a national page in twenty lies,
behind four one in a hundred. 0 = they are followed.`,
		"order.empty_pages": `So many pages in a row end a path as well that lead to nothing new but addresses that
differ from their own in numbers only: calendars after the last event, lists after the
last page, in the nation's language too. 0 = they do not.`,
		"order.followed_hops": `Within so many link hops of a seed all links are followed nevertheless: what is near
to a seed is likely the nation's.`,
		"order.rounds": `Rounds, each of at most round_urls URLs and round_host_urls of a queue; the crawl ends
after the last. 0 = no limit.`,
		"order.round_urls":      `0 = no limit.`,
		"order.round_host_urls": `0 = no limit.`,

		"limits": `What grows no further; 0 = no limit. What can get infinite will: hosts that yield may
grow, others stay small. What is beyond a cap is counted and forgotten; a queue whose
budget is spent is retired and goes on when a later run raises the budget:
docs/howto/order.md.`,
		"limits.host_uris": `URLs of a host that are known, images of pages among them that nobody fetches. At the
cap the worst that waits gives way to a better one. Few sites without a page of the
nation need more for that to be seen …`,
		"limits.host_uris_max": `… for each valid page of the host the cap rises by uris_per_valid, up to this, the end
of any trap: at a request in 3 s it takes 17 days.`,
		"limits.domain_uris":     `The same for registered domains: hosts of one owner that lead to each other.`,
		"limits.domain_uris_max": `The same for registered domains.`,
		"limits.uris_per_valid":  `By how much a valid page raises the caps of its host and domain: what a page shows and links to.`,
		"limits.host_guesses": `URLs of a host that are known only because pages lead to them that are not national
and not nearly so, but for what a seed links to, and one more for each four valid pages:
how long a foreign site is searched for what may be there. What is nearer to a seed goes
first. Does not hold with follow_useless.`,
		"limits.hosts_per_domain": `Hosts of a registered domain that are known: link farms have no end of them. Domains
are by the public suffix list: each blog of blogspot.com is one. Links of valid pages may
name ten times as many (with hosts_per_valid), seeds all …`,
		"limits.hosts_per_domain_max": `… hosters it does not know have valid pages: the cap rises with them, up to this.`,
		"limits.hosts_per_valid":      `By how many hosts a valid page raises the cap of its domain.`,
		"limits.host_documents":       `Budgets of documents, which are lines of crawl.log: answers, failures, robots.txt …`,
		"limits.host_bytes":           `… and of bytes received. Budgets of hosts, of all their schemes together, need queue_key = "host".`,
		"limits.domain_documents":     `The same for registered domains …`,
		"limits.domain_bytes":         `… in bytes.`,
		"limits.source_documents":     `The same for source tags …`,
		"limits.source_bytes":         `… in bytes.`,

		"url": `When two addresses are the same. Each rule merges addresses that some server
tells apart: docs/howto/url-rules.md. The rules of a job cannot be changed after its
first crawl.`,
		"url.strip_www":            `www.example.com = example.com`,
		"url.strip_index":          `/index.html = /`,
		"url.strip_trailing_slash": `/a/ = /a`,
		"url.merge_slashes":        `//a///b = /a/b`,
		"url.lower_case_path":      `/A = /a`,
		"url.normal_escapes":       `/%7ea%2f = /~a%2F`,
		"url.strip_session_ids": `/a;jsessionid=1?PHPSESSID=2 = /a. Servers that put an id into each link give a page a
new address with each visit; which one is met first is asked for as it is.`,
		"url.strip_tracking": `/a?utm_source=x = /a`,
		"url.sort_query":     `/a?b=1&a=2 = /a?a=2&b=1`,
		"url.host_rules": `File that says which host names mean the same, like "hosts.properties"; LARM's
lines startsWith(www.)=, endsWith(.foo.com)=.bar.com, synonym(a.com)=b.com.`,

		"documents": `How documents are read for links, and judged.`,
		"documents.at_once": `Documents read at the same time, of all the ToeThreads; 0 = as many as there are
processors. Of those longer than 1 MiB at most 2.`,
		"documents.max_time": `How long the extraction of links of one document may take, and how long its
analysis; what was found until then is kept, and crawl.log says extract:time or
analysis:time. 0 = no limit.`,

		"documents.packed": `Read the documents in ZIP, tar, gzip and bzip2 files, too: links that name a server, and the
text, which is judged where a profile's judged_types names the file's type.`,

		"analysis":          `Which pages are national.`,
		"analysis.profiles": `Built in: "cz", "sk" and more (exclave profile show). Or paths of files: "my.toml". At most 4.`,
		"analysis.evidence": `What a verdict keeps of e-mails, numbers and words: "full", "hashed", "counts";
"" = as the profile says.`,
		"analysis.geoip": `MaxMind DB file that says in which country an address is; "" = searchers of kind
geoip are off.`,
		"analysis.geoip_asn": `MaxMind DB file that says who owns a network (GeoLite2-ASN), for the evidence of
those searchers; "" = unless the first one says it.`,
		"analysis.max_text": `Bytes of a page's text that are looked at.`,
		"analysis.depth": `Link depth archived from a valid page, 0 … 1,000,000: 0 is the page and what it
needs to display. -1 = as the profile says.`,

		"whois": `Where registrants of domains are: searchers of kind whois, docs/formats/profile.md#whois.`,
		"whois.server": `WHOIS server that is asked first, host or host:port, such as "whois.iana.org"; "" = nobody
is asked, and those searchers are off.`,
		"whois.min_delay": `Least time between an answer and the next question to the same server.`,
		"whois.per_hour":  `Questions to a server in an hour.`,
		"whois.timeout":   `How long a page is held up for an answer, at most.`,
		"whois.ttl":       `How long an answer counts.`,

		"checkpoint": `Points to go back to, or to begin other crawls from: docs/howto/checkpoint.md.`,
		"checkpoint.every": `Time between two checkpoints of the running crawl, at least 1s; 0 = only those that
exclave checkpoint asks for.`,
		"checkpoint.keep": `The newest so many stay, older ones are deleted when a new one is complete; 0 = all
stay. Those that were given a name stay, and do not count.`,

		"logs": `How crawl.log, analysis.jsonl and out-of-scope.jsonl roll: docs/formats/crawl-log.md.`,
		"logs.max_size": `At this size a log gets the time behind its name (crawl.log.20261123101946) and begins
anew; 0 = never.`,
		"logs.compress": `Compress what was rolled (crawl.log.20261123101946.gz); zcat -f crawl.log.* crawl.log
reads all.`,

		"metrics": `Numbers of the running crawl for Prometheus.`,
		"metrics.address": `"127.0.0.1:9090"; "" = off. Who reaches the address can read them: other machines
too when it is not loopback.`,

		"warc":        `WARC files.`,
		"warc.prefix": `First part of the file names.`,
		"warc.name": `Names of the files, without .warc.gz or .warc.zst: {prefix}, {timestamp17} (with milliseconds) or
{timestamp14}, {serial}, {pid}, {host}. The serial number stands behind the time.`,
		"warc.max_size":  `At this size a file takes no further page.`,
		"warc.pool_size": `Files written at the same time.`,
		"warc.compression": `"gzip", which every program reads, or "zstd": docs/howto/zstd.md. A file that was begun
is finished in its form.`,
		"warc.gzip_level": `1 fast … 9 small.`,
		"warc.cdxj": `Each file that is complete is indexed for replay, in the folder indexes:
docs/howto/replay.md.`,
		"warc.zstd_level": `1 fast … 22 small, in four steps: 1, 3, 6, 10.`,
		"warc.zstd_dictionary": `File of a dictionary, made by exclave warc dictionary or zstd --train: small records
become smaller; "" = none.`,

		"warc.payload_digest": `Of answers in chunks, WARC-Payload-Digest is that of "stored" bytes, as warcio, gowarc and
FastWARC want it, or of the "entity" without chunks, as jwarc and the standard's letter do.`,

		"dedup": `Content that is archived already: only a revisit record is written, which refers to the
earlier one: docs/howto/dedup.md.`,
		"dedup.within_job": `Look for it among what this job has archived.`,
		"dedup.by": `"digest": content that is the same, at whatever address; "url-digest": at the same
address.`,
		"dedup.min_size": `Bytes of a body from which on it is looked for.`,
		"dedup.revisit_only": `Of a URI that is asked for again and did not change, only the revisit record is
written: what its request, metadata and verdict records say was said before.`,
		"dedup.near_distance": `Pages nearly the same are counted: those of which the simhashes of the texts differ in at
most so many bits, 1 … 7. Less is stricter; 0 = off.`,
		"dedup.index": `Folders made by exclave dedup build: what other archives have of images and other
content without text or links is not archived again.`,
		"dedup.servers": `Servers of an index of captures that are asked for the same beside: collections of
OutbackCDX (http://host:8080/collection) and indexes of pywb (http://host:8080/collection/cdx).`,
		"dedup.server_timeout":     `How long an answer may take; without one the content is archived whole.`,
		"dedup.server_connections": `Questions to each of them at the same time.`,
		"dedup.server_logins": `A file with lines https://name:password@host/ for servers that want them; "" for
none.`,

		"store": `Complete WARC files are stored elsewhere beside the crawl, one after the other, and compared there;
exclave store does the same at any time: docs/howto/storage.md.`,
		"store.to":       `"s3://BUCKET/PREFIX", "file:///FOLDER" or a folder, on another disk; "" = nowhere.`,
		"store.endpoint": `URL of the S3 server, "https://s3.example.org:9000"; "" = Amazon's.`,
		"store.region":   `Region of the bucket; servers other than Amazon's take this one.`,
		"store.credentials": `A file in the form of AWS's shared credentials (profile "default", or that of AWS_PROFILE);
"" = AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment. No key belongs here.`,
		"store.ca":        `PEM file of certificates that are trusted beside the system's; "" = none.`,
		"store.delete":    `Delete a file here once it is stored, compared and registered.`,
		"store.read_back": `Read each object from its place to compare it, also when the server states its SHA-256.`,
		"store.part_size": `Bytes sent in one request: what is sent again at most after an upload broke off.`,

		"scope": `Which links and seeds are followed. The last rule that says something wins; logs and
reports name it. Rules: accept, reject, seeds, prerequisite, hosts, regex,
surt-prefixes (with list = [...] or file = "...", and decision = "accept" or "reject"; hosts:
with all below them; surt-prefixes: also URLs, what begins as they are written),
too-many-hops, too-many-path-segments, pathological-path, transclusion (with max = N),
traps (with list = patterns: docs/howto/traps.md). What stands behind "seeds" holds for
seeds too: they come from logs, with the traps and the own domain of another harvest.
What archived pages embed is let in by "transclusion", behind both.`,

		"chain": `The steps of the five chains, in their order. A chain that is named here has
exactly the steps named; the others have all. A step can have rules of its own
([[chain.extract.rules]], written as in scope): a URL they reject skips the
step. The steps that a job has without this section:`,
	}
}
