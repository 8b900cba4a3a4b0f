/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The static half of a trace: translation blocks (BLKS).
 *
 * A block never changes: other bytes at its address are another block. Sections hold
 * consecutive ids, column by column, because values of one kind compress best together.
 */
#ifndef FORMAT_BLOCKS_H
#define FORMAT_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "waymark.h"

/*
 * The most instructions that QEMU puts into one block (TCG_MAX_INSNS), and the bytes of
 * as many instructions of INSN_BYTES_MAX.
 */
#define BLOCK_INSNS_MAX 512
#define BLOCK_BYTES_MAX 8192
#define INSN_BYTES_MAX 16
/* The least bytes of a block in a section: a gap's place and its count of 0. */
#define BLOCK_STORED_MIN 2

/* How instruction sizes are known. */
enum sizes_rule {
	SIZES_LISTED =
		0,	 /* one byte each; 0: QEMU reads no code there, and acts itself */
	SIZES_RISCV = 1, /* 4 when the low two bits of the first byte are set, else 2 */
};

/* A gap: code ran here that is not recorded. It has no bytes, and its address is 0. */
static inline bool block_is_gap(const struct wm_block *block)
{
	return !block->insns;
}

/*
 * ---- BLKS: first:32 count:32 rule:32 | place* | insns* | [size*] | code* ----
 *
 * With BLOCKS_IN_FILES in the rule, which needs FILE_CODE, some blocks' code is in files:
 *
 *	... [size*] | checksum:64 | file* | from* | code*
 */
#define BLOCKS_IN_FILES 0x100u
#define CODE_FILES_MAX 256 /* of a section */

/* A file with code: its byte at offset o is at address o + bias. */
struct blocks_file {
	const char *path, *build_id;
	uint64_t bias;
};

struct blocks_writer {
	enum sizes_rule rule;
	uint32_t first, count;
	uint64_t next; /* address after the last block */
	struct buf places, insns, sizes, code;
	/* Only what has code in files: see blocks_writer_use_files(). */
	const struct blocks_file *files;
	uint32_t used;	   /* of the files, by this section: the first ones */
	struct buf from;   /* for each block 0, or the number of its file, from 1 */
	size_t left_bytes; /* of the section's blocks, in files */
	struct XXH3_state_s *checksum; /* of all code of the section */
};

void blocks_writer_init(struct blocks_writer *blocks, enum sizes_rule rule,
			uint32_t first);
void blocks_writer_fini(struct blocks_writer *blocks);
/* Adds block first + count. False when there is no memory: nothing was added. */
bool blocks_writer_add(struct blocks_writer *blocks, const struct wm_block *block);
/*
 * From now on blocks may have their code in files[], of which there are CODE_FILES_MAX at
 * most, and which may be added to. It must outlive the writer. False: no memory. Only
 * before the first block.
 */
bool blocks_writer_use_files(struct blocks_writer *blocks,
			     const struct blocks_file *files);
/* The same as blocks_writer_add(); the block's code is in files[from - 1], or 0: in none. */
bool blocks_writer_add_from(struct blocks_writer *blocks, const struct wm_block *block,
			    uint32_t from);
/* Bytes of the next payload's columns so far, with the code that stays in files. */
size_t blocks_writer_bytes(const struct blocks_writer *blocks);
/* Appends the section's payload to *payload and starts the next section. */
void blocks_writer_flush(struct blocks_writer *blocks, struct buf *payload);

/* All blocks of a file, as its sections are read in order. */
struct block_table {
	struct wm_block *blocks; /* [count + 1], by id; 0 is unused */
	/*
	 * [count + 1] their instructions again: a walk reads those of each block that ran, and
	 * these stay in a cache.
	 */
	uint16_t *insns;
	uint32_t count, allocated;
	uint32_t gaps;	/* how many of them are gaps */
	void **storage; /* sizes and code, one allocation for each section */
	size_t storages, storages_allocated;
	uint64_t bytes; /* memory of blocks and storage */
	uint64_t most;	/* limit of `bytes`; 0: the limit of any table */
};

void block_table_fini(struct block_table *table);
/* Adds a section; 0, WM_E_DAMAGED or WM_E_NOMEM. The payload may be freed afterwards. */
int block_table_add(struct block_table *table, struct span payload, struct wm_error *err);

/* True when n sizes and `bytes` of code fit the rule; fills sizes[n] from the code. */
bool sizes_from_code(uint8_t *sizes, uint32_t n, const uint8_t *code, size_t bytes);

#endif
