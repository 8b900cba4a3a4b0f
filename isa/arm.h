/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two instruction sets of 32-bit ARM: ARM, whose instructions have four bytes, and
 * Thumb, whose have two or four. Bytes alone do not tell which of the sets they are in.
 */
#ifndef ISA_ARM_H
#define ISA_ARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum arm_set { ARM_ARM, ARM_THUMB, ARM_EITHER };

/* Which set instructions side by side are of, going by their address, sizes and bytes. */
enum arm_set arm_set_of(uint64_t address, const uint8_t *sizes, uint32_t insns,
			const uint8_t *code);

/* Whether Thumb's instruction at `code` has four bytes. */
bool arm_is_wide(const uint8_t code[2]);

/*
 * Of four bytes that are either an ARM instruction or a short one of Thumb and half of a
 * wide one: whether `text`, which QEMU prints for them at `address`, is the short one's.
 */
bool arm_text_is_short(const char *text, const uint8_t code[4], uint64_t address);

/* How many instructions after this one it makes conditional: Thumb's IT, or 0. */
uint32_t arm_it_length(const uint8_t *code, uint32_t size);

#endif
