#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# teach.sh - build the kernel of teach.c.
#
# usage: tests/guests/machine/teach.sh OUT

set -eu
here=$(dirname "$0")
cat >"$1.ld" <<-'END'
	ENTRY(_start)
	SECTIONS {
		. = 0x80000000;
		.text : { *(.start) *(.text .text.*) *(.rodata .rodata.* .srodata .srodata.*) }
		. = ALIGN(4096);
		user_load = .;
		.user 0x40000000 : AT(user_load) { user_begin = .; *(.user) . = ALIGN(4096); user_end = .; }
		. = user_load + SIZEOF(.user);
		.data ALIGN(4096) : AT(ADDR(.data)) { *(.data .data.* .sdata .sdata.*) }
		.bss : AT(ADDR(.bss)) { *(.bss .bss.* .sbss .sbss.*) }
	}
END
"${CROSS_CC:-riscv64-linux-gnu-gcc}" -O1 -g -ffreestanding -fno-pic -fno-stack-protector -nostdlib -static \
	-march=rv64imac_zicsr_zifencei -mabi=lp64 -mcmodel=medany -Wl,--build-id=none -Wl,-T,"$1.ld" \
	-o "$1" "$here/teach-entry.S" "$here/teach.c"
