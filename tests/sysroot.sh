#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sysroot.sh - print the path of a riscv64 Debian sysroot, made on first use.
#
# usage: tests/sysroot.sh [--refresh]
#
# The tests and benchmarks trace real programs (CPython, cc1, SQLite, Lua, busybox). Their
# riscv64 packages are fetched with apt in a private configuration, from the mirror this
# machine already uses, and unpacked under the cache; nothing is installed. apt checks
# signature -> Packages -> SHA256 of each package; SHA256SUMS beside the packages is
# checked whenever they are unpacked again.
#
# A sysroot made by the same recipe is used again without network. --refresh asks the
# mirror for newer packages. Messages go to stderr, the path alone to stdout.
#
# WAYMARK_CACHE          where to keep it (default: ${XDG_CACHE_HOME:-~/.cache}/waymark)
# WAYMARK_DEBIAN_MIRROR  a Debian mirror's address, if apt here is not set up for Debian

set -eu

suite=trixie
packages="busybox-static lua5.4 sqlite3 python3.13 python3.13-minimal
	libpython3.13-minimal libpython3.13-stdlib cpp-14-riscv64-linux-gnu"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
layout=1 # raise when the way of unpacking changes

say() { printf 'sysroot: %s\n' "$*" >&2; }
die() { say "$*"; exit 2; }

refresh=no
case "${1-}" in
'') ;;
--refresh) refresh=yes ;;
*) die "usage: sysroot.sh [--refresh]" ;;
esac

if [ -z "${WAYMARK_CACHE-}" ]; then
	WAYMARK_CACHE=${XDG_CACHE_HOME:-${HOME:?no HOME and no WAYMARK_CACHE}/.cache}/waymark
fi
mkdir -p "$WAYMARK_CACHE"
cache=$(cd "$WAYMARK_CACHE" && pwd)
case $cache in
*[!A-Za-z0-9/._+:@%=,-]*) die "the cache's path has characters apt cannot take: $cache" ;;
esac

recipe=$(printf '%s\n' "$suite $layout" "$packages" | sha256sum | cut -c1-12)
sysroot=$cache/sysroot-$recipe
debs=$cache/debs-$recipe

if [ "$refresh" = no ] && [ -f "$sysroot/.complete" ]; then
	printf '%s\n' "$sysroot"
	exit 0
fi

# One maker at a time; whoever waited finds the work done.
exec 9>"$cache/lock"
flock 9
if [ "$refresh" = no ] && [ -f "$sysroot/.complete" ]; then
	printf '%s\n' "$sysroot"
	exit 0
fi

tmp=
cleanup() { [ -z "$tmp" ] || rm -rf "$tmp"; }
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
tmp=$(mktemp -d "$cache/tmp.XXXXXX")

mirror() {
	if [ -n "${WAYMARK_DEBIAN_MIRROR-}" ]; then
		printf '%s\n' "$WAYMARK_DEBIAN_MIRROR"
		return
	fi
	# shellcheck disable=SC2016 # $(...) is apt's own notation
	apt-get indextargets --format '$(LABEL)|$(REPO_URI)' 'Created-By: Packages' |
		sed -n 's/^Debian|//p' | sed -n 1p
}

# Fill $1 with the packages and what they need, and a SHA256SUMS.
fetch() {
	uri=$(mirror)
	[ -n "$uri" ] || die "apt knows no Debian mirror here; set WAYMARK_DEBIAN_MIRROR"
	[ -f "$keyring" ] || die "no $keyring; install debian-archive-keyring"

	apt=$tmp/apt
	mkdir -p "$apt/etc" "$apt/state/lists/partial" "$apt/cache/archives/partial" "$1"
	: >"$apt/state/status"
	: >"$apt/etc/preferences"
	printf 'deb [arch=riscv64 signed-by=%s] %s %s main\n' "$keyring" "$uri" "$suite" \
		>"$apt/etc/sources.list"

	# Only sources, state and cache are private: a proxy set for this machine's apt still
	# applies. Its hooks do not: they would clean the machine's own cache.
	cat >"$apt/conf" <<-END
		APT::Architecture "riscv64";
		#clear APT::Architectures;
		APT::Architectures { "riscv64"; };
		APT::Install-Recommends "false";
		APT::Sandbox::User "$(id -un)";
		APT::Update::Error-Mode "any";
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		Acquire::Languages "none";
		Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
		Acquire::Retries "3";
		Debug::NoLocking "true";
		Dir::Etc::SourceList "$apt/etc/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		Dir::Etc::Preferences "$apt/etc/preferences";
		Dir::Etc::PreferencesParts "/dev/null";
		Dir::State "$apt/state";
		Dir::State::Status "$apt/state/status";
		Dir::Cache "$apt/cache";
		#clear Dir::Cache::Archives;
		Dir::Cache::Archives "archives/";
	END
	say "reading the package lists of $suite"
	apt-get -c "$apt/conf" -q -y update >&2 || die "apt-get update failed"
	say "downloading"
	# shellcheck disable=SC2086 # a list of words
	apt-get -c "$apt/conf" -q -y --download-only install $packages >&2 ||
		die "download failed"
	mv "$apt"/cache/archives/*.deb "$1/"
	(cd "$1" && sha256sum -- *.deb >SHA256SUMS)
}

if [ "$refresh" = no ] && [ -f "$debs/SHA256SUMS" ] &&
	(cd "$debs" && sha256sum --quiet --strict -c SHA256SUMS >&2); then
	say "packages already here"
else
	fetch "$tmp/debs"
	rm -rf "$debs"
	mv "$tmp/debs" "$debs"
fi

# The merged /usr of Debian: packages write to /lib and /usr/lib alike.
root=$tmp/root
mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64"
for dir in bin sbin lib lib64; do
	ln -s "usr/$dir" "$root/$dir"
done

say "unpacking into $sysroot"
for deb in "$debs"/*.deb; do
	# dpkg-deb -x would replace our links by directories: tar keeps them.
	dpkg-deb --fsys-tarfile "$deb" |
		tar -x -f - -C "$root" --keep-directory-symlink --no-same-owner
done
for deb in "$debs"/*.deb; do
	basename "$deb" .deb
done >"$root/.complete"

if [ -e "$sysroot" ]; then
	mv "$sysroot" "$tmp/old"
fi
mv "$root" "$sysroot"
printf '%s\n' "$sysroot"
