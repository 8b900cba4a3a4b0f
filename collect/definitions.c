// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A block has one id in the file, whichever images run it: two blocks are the same when
 * address and code are (and, where instruction sizes are listed, the sizes), and the program for
 * their values: an interpreter's block has one in a process whose guide told of its fetches, and
 * none in another. An interner finds them; the n-th different block gets id n, so insns_of[] and
 * process_of[] are plain arrays.
 *
 * 	image 0 defines 1 = {0x1000, A}, 2 = {0x2000, B}	file: 1 = A, 2 = B
 * 	image 1 defines 1 = {0x2000, B}, 2 = {0x3000, C}	file: 3 = C, its own 2
 *
 * Messages are a guest's to forge. A block is taken only if its parts add up: the sizes
 * sum to the code's length, follow the code where the file will not list them, and a gap
 * has no address. Without that a reader could not parse the code that follows.
 */
#include "collect/definitions.h"

#include <stdlib.h>
#include <string.h>

#include "format/arena.h"
#include "format/codec.h"
#include "format/section.h"
#include "format/text.h"

#define BLOCKS_LEVEL 6 /* zstd: code is worth more than the default, there is little */
#define TEXTS_LEVEL 3
#define SITES_LEVEL 3
#define GATHER_BYTES (1u << 20) /* of either kind, before they are written */

void definitions_init(struct definitions *defs, enum sizes_rule rule)
{
	*defs = (struct definitions){ 0 };
	blocks_writer_init(&defs->blocks, rule, 1);
}

bool definitions_refer(struct definitions *defs, const struct referred *referred)
{
	defs->referred = referred;
	return blocks_writer_use_files(&defs->blocks, referred->files);
}

/* Also of a gap, which has none: each block has one. */
static bool add_program(struct definitions *defs, uint32_t insns, struct span program)
{
	return !defs->programs ||
	       (!value_programs_define(defs->programs, insns, program, NULL) &&
		sites_writer_add(&defs->sites, program));
}

bool definitions_want_values(struct definitions *defs, uint32_t wanted, uint32_t width)
{
	const struct span nothing = { 0 };

	defs->programs = value_programs_new();
	if (!defs->programs)
		return false;
	defs->programs->wanted = wanted;
	defs->programs->width = width;
	sites_writer_init(&defs->sites, 1);
	for (uint32_t id = 1; id <= defs->known; id++)
		if (!add_program(defs, defs->insns_of[id], nothing))
			return false;
	return true;
}

void definitions_fini(struct definitions *defs)
{
	value_programs_free(defs->programs);
	sites_writer_fini(&defs->sites);
	interner_fini(&defs->ids);
	interner_fini(&defs->texted);
	blocks_writer_fini(&defs->blocks);
	buf_fini(&defs->texts);
	free(defs->insns_of);
	free(defs->process_of);
}

/* Both arrays or neither: a failure leaves them as they were. */
static bool grow(struct definitions *defs)
{
	/* Doubling keeps the cost of an id constant on average. */
	uint32_t n = defs->allocated * 2 + 4096;
	uint16_t *insns_of;
	uint32_t *process_of;

	if (defs->known + 1 < defs->allocated)
		return true;
	insns_of = realloc(defs->insns_of, n * sizeof(*insns_of));
	/*
	 * Stored at once: if the second realloc() fails, the first array has moved all
	 * the same. It is then longer than `allocated`, which does no harm.
	 */
	if (insns_of)
		defs->insns_of = insns_of;
	process_of = realloc(defs->process_of, n * sizeof(*process_of));
	if (process_of)
		defs->process_of = process_of;
	if (!insns_of || !process_of)
		return false;
	defs->allocated = n;
	return true;
}

/*
 * Whether a reader will derive these sizes from the code, if the file does not list them.
 */
static bool follows_rule(enum sizes_rule rule, const struct wm_block *block)
{
	uint8_t sizes[BLOCK_INSNS_MAX];

	/*
	 * A block whose sizes contradict its code would decode to other instructions than
	 * those that ran.
	 */
	return rule != SIZES_RISCV ||
	       (sizes_from_code(sizes, block->insns, block->code, block->bytes) &&
		!memcmp(sizes, block->sizes, block->insns));
}

static bool sizes_fit(const struct wm_block *block)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < block->insns; i++) {
		if (block->sizes[i] > INSN_BYTES_MAX)
			return false;
		bytes += block->sizes[i];
	}
	return bytes == block->bytes;
}

/* A gap has no instructions, and is at no address. */
static bool is_sound(const struct definitions *defs, const struct wm_block *block)
{
	return (!block_is_gap(block) || !block->address) &&
	       block->insns <= BLOCK_INSNS_MAX && sizes_fit(block) &&
	       follows_rule(defs->blocks.rule, block);
}

/* A block that the file does not have gets the next id. */
static bool add_block(struct definitions *defs, const struct wm_block *block,
		      struct span program, uint32_t process)
{
	uint32_t from = defs->referred ? referred_find(defs->referred, block) : 0;

