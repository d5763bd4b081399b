"""Takes running text out of packages, for langmodel to count words in and to measure with.

    python3 texts.py FOLDER OUT

FOLDER holds one folder a package (texts.sh fetches and unpacks them). It writes
OUT/ui/<language>.txt, the sentences of Firefox's and Thunderbird's translations, and
OUT/gnome, OUT/office, OUT/debian and OUT/udhr, one paragraph a line, which are only measured with.
"""

import glob
import html
import json
import os
import re
import sys
import zipfile

TAG = re.compile(r"<[^>]*>")
BLOCK = re.compile(r"</?(?:p|h[1-6]|li|td|th|div|title|dd|dt|br|section|item|desc|note|ul|ol|tr|table|page)\b[^>]*>", re.I)
PLACE = re.compile(r"\{[^{}]*\}|%\d*\$?[A-Za-z]|&[\w.]+;|https?://\S+|\$\w+")
NAMES = {"nb-no": "nb", "nn-no": "nn", "sv-se": "sv", "ga-ie": "ga", "es-es": "es", "pt-pt": "pt", "en-us": "en", "hy-am": "hy"}


def paragraphs(markup):
    markup = re.sub(r"(?s)<(script|style|code|cmd|file|input|screen|pre)\b.*?</\1>", " ", markup)
    markup = re.sub(r"(?s)<!--.*?-->", " ", markup)
    for part in BLOCK.split(markup):
        text = " ".join(html.unescape(TAG.sub("", part)).split())
        if len(text.split()) >= 3 and "http" not in text and "@" not in text:
            yield text


def messages(xpi):
    with zipfile.ZipFile(xpi) as z:
        for name in sorted(z.namelist()):
            data = z.read(name).decode("utf-8", "replace") if name.endswith((".ftl", ".properties", ".dtd")) else ""
            if name.endswith(".dtd"):
                values = re.findall(r'<!ENTITY\s+\S+\s+"([^"]*)"', data)
            elif name.endswith(".properties"):
                values = [l.split("=", 1)[1] for l in data.split("\n") if "=" in l and not l.startswith("#")]
            else:
                values = [re.sub(r"^[\w.-]+\s*=\s*", "", l.strip()) for l in data.split("\n") if l.strip() and l[0] not in "#[*"]
            for v in values:
                v = " ".join(PLACE.sub(" ", TAG.sub(" ", html.unescape(v))).split())
                if len(v.split()) >= 3:
                    yield v


def save(path, lines):
    lines = list(dict.fromkeys(lines))  # each once
    if not lines:
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(l + "\n" for l in lines)


def read(files):
    for f in files:
        with open(f, encoding="utf-8", errors="replace") as r:
            yield from paragraphs(r.read())


def main(folder, out):
    ui = {}
    for xpi in sorted(glob.glob(folder + "/**/*.xpi", recursive=True)):
        pkg = os.path.relpath(xpi, folder).split("/")[0]
        lang = pkg.split("-l10n-")[1]
        ui.setdefault(NAMES.get(lang, lang), []).extend(messages(xpi))
    for lang, lines in ui.items():
        save(f"{out}/ui/{lang}.txt", lines)
    for d in sorted(glob.glob(folder + "/gnome-user-docs/usr/share/help/*")):
        lang = os.path.basename(d).replace("@latin", "-latn").replace("C", "en")
        save(f"{out}/gnome/{lang}.txt", read(sorted(glob.glob(d + "/**/*.page", recursive=True))))
    for d in sorted(glob.glob(folder + "/libreoffice-help-*/usr/share/libreoffice/help/*/text")):
        lang = os.path.basename(os.path.dirname(d)).lower()
        save(f"{out}/office/{NAMES.get(lang, lang)}.txt", read(sorted(glob.glob(d + "/**/*.html", recursive=True))))
    for d in sorted(glob.glob(folder + "/installation-guide-amd64/usr/share/doc/installation-guide-amd64/*/")):
        save(f"{out}/debian/{os.path.basename(d[:-1])}.txt", read(sorted(glob.glob(d + "**/*.html", recursive=True))))
    for f in sorted(glob.glob(folder + "/udhr/declaration/*.html")):
        save(f"{out}/udhr/{os.path.basename(f)[:-5]}.txt", read([f]))


main(*sys.argv[1:])
