# What the pages of docs/howto may suppose to be there, beside the programs they name. Run by
# bash, once: each page has a copy of the folder, in which its commands will be run.

# The job of howto/first-job.md, crawled. Then seeds were given to it, which wait.
exclave init my-job --profile cz --contact https://library.example/crawler
$EDITOR my-job/job.toml my-job/seeds.txt
exclave crawl --quiet my-job
printf '%s\n' http://www.example.com/page http://www.example.com/report.pdf \
	http://calendar.example.com/2026/11 http://calendar.example.com/2026/12 | exclave seeds import my-job -

# Logs of other harvests, lists of addresses.
exclave bench seeds-log --lines 2000 --seed 1 | gzip >scope.log.gz
exclave bench seeds-log --lines 500 --seed 2 --format exclave >out-of-scope.jsonl
# A crawl.log of Heritrix has what was out of scope with the status -5000.
sed -E 's/^([^ ]+) +-?[0-9]+ /\1 -5000 /; s/example\.com/example.net/g' my-job/logs/crawl.log | gzip >crawl.log.gz
! command -v zstd >/dev/null || gzip -dc crawl.log.gz | zstd -q >crawl.log.zst
printf '{"url":"http://www.example.net/skipped","seedUrl":"http://www.example.com/","reason":"outOfScope","ts":"2026-03-01T10:00:00Z"}\n' >skippedPages.jsonl
printf 'http://www.example.net/a\nhttp://www.example.net/b\n' >uri_no_ex.txt
printf '1\tnotes\thttp://www.example.net/c\n' >list.tsv
mkdir -p harvest-2026 previous/logs
cp scope.log.gz harvest-2026/
cp my-job/logs/out-of-scope.jsonl previous/logs/

# A page, and what is said about addresses.
printf '<!DOCTYPE html><html lang="cs"><title>Pila</title><p>Ceník řeziva: volejte +420 222 333 444, pila@firma.cz' >page.html
printf '195.113.0.0\t195.113.255.255\t2852\tCZ\tCESNET\n' | gzip >ip2country-v4.tsv.gz
printf '2001:718::\t2001:718:ffff:ffff:ffff:ffff:ffff:ffff\t2852\tCZ\tCESNET\n' | gzip >ip2country-v6.tsv.gz
printf '195.113.7.0/24,SK\n' >corrections.csv
exclave geoip build --out countries.mmdb ip2country-v4.tsv.gz ip2country-v6.tsv.gz

# Frequencies of words, for a list.
for lang in pt es gl fr it en fi lv lt de; do printf 'palavra\t1e-4\n%s\t1e-4\n' "only$lang" >$lang.tsv; done

# Pages of which somebody knows which nation they belong to.
for i in 1 2 3 4 5 6 7 8 9 10; do
	printf '{"url":"http://cs%d.example/","html":"<html lang=cs><title>Pila</title><p>Můžete si u nás objednat řezivo %d","nations":["cz"],"language":"cs","source":"cs-%d"}\n' $i $i $i
	printf '{"url":"http://sk%d.example/","html":"<html lang=sk><title>Píla</title><p>Môžete si u nás objednať rezivo %d","nations":["sk"],"language":"sk","source":"sk-%d"}\n' $i $i $i
	printf '{"url":"http://en%d.example/","html":"<title>Saw</title><p>You can order timber from us %d","nations":[],"language":"en","source":"en-%d"}\n' $i $i $i
done >labelled.jsonl

# What the nation of docs/howto/new-nation.md is made of.
printf 'Meie pagariäri asutati üheksakümnendal aastal. Iga päev küpsetame värsket leiba, mida\nviime ümberkaudsetesse valdadesse. Võite meilt tellida ka torte ja kooke. Ootame teid.\n' >estonian.txt
printf 'SET UTF-8\n' >et_EE.aff
printf '6\nküpsetame\npäev\ntellida\nvõite\nvärsket\nootame\n' >et_EE.dic
printf 'Joka päivä leivomme tuoretta leipää. Voitte tilata kakkuja.\n' >sentences-fi.txt
printf 'Katru dienu cepam svaigu maizi.\n' >sentences-lv.txt
printf '<!DOCTYPE html><title>Pagar</title><p>Iga päev küpsetame värsket leiba. Võite tellida torte ja kooke.' >pagar.html
for i in 1 2 3 4 5 6; do
	printf '{"url":"http://ee%d.example/","html":"<p>Iga päev küpsetame värsket leiba. Võite tellida torte ja kooke %d.","nations":["ee"]}\n' $i $i
	printf '{"url":"http://fi%d.example/","html":"<p>Joka päivä leivomme tuoretta leipää. Voitte tilata kakkuja %d.","nations":["fi"]}\n' $i $i
done >labelled-ee.jsonl

# The profile that docs/howto/recognition.md shows.
cat >mine.toml <<'END'
[profile]
name = "mine"
decide = "probability"
[[searcher]]
kind = "dictionary"
list = "cs"
points = 0
[[searcher]]
kind = "html_lang"
pattern = '^cs'
points = 0
[probability]
bias = -2.0
min = 0.9
[[probability.term]]
of = "dictionary"
value = "distinct"
scale = "log"
cap = 50
weight = 1.0
[[probability.term]]
of = "html_lang"
value = "share"
weight = 1.0
[[probability.term]]
of = "page"
value = "one"
words = [0, 19]
weight = 0.0
END
