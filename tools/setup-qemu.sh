#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# setup-qemu.sh - `waymark setup-qemu`: builds a QEMU that takes plugins, for user mode or
# for a whole machine.
#
# From Debian's source package, into CACHE/qemu-VERSION/bin, where `waymark record` finds
# it. Everything happens in a temporary folder of the cache, by one maker at a time, and is
# moved into place when it is complete. Nothing is installed on the system: Meson, when
# this machine's is too old for the QEMU wanted, is unpacked privately.
#
# Messages go to stderr, the paths of the emulators to stdout. Exit status: 0; 1 when
# Debian does not have the version (any more); 2 when it cannot be done.

set -eu

all_targets="riscv64 riscv32 aarch64 arm x86_64 i386"
tried="10.2 11.1 10.0 7.2" # the first of these that Debian has is made without VERSION
space_mb=1000
features="--without-default-features --enable-tcg --enable-plugins --enable-capstone
	--disable-docs --disable-install-blobs --disable-tools --disable-debug-info"
# What differs between the two kinds: user mode here, use_system() has the other.
name=qemu mode=-linux-user
kind_features=--enable-linux-user

here=$(dirname "$0")
quiet=no

complain() { printf 'waymark setup-qemu: %s\n' "$*" >&2; }
say() { [ "$quiet" = yes ] || complain "$@"; }
die() { complain "$@"; exit 2; }

usage() {
	cat <<'END'
Usage: waymark setup-qemu [OPTION...] [VERSION]
Build a QEMU that takes plugins, for `waymark record`, into the cache.

VERSION is a release (10.2.2) or a series (10.2); without, one that works well.

  -f, --force                Build it even if it is there
  -i, --install-deps         Let apt-get install what building needs and is missing
  -l, --list                 Tell which versions can be had, and which are there
  -p, --packaged             Do not build it: unpack Debian's own program with the
                             libraries that it needs (--system, 11.1, 10.0 or 7.2)
  -s, --system               One that emulates a whole machine (riscv64, aarch64,
                             x86_64), for waymark record --system
  -q, --quiet                Print paths and errors only
  -t, --target=ARCH,...      Only for these guests (riscv64,riscv32,aarch64,arm,
                             x86_64,i386)
  -?, --help                 Give this help list
END
}

# shellcheck source=tools/apt.sh
. "$here/apt.sh"

# Only where Waymark's plugin records a whole machine. The machine's firmware is looked for
# where Debian's packages put it.
use_system() {
	all_targets="riscv64 aarch64 x86_64"
	tried="10.2 11.1"
	name=qemu-system mode=-softmmu
	kind_features="--enable-system --enable-fdt=system --prefix=/usr"
}

# Debian builds user-mode QEMU without plugins from 10.0 on, but not that of a machine.
use_packaged() {
	[ "$system" = yes ] || die "--packaged needs --system: Debian's user-mode QEMU takes no plugins"
	: "${version:=11.1}"
}

# ---- arguments ---------------------------------------------------------------

force=no install=no list=no packaged=no system=no targets='' version=''
while [ $# -gt 0 ]; do
	case $1 in
	-f | --force) force=yes ;;
	-i | --install-deps) install=yes ;;
	-l | --list) list=yes ;;
	-p | --packaged) packaged=yes ;;
	-q | --quiet) quiet=yes ;;
	-s | --system) system=yes ;;
	-t | --target)
		[ $# -ge 2 ] || die "$1 needs a list of architectures"
		targets="$targets $2"
		shift
		;;
	--target=*) targets="$targets ${1#*=}" ;;
	-t*) targets="$targets ${1#-t}" ;;
	-\? | -h | --help)
		usage
		exit 0
		;;
	-*) die "there is no option $1; see waymark setup-qemu --help" ;;
	*)
		[ -z "$version" ] || die "one version at a time, not also \"$1\""
		version=$1
		;;
	esac
	shift
done
[ "$system" = no ] || use_system
[ "$packaged" = no ] || use_packaged
targets=$(printf '%s' "$targets" | tr , ' ')
for target in $targets; do
	case " $all_targets " in
	*" $target "*) ;;
	*) die "there is no target \"$target\"; they are: $all_targets" ;;
	esac
done
case $version in
*[!0-9.]* | .* | *.) die "\"$version\" is no version of QEMU, such as 10.2" ;;
esac

