#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# doctor finds what is there, what is missing, and what only looks as if it worked.

# shellcheck source=tests/cli/common
. "$(dirname "$0")/../common"

qemu=$(command -v "$QEMU")
mkdir empty cache tmp with without lying
export TMPDIR="$PWD/tmp"
ln -s "$qemu" with/qemu-riscv64
cat >without/qemu-riscv64 <<'END'
#!/bin/sh
case $1 in
-plugin) echo "qemu: unknown option 'plugin'"; exit 1 ;;
*) echo "qemu-riscv64 version 10.0.2 (Debian 1:10.0.2+ds-2)" ;;
esac
END
cat >lying/qemu-riscv64 <<'END'
#!/bin/sh
[ "$3" != -version ] || { echo "qemu-riscv64 version 7.2.22"; exit 0; }
exit 1
END
chmod +x without/qemu-riscv64 lying/qemu-riscv64

# doctor PATH [CACHE]
doctor() { run env PATH="$1" WAYMARK_CACHE="$PWD/${2-empty}" "$WAYMARK" doctor; }

# line NAME KIND PATTERN: there is a line of that kind which fits.
line() {
	check "$1" grep -qE "^  $2 +$3" stdout
}

doctor "$PWD/with"
check "all is well" test "$status" -eq 0
check "nothing on stderr" test ! -s stderr
line "the emulator" ok "$PWD/with/qemu-riscv64: QEMU [0-9.]+, served by libwaymark-v[147]\.so"
line "missing emulators" note "no emulator for riscv32, aarch64,"
line "a plugin" ok "$BUILD/libwaymark-v1\.so"
line "another plugin" ok "$BUILD/libwaymark-v4\.so"
line "one more plugin" ok "$BUILD/libwaymark-v7\.so"
line "the trial" ok 'a trial under QEMU [0-9.]+ is recorded whole'
line "the kernel" ok 'memfd_create\(\)'
line "no pager" note 'a pager: '
check "the trial leaves nothing" test -z "$(ls tmp)"

doctor "$PWD/empty"
check "no QEMU" test "$status" -eq 1
# shellcheck disable=SC2016 # the backquotes are its own
line "no QEMU: advice" WRONG 'there is no qemu-riscv64 that records: `waymark setup-qemu`'
check "no QEMU: the number of problems" grep -qx '1 thing to put right\.' stdout

doctor "$PWD/without"
check "QEMU without plugins" test "$status" -eq 1
line "QEMU without plugins: a note" note "$PWD/without/qemu-riscv64 .* without plugins"
line "QEMU without plugins: advice" WRONG 'there is no qemu-riscv64 that records'

doctor "$PWD/lying"
check "QEMU that does not run" test "$status" -eq 1
line "the trial finds it" WRONG 'a trial under QEMU 7\.2\.22 fails'
check "and leaves nothing" test -z "$(ls tmp)"

mkdir -p cache/qemu-7.2.1/bin
ln -s "$qemu" cache/qemu-7.2.1/bin/qemu-riscv64
doctor "$PWD/without" cache
check "QEMU in the cache is enough" test "$status" -eq 0
line "QEMU in the cache is listed" ok "$PWD/cache/qemu-7.2.1/bin/qemu-riscv64: QEMU"

mkdir alone
cp "$WAYMARK" alone/
run env PATH="$PWD/with" WAYMARK_CACHE="$PWD/empty" alone/waymark doctor
check "no plugins" test "$status" -eq 1
line "missing plugins are named" WRONG 'libwaymark-v4\.so is neither'

run env HOME= WAYMARK_CACHE= XDG_CACHE_HOME= "$WAYMARK" doctor
check "no HOME" test "$status" -eq 1
line "no HOME: the message names it" WRONG 'there is no HOME'
run sh -c 'ulimit -f 2000 && exec "$0" doctor' "$WAYMARK"
line "a limit" note 'ulimit -f is [0-9.]+ [kM]B: '
run "$WAYMARK" doctor everything
check "no arguments" test "$status" -eq 2
# A container or a chroot may have no /proc.
if unshare -m true 2>/dev/null; then
	# shellcheck disable=SC2016 # for the inner shell
	run unshare -m sh -c 'mount -t tmpfs tmpfs /proc && exec "$0" doctor' "$WAYMARK"
	line "no /proc" WRONG "libwaymark-v1.so is neither .*: mount /proc,"
else
	echo "ok no /proc # SKIP there is no private mount namespace"
fi
finish