	if (!grow(defs) || !add_program(defs, block->insns, program) ||
	    !blocks_writer_add_from(&defs->blocks, block, from))
		return false;
	defs->insns_of[++defs->known] = (uint16_t)block->insns;
	defs->process_of[defs->known] = process;
	return true;
}

bool definitions_take_block(struct definitions *defs, struct span *payload,
			    uint32_t process, uint32_t expected, uint32_t *id)
{
	struct message_block message;
	const uint8_t *bytes = span_bytes(payload, sizeof(message));
	struct wm_block block;
	struct span program;
	const uint8_t *key;
	bool fresh;

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	/*
	 * The payload is our own copy (collect/messages.c): it cannot change between
	 * check and use.
	 */
	block = (struct wm_block){
		.address = message.address,
		.insns = message.insns,
		.bytes = message.bytes,
		.sizes = span_bytes(payload, message.insns),
		.code = span_bytes(payload, message.bytes),
	};
	program = span_sub(payload, message.program);
	/*
	 * The plugin numbers blocks without gaps, so the id also shows whether a message
	 * is missing.
	 */
	if (payload->failed || message.id != expected ||
	    defs->known + 1 >= CODEC_IDS_MAX || !is_sound(defs, &block))
		return false;
	/*
	 * Sizes, code and program lie side by side. Where sizes follow from the code, they are
	 * no part of the key.
	 */
	key = defs->blocks.rule == SIZES_RISCV ? block.code : block.sizes;
	*id = (message.apart ? intern_apart : intern)(
		&defs->ids, block.address, key,
		(uint32_t)(block.code + block.bytes + message.program - key), &fresh);
	if (!fresh)
		/*
		 * 0: no memory. An id beyond `known` is one that was interned and then
		 * could not be added.
		 */
		return *id && *id <= defs->known;
	/* After a failure to add one, ids are out of step: nothing new is taken. */
	return *id == defs->known + 1 && add_block(defs, &block, program, process);
}

bool definitions_take_text(struct definitions *defs, const struct span *payload)
{
	struct span span = *payload;
	struct text_record text;
	bool good = text_get(&span, &text) && !span_left(&span), fresh = false;

	free(text.text);
	if (good)
		good = intern(&defs->texted, text.address, text.code, text.size, &fresh);
	if (fresh)
		buf_put(&defs->texts, payload->at, span_left(payload));
	return good && !defs->texts.failed;
}

/* A block as the interner keeps it: the key is its code and program, after listed sizes. */
struct kept {
	uint64_t address;
	const uint8_t *sizes; /* [insns] */
	const uint8_t *code;
	uint32_t insns;
	uint8_t follow[BLOCK_INSNS_MAX]; /* sizes that the code tells */
};

static void find_kept(const struct definitions *defs, uint32_t id, struct kept *kept)
{
	uint32_t bytes;

	kept->insns = defs->insns_of[id];
	kept->code = kept->sizes = intern_code(&defs->ids, id, &kept->address, &bytes);
	if (defs->blocks.rule == SIZES_RISCV) {
		kept->sizes = kept->follow;
		sizes_from_code(kept->follow, kept->insns, kept->code, bytes);
	} else {
		kept->code += kept->insns;
	}
}

const uint8_t *definitions_code(const struct definitions *defs, uint32_t id,
				uint64_t *address, uint32_t *bytes)
{
	struct kept kept;

	find_kept(defs, id, &kept);
	*address = kept.address;
	*bytes = 0;
	for (uint32_t i = 0; i < kept.insns; i++)
		*bytes += kept.sizes[i];
	return kept.code;
}

uint32_t definitions_insns_to(const struct definitions *defs, uint32_t id,
			      uint64_t address)
{
	struct kept kept;

	find_kept(defs, id, &kept);
	for (uint32_t i = 0; i < kept.insns; kept.address += kept.sizes[i++])
		if (kept.address == address)
			return i + 1;
	return 0;
}

size_t definitions_bytes(const struct definitions *defs)
{
	/* Before compression: an upper bound of what they will take in the file. */
	return blocks_writer_bytes(&defs->blocks) + defs->texts.len;
}

void definitions_put(struct definitions *defs, struct output *out)
{
	struct buf payload = BUF_INIT;

	/* Blocks before texts, and both before the chunk that the caller writes next. */
	if (defs->blocks.count) {
		blocks_writer_flush(&defs->blocks, &payload);
		output_put(out, SECTION_BLKS, &payload, BLOCKS_LEVEL);
	}
	if (defs->sites.count) {
		payload.len = 0;
		sites_writer_flush(&defs->sites, defs->programs->wanted,
				   defs->programs->width, &payload);
		output_put(out, SECTION_SITE, &payload, SITES_LEVEL);
	}
	if (defs->texts.len)
		output_put(out, SECTION_DISA, &defs->texts, TEXTS_LEVEL);
	buf_fini(&payload);
}

void definitions_put_some(struct definitions *defs, struct output *out)
{
	if (blocks_writer_bytes(&defs->blocks) > GATHER_BYTES ||
	    defs->texts.len > GATHER_BYTES)
		definitions_put(defs, out);
}
