#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# fetch-uplot.sh - print the path of the chart library's package, fetched on first use.
#
# usage: tools/fetch-uplot.sh [--cached]
#
# The library is uPlot (MIT licence); `waymark report` puts it into the pages it makes. It
# comes from npm's registry, of one version, whose checksum is below. Once it is in the
# cache, neither network nor npm is needed. --cached never fetches. Messages go to stderr;
# when there is no package the exit status is 1.
#
# WAYMARK_CACHE  where to keep it (default: ${XDG_CACHE_HOME:-~/.cache}/waymark)

set -eu

version=1.6.32
sha512=2883159c6ebccefbb95d751b0b82d010f9e1c0ec41b8bc96d401eda66e882935\
c89a46cb824332fa369b8cb8122cc6ac36e186cd09bf7a9ded3a4c93c6989023

say() { printf 'fetch-uplot: %s\n' "$*" >&2; }

case $#:${1-} in
0:) fetch=yes ;;
1:--cached) fetch=no ;;
*)
	say "usage: fetch-uplot.sh [--cached]"
	exit 2
	;;
esac

cache=${WAYMARK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/waymark}
package=$cache/uplot-$version.tgz

sound() {
	[ -f "$1" ] && [ "$(sha512sum <"$1" | cut -d' ' -f1)" = $sha512 ]
}

# A tarball of `make dist` has it beside this script.
for found in "$package" "$(dirname "$0")/uplot-$version.tgz"; do
	if sound "$found"; then
		printf '%s\n' "$found"
		exit 0
	fi
done
[ $fetch = yes ] || exit 1
if ! command -v npm >/dev/null; then
	say "npm is not there to fetch uplot-$version with"
	exit 1
fi

mkdir -p "$cache"
dir=$(mktemp -d "$cache/fetch.XXXXXX")
trap 'rm -rf "$dir"' EXIT
if ! (cd "$dir" && npm pack --silent --fetch-retries=1 --fetch-timeout=30000 \
	"uplot@$version" >/dev/null 2>log); then
	say "npm could not fetch uplot-$version: $(grep -v '^npm warn' "$dir/log" | head -n 1)"
	exit 1
fi
if ! sound "$dir/uplot-$version.tgz"; then
	say "uplot-$version as fetched does not have the checksum it should"
	exit 1
fi
mv "$dir/uplot-$version.tgz" "$package"
printf '%s\n' "$package"
