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

#include "program/symbols.h"

struct block {
	uint32_t id;
	uint64_t address;
	unsigned insns, bytes; /* that began, when it was left early */
	const char *last;   /* disassembly of the last instruction; "" when not known */
	const char *symbol; /* NULL when not known */
	const char *module; /* name of the file it is from, NULL when not known */
	uint64_t offset; /* in bytes, from the symbol, or without one from the module */
};

/* Blocks from <= ordinal < to of a thread, at most `count`. */
struct block_path {
	const struct wm_trace *trace;
	struct symbols *symbols;
	unsigned thread;
	uint64_t from, to, count;
	uint64_t cut; /* set by the format: how many it wrote when not all fit; 0: all */
};

struct block_format {
	struct line_format line; /* first: cli/list/cmd-blocks.c knows it by this */
	void (*print)(FILE *out, const struct block *block);
	/*
	 * Instead of print(), for a format that is no list of lines: writes all of it, binary.
	 * The caller checks the stream for errors. Errors are those of cursors, and WM_E_NOMEM.
	 */
	int (*write)(FILE *out, struct block_path *path, struct wm_error *err);
};

/* The Common Trace Format, 1.8.3: metadata and a stream of events, in an archive of tar. */
extern const struct block_format block_ctf;

extern const struct block_format block_csv, block_jsonl, block_pc, block_text;

#endif
