/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an executed block looks like in a listing: as export/insn_format.h, which see,
 * but a line a block.
 */
#ifndef EXPORT_BLOCK_FORMAT_H
#define EXPORT_BLOCK_FORMAT_H

#include "export/line_format.h"

#include <stdint.h>
#include <stdio.h>

struct block {
	uint32_t id;
	uint64_t address;
	unsigned insns, bytes; /* that began, when it was left early */
	const char *last;   /* disassembly of the last instruction; "" when not known */
	const char *symbol; /* NULL when not known */
	const char *module; /* name of the file it is from, NULL when not known */
	uint64_t offset; /* in bytes, from the symbol, or without one from the module */
};

struct block_format {
	struct line_format line; /* first: cli/list/cmd-blocks.c knows it by this */
	void (*print)(FILE *out, const struct block *block);
};

extern const struct block_format block_csv, block_jsonl, block_pc, block_text;

#endif
