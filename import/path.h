/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions of RISC-V, one after the other, as blocks of a file: each ends where control
 * may go elsewhere, or where it did.
 */
#ifndef IMPORT_PATH_H
#define IMPORT_PATH_H

#include "format/blocks.h"
#include "import/file.h"

struct import_path {
	struct import_file *file;
	unsigned xlen;
	uint64_t start;	       /* of the block that is made */
	uint32_t insns, bytes; /* in it */
	uint8_t code[BLOCK_BYTES_MAX];
};

void import_path_init(struct import_path *path, struct import_file *file, unsigned xlen);
/*
 * The stream executes the instruction `word` at `address`; `ends`: control may go elsewhere
 * after it.
 */
int import_path_take(struct import_path *path, uint64_t address, uint32_t word, bool ends,
		     struct wm_error *err);
/* The same; whether control may leave follows from the instruction. */
int import_path_insn(struct import_path *path, uint64_t address, uint32_t word,
		     struct wm_error *err);
/* Ends the block: before an event, and at the end of a stream. */
int import_path_end(struct import_path *path, struct wm_error *err);

#endif