cache=$(waymark_cache)

# ---- what is here ------------------------------------------------------------

# Versions in the cache, newest first.
cached() {
	for folder in "$cache"/qemu-*; do
		[ ! -d "$folder/bin" ] || printf '%s\n' "${folder##*/qemu-}"
	done | sort -rV
}

# is_of VERSION SERIES: whether it is that version, or a release of that series.
is_of() {
	case $1 in
	"$2" | "$2".*) ;;
	*) return 1 ;;
	esac
}

is_tried() {
	for series in $tried; do
		! is_of "$1" "$series" || return 0
	done
	return 1
}

# Those of the targets ($2...) that version $1 is not there for, or does not run any more: an
# upgrade of the system may bring other libraries.
lacking() {
	folder=$cache/qemu-$1/bin
	shift
	for target; do
		"$folder/$name-$target" -version >/dev/null 2>&1 || printf ' %s' "$target"
	done
}

# ---- what Debian has ---------------------------------------------------------

tmp='' child=''
cleanup() {
	# A session of its own: everything that a build started ends with it.
	if [ -n "$child" ]; then
		kill -- "-$child" 2>/dev/null || kill "$child" 2>/dev/null || true
		wait "$child" 2>/dev/null || true
	fi
	[ -z "$tmp" ] || rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

make_tmp() {
	tmp=$(mktemp -d "$cache/tmp-qemu.XXXXXX")
	# What a maker that was killed has left; there is no other now.
	for old in "$cache"/tmp-qemu.*; do
		[ "$old" = "$tmp" ] || rm -rf "$old"
	done
}

read_lists() {
	say "asking Debian for its versions of QEMU"
	set --
	for suite in $apt_suites; do
		set -- "$@" "deb-src $suite"
	done
	# Meson and a module, in case this machine's are too old.
	set -- "$@" "deb stable" "deb testing"
	apt_private "$tmp/apt" "$(dpkg --print-architecture)" "$@"
}

# Lines "10.2.2 1:10.2.2+ds-1 unstable", the newest first.
offered() {
	[ -f "$tmp/apt/conf" ] || return 0
	apt_sources "$tmp/apt" qemu
}

list_all() {
	(read_lists) >/dev/null 2>"$tmp/why" || {
		reason=$(sed -n 's/^E: //p' "$tmp/why" | sed -n 1p)
		say "Debian cannot be asked now: only what is here${reason:+ ($reason)}"
	}
	{
		cached
		offered | cut -d ' ' -f 1
	} | sort -ruV | while read -r one; do
		there=$(offered | awk -v v="$one" '$1 == v { print $2 " in " $3; exit }')
		made=
		for target in $all_targets; do
			[ ! -x "$cache/qemu-$one/bin/$name-$target" ] || made="$made $target"
		done
		# One that is here may be of the other kind.
		[ -z "$there$made" ] ||
			printf '%-10s %s\n' "$one" "${there:-not in Debian}${made:+; here:$made}"
	done
}

# The offers of $version, or of what is best without; the newest first.
candidates() {
	if [ -n "$version" ]; then
		wanted=$version
	else
		wanted=$tried
	fi
	for series in $wanted; do
		offered | while read -r upstream rest; do
			! is_of "$upstream" "$series" || printf '%s %s\n' "$upstream" "$rest"
		done
	done
}

# ---- building ----------------------------------------------------------------

# try FOLDER COMMAND...: one that takes a while, so that it can be interrupted; its output
# goes to $tmp/log.
try() {
	# shellcheck disable=SC2016 # the inner shell expands it
	setsid sh -c 'cd "$1" && shift && exec "$@"' - "$@" >"$tmp/log" 2>&1 </dev/null &
	child=$!
	status=0
	wait "$child" || status=$?
	child=
	return $status
}

# must WHAT FOLDER COMMAND...: the end of its output is shown when it fails.
must() {
	what=$1
	shift
	try "$@" && return 0
	tail -n 20 "$tmp/log" >&2
	die "$what failed"
}

# need PACKAGE COMMAND...: the package is missing when the command fails.
missing=''
need() {
	package=$1
	shift
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}

# Installs what is missing, or tells how.
get_missing() {
	[ -n "$missing" ] || return 0
	as_root=
	[ "$(id -u)" -eq 0 ] || as_root="sudo "
	if [ "$install" = no ]; then
		die "to build QEMU this machine lacks$missing; \`${as_root}apt-get install$missing\` brings it, and --install-deps does that"
	fi
	say "installing$missing"
	# shellcheck disable=SC2086 # lists of words
	$as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -q -y install --no-install-recommends $missing >&2 ||
		die "apt-get could not install:$missing"
	missing=''
}

# What building any QEMU needs.
check_deps() {
	command -v apt-get >/dev/null || die "there is no apt-get here, and QEMU's source comes from Debian; build a QEMU with --enable-plugins, and name it with record --qemu"
	need gcc sh -c 'echo "#include <stdlib.h>" | cc -E -'
	need ninja-build ninja --version
	need pkg-config pkg-config --version
	need python3 /usr/bin/python3 --version
	need python3-venv /usr/bin/python3 -c 'import venv, ensurepip'
	need libglib2.0-dev pkg-config --exists glib-2.0
	need libcapstone-dev pkg-config --exists capstone
	need zlib1g-dev pkg-config --exists zlib
	need dpkg-dev dpkg-source --version
	need xz-utils xz --version
	[ "$system" = no ] || need libfdt-dev sh -c 'echo "#include <libfdt.h>" | cc -E -'
	get_missing
}

check_space() {
	free=$(df -Pk "$cache" | awk 'NR == 2 { print int($4 / 1024) }')
	[ "$free" -ge $space_mb ] ||
		die "building needs $space_mb MB in $cache for a while, and there are $free MB; WAYMARK_CACHE can name another place"
}

# Downloads the newest candidate that can be: the mirror may lag behind its own lists.
fetch() {
	mkdir "$tmp/source"
	candidates >"$tmp/candidates"
	if [ ! -s "$tmp/candidates" ]; then
		complain "Debian has no QEMU${version:+ $version} now; it has $(offered | cut -d ' ' -f 1 | uniq | xargs)"
		exit 1
	fi
	while read -r upstream package suite; do
		is_tried "$upstream" || say "Waymark is tested with QEMU $tried only"
		say "downloading QEMU $upstream ($package in $suite)"
		! try "$tmp/source" apt-get -c "$tmp/apt/conf" -q -y source \
			--download-only "qemu=$package" || return 0
		complain "that one cannot be had from this mirror"
		rm -f "$tmp/source"/*
	done <"$tmp/candidates"
	tail -n 5 "$tmp/log" >&2
	complain "this mirror has no QEMU${version:+ $version} now"
	exit 1
}

# QEMU 11 installs Python modules of its own, which needs these.
check_tooling() {
	! grep -qs '^\[tooling\]' "$tmp/qemu/pythondeps.toml" || {
		need python3-setuptools /usr/bin/python3 -c 'import setuptools'
		need python3-wheel /usr/bin/python3 -c 'import wheel'
	}
	get_missing
}

# QEMU 11 asks for device trees of machines that are not built here. Debian's source has them
# uncompiled, so empty ones take their place.
fill_device_trees() {
	for tree in "$tmp"/qemu/pc-bios/dtb/*.dts; do
		[ ! -f "$tree" ] || : >"${tree%s}b"
	done
}

# Meson and modules as this QEMU wants them: the machine's, or newer ones unpacked here.
provide_meson() {
	deps=$tmp/qemu/pythondeps.toml
	if [ ! -f "$deps" ]; then # an old QEMU: any Meson will do, and the first python3
		meson=$(command -v meson) ||
			die "building this QEMU needs Meson; \`apt-get install meson\` brings it"
		features="$features --meson=$meson"
		return 0
	fi
	features="$features --python=/usr/bin/python3"
	needed=$(sed -n 's/^meson = .*accepted = ">=\([0-9.]*\)".*/\1/p' "$deps" | sed -n 1p)
	modules=$(sed -n -e 's/^pycotap = .*/python3-pycotap/p' \
		-e '/^\[tooling\]/,/^\[/s/^"qemu\.qmp" = .*/python3-qemu-qmp/p' "$deps")
	if [ -z "$modules" ] && dpkg --compare-versions \
		"$(/usr/bin/python3 -c 'from mesonbuild.coredata import version; print(version)' \
			2>/dev/null || echo 0)" ge "${needed:-0}"; then
		return 0
	fi
	meson=$(apt-cache -c "$tmp/apt/conf" madison meson | awk '/ Packages$/ { print $3 }' |
		sort -V | while read -r has; do
		if dpkg --compare-versions "$has" ge "${needed:-0}"; then
			echo "$has"
			break
		fi
	done)
	[ -n "$meson" ] || die "Debian has no Meson $needed, which this QEMU needs"
	say "taking Meson $meson along, only for this"
	mkdir "$tmp/debs" "$tmp/python"
	# shellcheck disable=SC2086 # a list of words, perhaps none
	must "downloading Meson" "$tmp/debs" \
		apt-get -c "$tmp/apt/conf" -q -y download "meson=$meson" $modules
	for deb in "$tmp/debs"/*.deb; do
		dpkg-deb -x "$deb" "$tmp/python"
	done
}

build() {
	fetch
	must "unpacking" "$tmp" dpkg-source --no-check -x "$tmp"/source/*.dsc qemu
	check_tooling
	fill_device_trees
	provide_meson
	list='' programs=''
	for target in $targets; do
		list="$list${list:+,}$target$mode"
		programs="$programs $name-$target"
	done
	say "building it for$programs; that takes some minutes"
	mkdir "$tmp/build"
	# shellcheck disable=SC2086 # lists of words
	build_step "configuring QEMU" ../qemu/configure --target-list="$list" \
		$features $kind_features
	# shellcheck disable=SC2086 # a list of words
	build_step "building QEMU" ninja -j "${JOBS:-$(nproc)}" $programs
}

# ---- Debian's own program ------------------------------------------------------

# The package of a target's program; one version has all of them.
package_of() {
	case $1 in
	riscv64) if is_of "$version" 7; then echo qemu-system-misc; else echo qemu-system-riscv; fi ;;
	aarch64) echo qemu-system-arm ;;
	x86_64) echo qemu-system-x86 ;;
	esac
}

# Lines as those of offered(): of what this machine can run.
packages() {
	package=$(package_of riscv64)
	apt-cache -c "$tmp/apt/conf" madison "$package" |
		sed -n "s/^ *$package *| *\(\([0-9]*:\)\{0,1\}\([0-9.]*\)[^ ]*\) *|.*/\3 \1/p" | sort -rV
}

# All programs of a version have their libraries in one folder: those that are there, too.
add_packaged() {
	for target in $all_targets; do
		case " $targets " in *" $target "*) continue ;; esac
		for folder in "$cache"/qemu-*; do
			if is_of "${folder##*/qemu-}" "$version" && [ -d "$folder/root" ] &&
				[ -x "$folder/bin/$name-$target" ]; then
				targets="$targets $target"
				break
			fi
		done
	done
}

