/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The distinct blocks of a QEMU log, from its in_asm texts. */
#ifndef TRACE_LOGBLOCKS_H
#define TRACE_LOGBLOCKS_H

#include "trace/u64map.h"
#include "waymark.h"

struct logblock {
	uint64_t address;  /* of the first instruction */
	uint64_t text_off; /* of its lines, in logblocks.text */
	uint32_t text_bytes;
	uint32_t insns, bytes; /* as the log's disassembler sees them */
};

/* Ids are dense, from 1, in order of first appearance. */
struct logblocks {
	struct logblock *all; /* [n]; block `id` is all[id - 1] */
	uint32_t n, room;
	char *text;
	size_t text_bytes, text_room;
	struct u64map ids; /* hash of the lines -> id */
};

int logblocks_init(struct logblocks *blocks);
void logblocks_fini(struct logblocks *blocks);

/*
 * Finds or adds the block of these instruction lines, each of which ends in a newline.
 * Sets *id. WM_E_FORMAT when they are no such lines, WM_E_NOMEM.
 */
int logblocks_intern(struct logblocks *blocks, const char *lines, size_t bytes,
		     uint32_t *id);

/* Block `id`, which must exist. */
static inline const struct logblock *logblocks_at(const struct logblocks *blocks,
						  uint32_t id)
{
	return &blocks->all[id - 1];
}

/* One parsed instruction. The texts point into its first line. */
struct loginsn {
	uint64_t address;
	uint32_t bytes;
	uint8_t code[16];  /* in memory order */
	const char *text;  /* "<bytes>  <disassembly>", not terminated */
	const char *disas; /* the disassembly alone, within `text` */
	const char *end;   /* of both */
};

/* Parses the instruction at *at and moves *at after it. WM_END, WM_E_FORMAT. */
int loginsn_next(const char **at, const char *end, struct loginsn *insn);

#endif
