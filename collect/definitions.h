/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blocks and texts of a file. Images define blocks under ids of their own; the file
 * has each block once, whichever images run it.
 *
 * New blocks are gathered, because they compress well together, and written before any
 * chunk that refers to them.
 */
#ifndef COLLECT_DEFINITIONS_H
#define COLLECT_DEFINITIONS_H

#include "base/intern.h"
#include "collect/output.h"
#include "collect/referred.h"
#include "format/blocks.h"
#include "format/values_programs.h"

struct definitions {
	struct interner ids;		 /* of blocks: by sizes, where listed, and code */
	struct interner texted;		 /* instructions whose text is known */
	struct blocks_writer blocks;	 /* not written yet */
	const struct referred *referred; /* code that stays in files; NULL: none */
	struct buf texts;		 /* not written yet */
	struct value_programs *programs; /* of all blocks; NULL: no values are wanted */
	struct sites_writer sites;	 /* not written yet */
	uint16_t *insns_of;		 /* [known + 1] instructions of each block */
	uint32_t *process_of; /* [known + 1] index of the space that had it first */
	uint32_t known, allocated;
};

void definitions_init(struct definitions *defs, enum sizes_rule rule);
/*
 * Code that these files have is left there; they must outlive the definitions. False: no
 * memory. Before the first block.
 */
bool definitions_refer(struct definitions *defs, const struct referred *referred);
/*
 * What blocks do to memory (enum values_wanted) is wanted, too; registers have `width` bits.
 * False: no memory. Blocks that are there already have none.
 */
bool definitions_want_values(struct definitions *defs, uint32_t wanted, uint32_t width);
void definitions_fini(struct definitions *defs);
/*
 * Take the payload of a message; false when it is malformed, or there is no memory. The
 * block must be the image's block `expected`; *id is its id in the file. `process` is the
 * index of the image's space.
 */
bool definitions_take_block(struct definitions *defs, struct span *payload,
			    uint32_t process, uint32_t expected, uint32_t *id);
bool definitions_take_text(struct definitions *defs, const struct span *payload);
/* code[*bytes] of a block, valid until the next one is taken. */
const uint8_t *definitions_code(const struct definitions *defs, uint32_t id,
				uint64_t *address, uint32_t *bytes);
/*
 * Instructions of a block up to and including the one at `address`; 0 when none begins
 * there.
 */
uint32_t definitions_insns_to(const struct definitions *defs, uint32_t id,
			      uint64_t address);
/* Bytes of what has been gathered, before they are compressed. */
size_t definitions_bytes(const struct definitions *defs);
/* Writes what has been gathered. */
void definitions_put(struct definitions *defs, struct output *out);
/* The same, when a megabyte has been gathered. */
void definitions_put_some(struct definitions *defs, struct output *out);

#endif
