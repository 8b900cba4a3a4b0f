#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kernel.sh - the numbers of system calls in kernel/ against those of the kernel's headers, for
# every guest whose headers are here: each of a header is known, by the same name; and each
# that is known is in some header, up to the newest that the headers have.

set -eu
kernel=$(cd "$(dirname "$0")/../kernel" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# known 64|32 TABLE...: "number name" of what kernel/ says.
known() {
	bits=$1
	shift
	for table; do
		sed -nE "s/^CALL\(([0-9]+), (old_)?([a-z0-9_]+)\)\$/\1 \3/p" "$kernel/calls_$table.def"
		if [ "$bits" = 64 ]; then
			sed -nE "s/^WIDE\(([0-9]+), ([a-z0-9_]+), [a-z0-9_]+\)\$/\1 \2/p" "$kernel/calls_$table.def"
		else
			sed -nE "s/^WIDE\(([0-9]+), [a-z0-9_]+, ([a-z0-9_]+)\)\$/\1 \2/p" "$kernel/calls_$table.def"
		fi
	done | sort
}

preprocess() { cpp -undef -nostdinc -P "$@" 2>"$dir/errors"; }

# headers FLAG...: the same of <asm/unistd.h>. Numbers may be sums of other macros.
headers() {
	echo '#include <asm/unistd.h>' | preprocess -dM "$@" >"$dir/macros" || return 1
	sed -nE 's/^#define (__NR_|__ARM_NR_)([a-z0-9_]+) .*/\1 \2/p' "$dir/macros" |
		grep -vE ' (syscalls|arch_specific_syscall|arm_sync_file_range)$' >"$dir/names"
	{
		echo '#include <asm/unistd.h>'
		sed -E 's/(.*) (.*)/@ "\2" \1\2/' "$dir/names"
	} | preprocess "$@" | sed -nE 's/^@ "(.*)" (.*)$/\1 \2/p' | while read -r name sum; do
		# shellcheck disable=SC2004 # a sum, which dash takes only so
		echo "$(($sum)) $name"
	done | sort
}

: >"$dir/everywhere"

# compare ISA FOLDER "FLAG..." 64|32 TABLE...
compare() {
	isa=$1 folder=$2 flags=$3
	shift 3
	if [ ! -f "$folder/asm/unistd.h" ]; then
		echo "ok $isa: numbers # SKIP there are no kernel headers for it"
		return
	fi
	# shellcheck disable=SC2086 # a list of words
	headers $flags -I"$folder" -I/usr/include >"$dir/headers"
	cat "$dir/headers" >>"$dir/everywhere"
	known "$@" >"$dir/known"
	missing=$(comm -13 "$dir/known" "$dir/headers")
	if [ -s "$dir/headers" ] && [ -z "$missing" ]; then
		echo "ok $isa: numbers"
	else
		echo "not ok $isa: numbers"
		printf '%s\n' "in the headers only:" "$missing" "$(cat "$dir/errors")" | sed 's/^/# /'
	fi
}

compare riscv64 /usr/riscv64-linux-gnu/include \
	"-D__riscv -D__riscv_xlen=64 -D__LP64__ -D__SIZEOF_POINTER__=8" \
	64 generic riscv new
compare riscv32 /usr/riscv64-linux-gnu/include \
	"-D__riscv -D__riscv_xlen=32 -D__SIZEOF_POINTER__=4" \
	32 generic riscv time64 new
compare aarch64 /usr/aarch64-linux-gnu/include \
	"-D__aarch64__ -D__LP64__ -D__SIZEOF_POINTER__=8" 64 generic new
compare arm /usr/arm-linux-gnueabihf/include "-D__arm__ -D__ARM_EABI__" 32 arm time64 new
x86=/usr/include/$(cc -print-multiarch)
compare x86_64 "$x86" "-D__x86_64__ -D__LP64__" 64 x86_64 new
compare i386 "$x86" "-D__i386__" 32 i386 time64 new

# What no header has must be newer than the headers.
newest=$(sed -n 's/^\([0-9]*\) .*/\1/p' "$dir/everywhere" | awk '$1 < 10000 && $1 > n { n = $1 } END { print n }')
sort -u "$dir/everywhere" >"$dir/headers"
{
	known 64 generic arm x86_64 i386 time64 new
	known 32 generic
} | sort -u | comm -23 - "$dir/headers" | awk -v newest="$newest" '$1 <= newest' >"$dir/foreign"
# In kernels newer than Debian 12's headers, with numbers that were free; and stat's kin,
# which QEMU has for riscv32 although Linux does not.
foreign=$(grep -vxE '335 uretprobe|336 uprobe|79 fstatat64|80 fstat64' "$dir/foreign" || true)
if [ "$(wc -l <"$dir/everywhere")" -lt 1500 ]; then
	echo "ok names of no header # SKIP not all headers are here"
elif [ -z "$foreign" ]; then
	echo "ok names of no header"
else
	echo "not ok names of no header"
	printf '%s\n' "$foreign" | sed 's/^/# /'
fi
