"""Exports what build.sh needs from a wordfreq wheel and the spelling checkers.

    python3 export.py WHEEL DIR

writes DIR/<language>.tsv (word, tab, relative frequency) for every language in
the wheel that is written in Latin letters and, for each language of CHECKERS,
DIR/<language>.keep (words its own checker knows in lower case: no names, no
foreign words) and DIR/<language>.exclude (words the checkers of its neighbours
know). Nothing of the checkers' dictionaries is copied: they only answer yes or
no for words that wordfreq has.
"""

import gzip
import os
import re
import subprocess
import sys
import zipfile

import msgpack

# Serbian, Croatian and Bosnian are "sh" in wordfreq.
LATIN = ("bs ca cs da de en es fi fil fr hu id is it lt lv ms nb nl pl pt ro "
         "sh sk sl sv tr vi").split()
CHECKERS = {"cs": "cs_CZ", "sk": "sk_SK"}
NEIGHBOURS = "cs_CZ sk_SK pl_PL sl_SI hr_HR hu_HU de_DE en_US".split()
CANDIDATES = 120_000  # most frequent words of a language that are looked at
WORD = re.compile(r"[^\W\d_]{2,40}")


def frequencies(wheel):
    """Yields (language, [(word, frequency)]), the large list where there is one.

    The lists are in the format cB: bucket i holds words of frequency 10^(-i/100).
    """
    names = set(wheel.namelist())
    for lang in LATIN:
        for size in ("large", "small"):
            name = f"wordfreq/data/{size}_{lang}.msgpack.gz"
            if name in names:
                buckets = msgpack.loads(gzip.decompress(wheel.read(name)), raw=False)
                yield lang, [(w, 10 ** (-i / 100)) for i, ws in enumerate(buckets[1:]) for w in ws]
                break


def ask(command, words):
    text = "\n".join(words) + "\n"
    answer = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    return set(answer.stdout.decode().split("\n"))


def hunspell(dictionary, words):
    return ask(["hunspell", "-i", "utf-8", "-d", dictionary, "-G"], words)


def sorbian(words):
    return set(words) - ask(["aspell", "-d", "hsb", "--encoding=utf-8", "list"], words)


def either(check, words):
    """The words a checker knows as they are or with a capital."""
    lower, upper = check(words), check([w.capitalize() for w in words])
    return {w for w in words if w in lower or w.capitalize() in upper}


def save(path, words):
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(w + "\n" for w in sorted(words))


def main(wheel, folder):
    os.makedirs(folder, exist_ok=True)
    for lang, words in frequencies(zipfile.ZipFile(wheel)):
        with open(os.path.join(folder, lang + ".tsv"), "w", encoding="utf-8") as f:
            f.writelines(f"{w}\t{freq:.4g}\n" for w, freq in words)
        if lang not in CHECKERS:
            continue
        candidates = [w for w, _ in words if WORD.fullmatch(w)][:CANDIDATES]
        own = CHECKERS[lang]
        known = either(sorbian, candidates)
        for d in NEIGHBOURS:
            if d != own:
                known |= either(lambda ws: hunspell(d, ws), candidates)
        save(os.path.join(folder, lang + ".keep"), hunspell(own, candidates) & set(candidates))
        save(os.path.join(folder, lang + ".exclude"), known)


main(*sys.argv[1:])
