/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Markers: instructions without effect with which a guest program marks points of its run
 * (include/waymark-mark.h). Functions of constants, for any thread.
 */
#ifndef ISA_MARKER_H
#define ISA_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MARKER_ID_MAX 1023

/* The encoding; an ISA has the same one for every word size. */
enum marker_isa { MARKER_NONE, MARKER_RISCV, MARKER_AARCH64, MARKER_X86 };

struct marker {
	uint32_t what; /* enum wm_marker */
	uint32_t id;   /* at most MARKER_ID_MAX */
};

/* By QEMU's name of the guest, "riscv64"; MARKER_NONE: it has no markers. */
enum marker_isa marker_isa(const char *target);

/* False: code[bytes] has no marker. True: it may have; look at each instruction. */
bool marker_suspected(enum marker_isa isa, const uint8_t *code, size_t bytes);

/*
 * Whether the instruction of `size` bytes at `code` is a marker; then fills in *marker.
 */
bool marker_find(enum marker_isa isa, const uint8_t *code, unsigned size,
		 struct marker *marker);

#endif
