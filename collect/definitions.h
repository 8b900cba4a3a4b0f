/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blocks and texts that the plugin has told of and the file does not have yet. They
 * are gathered, because they compress well together, and written before any chunk that
 * refers to them.
 */
#ifndef COLLECT_DEFINITIONS_H
#define COLLECT_DEFINITIONS_H

#include "collect/output.h"
#include "format/blocks.h"

struct definitions {
	struct blocks_writer blocks;
	struct buf texts;
	uint16_t *insns_of; /* [known + 1] instructions of each block */
	uint32_t known, allocated;
};

void definitions_init(struct definitions *defs, enum sizes_rule rule);
void definitions_fini(struct definitions *defs);
/* Take a message's payload; false when it is malformed, or there is no memory. */
bool definitions_take_block(struct definitions *defs, struct span *payload);
bool definitions_take_text(struct definitions *defs, const struct span *payload);
/* Writes what has been gathered. */
void definitions_put(struct definitions *defs, struct output *out);
/* The same, when it has become much. */
void definitions_put_some(struct definitions *defs, struct output *out);

#endif