unpack() {
	arch=$(dpkg --print-architecture)
	say "asking Debian for its packages of QEMU"
	set -- "deb testing" "deb unstable"
	# Debian 12 has the machines of record --inexact, and Debian 13 QEMU 10.0.
	! is_of "$version" 7 || set -- "deb bookworm"
	! is_of "$version" 10 || set -- "deb trixie"
	apt_private "$tmp/apt" "$arch" "$@"
	found=$(packages | while read -r upstream full; do
		! is_of "$upstream" "$version" || echo "$full"
	done | sed -n 1p)
	if [ -z "$found" ]; then
		complain "Debian has no package of QEMU $version now; it has $(packages | cut -d ' ' -f 1 | uniq | xargs)"
		exit 1
	fi
	set --
	for target in $targets; do
		set -- "$@" "$(package_of "$target")=$found"
	done
	say "downloading $* and libraries"
	must "downloading" "$tmp" apt-get -c "$tmp/apt/conf" -q -y --download-only install "$@"
	mkdir "$tmp/build" "$tmp/root"
	# The plugin needs the C library that it was linked with, or a newer one.
	libc=$(dpkg-query -W -f '${Version}' libc6 2>/dev/null) || libc=0
	for deb in "$tmp"/apt/cache/archives/*.deb; do
		case $(dpkg-deb -f "$deb" Package) in
		libc6) ! dpkg --compare-versions "$libc" ge "$(dpkg-deb -f "$deb" Version)" || continue ;;
		esac
		dpkg-deb -x "$deb" "$tmp/root"
	done
	# Debian 12's package has machines of all kinds.
	for program in "$tmp/root/usr/bin/$name"-*; do
		case " $targets " in
		*" ${program##*/"$name"-} "*) ;;
		*) rm -f "$program" ;;
		esac
	done
	rm -rf "$tmp/root/usr/share/doc" "$tmp/root/usr/share/man" "$tmp/root/usr/share/locale"
}

