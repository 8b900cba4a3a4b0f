/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two instruction sets of 32-bit ARM: ARM, whose instructions have four bytes, and
 * Thumb, whose have two or four. Bytes alone may be valid in both.
 */
#ifndef ISA_ARM_H
#define ISA_ARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum arm_set { ARM_ARM, ARM_THUMB, ARM_EITHER };

/* The set of consecutive instructions, by their address, sizes and bytes. */
enum arm_set arm_set_of(uint64_t address, const uint8_t *sizes, uint32_t insns,
			const uint8_t *code);

/* Whether Thumb's instruction at `code` has four bytes. */
bool arm_is_wide(const uint8_t code[2]);

/*
 * For 4 bytes that are either one ARM instruction, or a Thumb instruction of 2 bytes and
 * half of a wide one: whether `text`, QEMU's for them at `address`, is that of the Thumb
 * instruction.
 */
bool arm_text_is_short(const char *text, const uint8_t code[4], uint64_t address);

/* How many instructions after this one it makes conditional: Thumb's IT, or 0. */
uint32_t arm_it_length(const uint8_t *code, uint32_t size);

#endif
