/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BTF: the types of a Linux kernel, in the form in which the kernel itself has them. */
#ifndef PROGRAM_ELF_BTF_H
#define PROGRAM_ELF_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf {
	const uint8_t *types; /* in the caller's memory */
	const char *strings;
	uint32_t types_bytes, strings_bytes;
	uint32_t *at; /* [n] where in `types` each begins; type 0 is void */
	uint32_t n;
};

/*
 * Reads BTF of a little-endian kernel. The memory must outlive *btf. False when it is
 * malformed, or without memory.
 */
bool btf_open(struct btf *btf, const void *data, size_t bytes);
void btf_close(struct btf *btf);
/*
 * The offset, in bytes, of a member in `struct record`, also of one in a member without
 * a name. False when there is none, or it is a bit field.
 */
bool btf_member(const struct btf *btf, const char *record, const char *member,
		uint32_t *off);

#endif
