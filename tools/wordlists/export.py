"""Exports what build.sh needs from a wordfreq wheel and the spelling checkers.

    python3 export.py WHEEL DIR

writes DIR/<language>.tsv (word, tab, relative frequency) for every language in
the wheel that is written in Latin letters and, for each language of LISTS,
DIR/<language>.keep (words its own checker knows in lower case: no names, no
foreign words), DIR/<language>.minus (words the checkers of other languages
know) and, where it has a neighbour that shares words with it,
DIR/<language>.shared (words the checker of that one knows). Nothing of the
checkers' dictionaries is copied: they only answer yes or no for words that
wordfreq has.
"""

import gzip
import os
import re
import subprocess
import sys
import zipfile

import msgpack

# Serbian, Croatian and Bosnian are "sh" in wordfreq; Norwegian (no) is "nb".
LATIN = ("bs ca cs da de en es fi fil fr hu id is it lt lv ms nb nl pl pt ro "
         "sh sk sl sv tr vi").split()
# list: (frequency list, its checkers, checkers of the neighbour that shares words)
LISTS = {
    "cs": ("cs", ["cs_CZ"], ["sk_SK"]),
    "sk": ("sk", ["sk_SK"], ["cs_CZ"]),
    "pl": ("pl", ["pl_PL"], []),
    "sl": ("sl", ["sl_SI"], ["hr_HR", "sr_Latn_RS"]),
    "hr": ("sh", ["hr_HR"], ["sr_Latn_RS"]),
    "hu": ("hu", ["hu_HU"], []),
    "no": ("nb", ["nb_NO", "nn_NO"], ["da_DK"]),
    "da": ("da", ["da_DK"], ["nb_NO", "nn_NO"]),
}
# Those that say what another language has. The Scandinavian ones are not among them: they
# take most runs of short words for a compound (bylo, byla), and there are frequency lists.
CHECKERS = "cs_CZ sk_SK pl_PL sl_SI hr_HR sr_Latn_RS hu_HU de_DE en_US".split()
CANDIDATES = 100_000  # most frequent words of a language that are looked at
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


def charset(dictionary):
    with open(f"/usr/share/hunspell/{dictionary}.aff", "rb") as f:
        return next(line.split()[1].decode() for line in f if line.startswith(b"SET"))


def hunspell(dictionary, words):
    """The words that a dictionary knows. A letter that its charset does not have would be
    left out of a word, and the rest might be one."""
    own = charset(dictionary)
    can = [w for w in words if w.encode(own, "ignore").decode(own) == w]
    return ask(["hunspell", "-i", "utf-8", "-d", dictionary, "-G"], can)


def sorbian(words):
    return set(words) - ask(["aspell", "-d", "hsb", "--encoding=utf-8", "list"], words)


def either(check, words):
    """The words a checker knows as they are or with a capital."""
    known = check(words) & set(words)
    rest = [w for w in words if w not in known]
    upper = check([w.capitalize() for w in rest])
    return known | {w for w in rest if w.capitalize() in upper}


def save(path, words):
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(w + "\n" for w in sorted(words))


def main(wheel, folder):
    os.makedirs(folder, exist_ok=True)
    lists = dict(frequencies(zipfile.ZipFile(wheel)))
    for lang, words in lists.items():
        with open(os.path.join(folder, lang + ".tsv"), "w", encoding="utf-8") as f:
            f.writelines(f"{w}\t{freq:.4g}\n" for w, freq in words)
    for name, (lang, own, shared) in LISTS.items():
        candidates = [w for w, _ in lists[lang] if WORD.fullmatch(w)][:CANDIDATES]
        keep, neighbour, known = set(), set(), either(sorbian, candidates)
        for d in own:
            keep |= hunspell(d, candidates) & set(candidates)
        for d in shared:
            neighbour |= either(lambda ws: hunspell(d, ws), candidates)
        for d in CHECKERS:
            if d not in own + shared:
                known |= either(lambda ws: hunspell(d, ws), candidates)
        path = os.path.join(folder, name)
        save(path + ".keep", keep)
        save(path + ".minus", known)
        if shared:
            save(path + ".shared", neighbour)


main(*sys.argv[1:])
