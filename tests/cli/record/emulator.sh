#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Which emulator `record` takes: PATH's, one of the cache, or the one that was asked for.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

guest=$GUESTS/status.O3
qemu=$(command -v "$QEMU")
mkdir empty path old

# An emulator that cannot be used.
cat >old/qemu-riscv64 <<'END'
#!/bin/sh
case $1 in
-plugin) exit 1 ;;
*) echo "qemu-riscv64 version 99.0.0" ;;
esac
END
chmod +x old/qemu-riscv64

# One that works, and leaves its name in ./used.
cat >path/qemu-riscv64 <<END
#!/bin/sh
echo "\$0" >"$PWD/used"
exec "$qemu" "\$@"
END
chmod +x path/qemu-riscv64

# cached VERSION FOLDER: puts the emulator of that folder into the cache.
cached() {
	mkdir -p "cache/qemu-$1/bin"
	cp "$2/qemu-riscv64" "cache/qemu-$1/bin/"
}
cached 7.2.9 path
cached 7.2.10 path
cached 7.20.1 path
cached 99.0.0 old
mkdir -p cache/qemu-100.1.1/bin cache/qemu-broken
export WAYMARK_CACHE="$PWD/cache"

# takes NAME WANTED PATH WORD...: `record WORD...` runs the emulator WANTED.
takes() {
	what=$1 wanted=$2 path=$3
	shift 3
	run env PATH="$path" "$WAYMARK" record -o run.wmk "$@" -- "$guest"
	got=$(cat used)
	if [ "$status" -eq 7 ] && [ "$got" = "$wanted" ]; then
		passed "$what"
	else
		failed "$what" "status $status, not $wanted but $got" "$(cat stderr)"
	fi
}

takes "PATH's comes first" "$PWD/path/qemu-riscv64" "$PWD/path"
takes "without, the newest that works" "$WAYMARK_CACHE/qemu-7.20.1/bin/qemu-riscv64" \
	"$PWD/empty"
takes "so too for one without plugins" "$WAYMARK_CACHE/qemu-7.20.1/bin/qemu-riscv64" \
	"$PWD/old"
takes "a series" "$WAYMARK_CACHE/qemu-7.2.10/bin/qemu-riscv64" "$PWD/path" --qemu 7.2
takes "a release" "$WAYMARK_CACHE/qemu-7.2.9/bin/qemu-riscv64" "$PWD/path" --qemu 7.2.9
takes "a name" "$PWD/path/qemu-riscv64" "$PWD/path" --qemu qemu-riscv64
takes "a path" "$WAYMARK_CACHE/qemu-7.2.9/bin/qemu-riscv64" "$PWD/empty" \
	--qemu cache/qemu-7.2.9/bin/qemu-riscv64

# A variable that QEMU refuses: PATH's QEMU says so, and no other is taken.
run env PATH="$PWD/path" QEMU_RESERVED_VA=zz "$WAYMARK" record -o run.wmk "$guest"
got=$(cat used)
case $status:$got:$(cat stderr) in
1:"$PWD/path/qemu-riscv64":*"size suffix 'zz'"*'QEMU did not start'*)
	passed "a variable that QEMU refuses" ;;
*) failed "a variable that QEMU refuses" "status $status, $got" "$(cat stderr)" ;;
esac

refused "no such version" 'no QEMU 7.2.1 for riscv64 in the cache*setup-qemu 7.2.1*' \
	"$WAYMARK" record --qemu 7.2.1 "$guest"
refused "one that cannot be used" '*qemu-99.0.0*without plugins*' \
	"$WAYMARK" record --qemu 99 "$guest"

unset WAYMARK_CACHE
mkdir -p xdg/waymark home/.cache
cp -R cache/. xdg/waymark
cp -R cache home/.cache/waymark
XDG_CACHE_HOME=$PWD/xdg takes "the cache by XDG" \
	"$PWD/xdg/waymark/qemu-7.2.9/bin/qemu-riscv64" "$PWD/path" --qemu 7.2.9
unset XDG_CACHE_HOME
HOME=$PWD/home takes "the cache at HOME" \
	"$PWD/home/.cache/waymark/qemu-7.2.9/bin/qemu-riscv64" "$PWD/path" --qemu 7.2.9
finish
