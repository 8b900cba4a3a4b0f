# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# npm-package.sh - sourced: the path of one package of npm's registry, fetched on first use.
#
#	npm_package NAME VERSION SHA512 [--cached]
#
# prints the path of its tarball. Once it is in the cache, neither network nor npm is
# needed; --cached never fetches. A tarball of `make dist` has the packages that a build needs
# beside this script. Messages go to stderr; when there is no package the exit status is 1.
#
# WAYMARK_CACHE  where to keep it (default: ${XDG_CACHE_HOME:-~/.cache}/waymark)

npm_say() { printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2; }

npm_sound() {
	[ -f "$1" ] && [ "$(sha512sum <"$1" | cut -d' ' -f1)" = "$2" ]
}

# npm_fetch FILE: gets $name-$version into the cache.
npm_fetch() {
	if ! command -v npm >/dev/null; then
		npm_say "npm is not there to fetch $name-$version with"
		return 1
	fi
	mkdir -p "$cache"
	dir=$(mktemp -d "$cache/fetch.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
	if ! (cd "$dir" && npm pack --loglevel=error --fetch-retries=1 --fetch-timeout=30000 \
		"$name@$version" >/dev/null 2>log); then
		# The line with a reason, if there is one, comes after codes and numbers.
		npm_say "npm could not fetch $name-$version:" \
			"$( (grep reason: "$dir/log" || cat "$dir/log") | head -n 1)"
		return 1
	fi
	if ! npm_sound "$dir/$name-$version.tgz" "$sha512"; then
		npm_say "$name-$version as fetched does not have the checksum it should"
		return 1
	fi
	mv "$dir/$name-$version.tgz" "$1"
}

npm_package() {
	name=$1 version=$2 sha512=$3
	cache=${WAYMARK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/waymark}
	package=$cache/$name-$version.tgz
	for found in "$package" "$(dirname "$0")/$name-$version.tgz"; do
		if npm_sound "$found" "$sha512"; then
			printf '%s\n' "$found"
			return
		fi
	done
	case $#:${4-} in
	3:) ;;
	4:--cached) return 1 ;;
	*)
		npm_say "usage: $(basename "$0") [--cached]"
		return 2
		;;
	esac
	npm_fetch "$package" && printf '%s\n' "$package"
}