# loader_of ROOT: its path below. Debian 12 has the loader, and libraries, outside of /usr.
loader_of() {
	(cd "$1" && find usr/lib/*-linux-gnu lib/*-linux-gnu -name 'ld-linux*.so.*' 2>/dev/null |
		sed -n 1p)
}

# The program needs libraries that this machine does not have, and the loader of the C library that
# is newer, its own or this machine's: a script starts it.
start_script() {
	loader=$(loader_of "$tmp/root")
	if [ -n "$loader" ]; then
		from="\$root/$loader"
	else
		loader=$(loader_of /)
		from=/$loader
	fi
	libraries=${loader#usr/}
	libraries=${libraries%/*}
	cat <<-END
		#!/bin/sh
		root=\$(dirname "\$(readlink -f "\$0")")/../root
		exec "$from" --library-path "\$root/usr/$libraries:\$root/$libraries" "\$root/usr/bin/$1" -L "\$root/usr/share/qemu" -L "\$root/usr/share/seabios" "\$@"
	END
}

put_packaged() {
	for target in $targets; do
		start_script "$name-$target" >"$tmp/build/$name-$target"
		chmod +x "$tmp/build/$name-$target"
		made=$("$tmp/build/$name-$target" -plugin waymark -version |
			sed -n 's/.* version \([0-9.]*\).*/\1/p')
		[ -n "$made" ] || die "Debian's $name-$target takes no plugins, or does not run here"
	done
	mkdir -p "$cache/qemu-$made/bin"
	rm -rf "$cache/qemu-$made/root"
	mv "$tmp/root" "$cache/qemu-$made/root"
	for target in $targets; do
		mv "$tmp/build/$name-$target" "$cache/qemu-$made/bin/$name-$target"
	done
}

# ---- building ------------------------------------------------------------------

# With the machine's Python, and what we took along for it.
build_step() {
	what=$1
	shift
	must "$what" "$tmp/build" env -u PYTHONHOME -u VIRTUAL_ENV PATH="/usr/bin:$PATH" \
		PYTHONPATH="$tmp/python/usr/lib/python3/dist-packages" \
		PYTHONDONTWRITEBYTECODE=1 "$@"
}

# Into place, each in one piece, when all of them do what they are for.
put() {
	for target in $targets; do
		program=$tmp/build/$name-$target
		strip "$program"
		made=$("$program" -plugin waymark -version |
			sed -n 's/.* version \([0-9.]*\).*/\1/p')
		[ -n "$made" ] || die "the $name-$target that was built takes no plugins"
	done
	mkdir -p "$cache/qemu-$made/bin"
	for target in $targets; do
		mv "$tmp/build/$name-$target" "$cache/qemu-$made/bin/$name-$target"
	done
}

# ---- all of it ---------------------------------------------------------------

if [ "$list" = yes ]; then
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/waymark-qemu.XXXXXX")
	list_all
	exit 0
fi

no_system() { [ "$system" = yes ] || echo no; }

# Prints what is there, if that is all that is asked for.
answer() {
	[ "$force" = no ] || return 1
	for made in $(cached); do
		[ -z "$version" ] || is_of "$made" "$version" || continue
		# It is for record --inexact only.
		[ -n "$version$(no_system)" ] || ! is_of "$made" 7 || continue
		# shellcheck disable=SC2086 # a list of words
		[ -z "$(lacking "$made" ${targets:-$all_targets})" ] || continue
		for target in ${targets:-$all_targets}; do
			printf '%s\n' "$cache/qemu-$made/bin/$name-$target"
		done
		return 0
	done
	return 1
}

! answer || exit 0
exec 9>"$cache/lock-qemu"
flock -n 9 || {
	say "waiting for another one that is at work"
	flock 9
	! answer || exit 0
}
: "${targets:=$all_targets}"
if [ "$packaged" = yes ]; then
	check_space
	make_tmp
	asked=$targets
	add_packaged
	unpack
	put_packaged
	targets=$asked
else
	check_deps
	check_space
	make_tmp
	read_lists
	build
	put
fi
for target in $targets; do
	printf '%s\n' "$cache/qemu-$made/bin/$name-$target"
done
