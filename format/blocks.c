// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks column by column, in both directions. Addresses, instruction counts, sizes and
 * code each compress best next to values of their own kind.
 *
 * An address is stored as the zigzag distance from the end of the previous block, so code
 * that QEMU translates in sequence costs one byte per block. Example: blocks at 0x1000 of
 * 6 bytes, at 0x1006 of 4 bytes and at 0x1000 again have the distances 0x1000, 0, -10.
 *
 * Invariant of a table: blocks[1..count] are complete, and their sizes and code lie in
 * `storage`. Each storage is one allocation that never moves, so pointers into it stay
 * valid while the array of blocks grows. A reader compares each count of a section with
 * the bytes that are left before it allocates memory for it.
 */
#include "format/blocks.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "format/codec.h"

/*
 * Bound on the memory for the blocks of a trace, so that a hostile file cannot demand
 * more.
 */
#define TABLE_BYTES_MAX (UINT64_C(2) << 30)

void blocks_writer_init(struct blocks_writer *blocks, enum sizes_rule rule,
			uint32_t first)
{
	*blocks = (struct blocks_writer){ .rule = rule, .first = first };
}

void blocks_writer_fini(struct blocks_writer *blocks)
{
	buf_fini(&blocks->places);
	buf_fini(&blocks->insns);
	buf_fini(&blocks->sizes);
	buf_fini(&blocks->code);
	buf_fini(&blocks->from);
	XXH3_freeState(blocks->checksum);
	blocks->checksum = NULL;
}

bool blocks_writer_use_files(struct blocks_writer *blocks,
			     const struct blocks_file *files)
{
	blocks->files = files;
	blocks->checksum = XXH3_createState();
	return blocks->checksum && XXH3_64bits_reset(blocks->checksum) == XXH_OK;
}

/*
 * Restores the length of a column, so that it has no part of a block that was not added.
 */
static void drop(struct buf *column, size_t len)
{
	column->len = len;
	column->failed = false;
}

/* What sections with files have besides; the block is in all columns. */
static void note_from(struct blocks_writer *blocks, const struct wm_block *block,
		      uint32_t from)
{
	if (!blocks->files)
		return;
	XXH3_64bits_update(blocks->checksum, block->code, block->bytes);
	if (from > blocks->used)
		blocks->used = from;
	if (from)
		blocks->left_bytes += block->bytes;
}

bool blocks_writer_add_from(struct blocks_writer *blocks, const struct wm_block *block,
			    uint32_t from)
{
	size_t places = blocks->places.len, insns = blocks->insns.len;
	size_t sizes = blocks->sizes.len, code = blocks->code.len;
	size_t froms = blocks->from.len;

	buf_put_varint(&blocks->places, zigzag((int64_t)(block->address - blocks->next)));
	buf_put_varint(&blocks->insns, block->insns);
	/* SIZES_RISCV needs no column: the code itself gives the sizes. */
	if (blocks->rule == SIZES_LISTED)
		buf_put(&blocks->sizes, block->sizes, block->insns);
	if (blocks->files)
		buf_put_varint(&blocks->from, from);
	if (!from)
		buf_put(&blocks->code, block->code, block->bytes);
	/* All columns or none: they are read back in parallel, block by block. */
	if (blocks->places.failed || blocks->insns.failed || blocks->sizes.failed ||
	    blocks->code.failed || blocks->from.failed) {
		drop(&blocks->places, places);
		drop(&blocks->insns, insns);
		drop(&blocks->sizes, sizes);
		drop(&blocks->code, code);
		drop(&blocks->from, froms);
		return false;
	}
	note_from(blocks, block, from);
	blocks->next = block->address + block->bytes;
	blocks->count++;
	return true;
}

bool blocks_writer_add(struct blocks_writer *blocks, const struct wm_block *block)
{
	return blocks_writer_add_from(blocks, block, 0);
}

size_t blocks_writer_bytes(const struct blocks_writer *blocks)
{
	return blocks->places.len + blocks->insns.len + blocks->sizes.len +
	       blocks->code.len + blocks->from.len + blocks->left_bytes;
}

static void put_column(struct buf *payload, struct buf *column)
{
	buf_put(payload, column->data, column->len);
	column->len = 0;
}

static void put_files(struct blocks_writer *blocks, struct buf *payload)
{
	buf_put_u64(payload, XXH3_64bits_digest(blocks->checksum));
	buf_put_varint(payload, blocks->used);
	for (uint32_t i = 0; i < blocks->used; i++) {
		const struct blocks_file *file = &blocks->files[i];

		buf_put_string(payload, file->build_id);
		buf_put_string(payload, file->path);
		buf_put_varint(payload, zigzag((int64_t)file->bias));
	}
	put_column(payload, &blocks->from);
}

void blocks_writer_flush(struct blocks_writer *blocks, struct buf *payload)
{
	buf_put_u32(payload, blocks->first);
	buf_put_u32(payload, blocks->count);
	buf_put_u32(payload, blocks->rule | (blocks->used ? BLOCKS_IN_FILES : 0));
	put_column(payload, &blocks->places);
	put_column(payload, &blocks->insns);
	put_column(payload, &blocks->sizes);
	if (blocks->used)
		put_files(blocks, payload);
	put_column(payload, &blocks->code);
	blocks->first += blocks->count;
	blocks->count = 0;
	/* Distances start over, so that a section decodes without the one before it. */
	blocks->next = 0;
	blocks->from.len = 0;
	blocks->left_bytes = 0;
	blocks->used = 0;
	if (blocks->files)
		XXH3_64bits_reset(blocks->checksum);
}

void block_table_fini(struct block_table *table)
{
	for (size_t i = 0; i < table->storages; i++)
		free(table->storage[i]);
	free(table->storage);
	free(table->blocks);
	free(table->insns);
	*table = (struct block_table){ 0 };
}

static bool grow_blocks(struct block_table *table, uint32_t count)
{
	/* 1 more than the count: entry 0 is unused. */
	uint32_t n = table->count + count + 1;
	struct wm_block *grown;
	uint16_t *insns;

	_Static_assert(BLOCK_INSNS_MAX <= UINT16_MAX,
		       "instructions of a block need 16 bits");
	if (n <= table->allocated)
		return true;
	/* Files have many small sections; growing by half keeps the copying linear. */
	n += n / 2;
	grown = realloc(table->blocks, n * sizeof(*grown));
	if (!grown)
		return false;
	grown[0] = (struct wm_block){ 0 };
	table->blocks = grown;
	insns = realloc(table->insns, n * sizeof(*insns));
	if (!insns)
		return false;
	insns[0] = 0;
	table->insns = insns;
	table->allocated = n;
	return true;
}

/* Takes ownership of `memory` for the table, on failure too. */
static bool keep(struct block_table *table, void *memory)
{
	if (table->storages == table->storages_allocated) {
		size_t n = table->storages * 2 + 16;
		void **grown = realloc(table->storage, n * sizeof(*grown));

		if (!grown) {
			free(memory);
			return false;
		}
		table->storage = grown;
		table->storages_allocated = n;
	}
	table->storage[table->storages++] = memory;
	return true;
}

bool sizes_from_code(uint8_t *sizes, uint32_t n, const uint8_t *code, size_t bytes)
{
	/*
	 * RISC-V instructions have 4 bytes when the two lowest bits are set, otherwise 2.
	 * An instruction that ends beyond the code is malformed.
	 */
	for (uint32_t i = 0; i < n; i++) {
		if (!bytes)
			return false;
		sizes[i] = (*code & 3) == 3 ? 4 : 2;
		if (sizes[i] > bytes)
			return false;
		code += sizes[i];
		bytes -= sizes[i];
	}
	return true;
}

/*
 * Reads the columns of places and instruction counts. Returns the sum of the counts and
 * adds the number of gaps among them to *gaps.
 *
 * An address is only the distance at this point: the size of the previous block, which it
 * is relative to, is known in place_blocks().
 */
static uint64_t get_shapes(struct block_table *table, struct span *span, uint32_t count,
			   uint32_t *gaps)
{
	struct wm_block *blocks = table->blocks + table->count + 1;
	uint64_t insns = 0;

	for (uint32_t i = 0; i < count; i++)
		blocks[i].address = (uint64_t)unzigzag(span_varint(span));
	for (uint32_t i = 0; i < count; i++) {
		uint64_t n = span_varint(span);

		/* This also bounds the sum: no overflow for any 32-bit count. */
		if (n > BLOCK_INSNS_MAX)
			span->failed = true;
		blocks[i].insns = (uint32_t)n;
		table->insns[table->count + 1 + i] = (uint16_t)n;
		insns += n;
		*gaps += n == 0;
	}
	return span->failed ? 0 : insns;
}

/*
 * Gives each block its sizes, code and address. False when the sizes and the code do not
 * add up.
 */
static bool place_blocks(struct block_table *table, uint32_t count, uint8_t *sizes,
			 const uint8_t *code, size_t left, bool riscv)
{
	uint64_t next = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct wm_block *block = &table->blocks[table->count + 1 + i];

		if (riscv && !sizes_from_code(sizes, block->insns, code, left))
			return false;
		block->bytes = 0;
		for (uint32_t j = 0; j < block->insns; j++) {
			if (sizes[j] > INSN_BYTES_MAX)
				return false;
			block->bytes += sizes[j];
		}
		if (block->bytes > left)
			return false;
		block->address += next;
		/* A gap is stored as distance -next, so that its address is 0. */
		if (block_is_gap(block) && block->address)
			return false;
		block->sizes = sizes;
		block->code = code;
		next = block->address + block->bytes;
		sizes += block->insns;
		code += block->bytes;
		left -= block->bytes;
	}
	/* Code that belongs to no block is as wrong as missing code. */
	return !left;
}

int block_table_add(struct block_table *table, struct span payload, struct wm_error *err)
{
	uint32_t first = span_u32(&payload), count = span_u32(&payload);
	uint32_t rule = span_u32(&payload);
	bool riscv = rule == SIZES_RISCV;
	uint64_t most = table->most ? table->most : TABLE_BYTES_MAX;
	uint64_t insns, code_bytes, bytes;
	const uint8_t *listed;
	uint8_t *memory;
	uint32_t gaps = 0;

	/*
	 * Ids have no holes: a section continues where the previous one ended. The count
	 * is checked against its least size in bytes first, because memory is allocated
	 * by it next.
	 */
	if (payload.failed || rule > SIZES_RISCV || first != table->count + 1 ||
	    count > span_left(&payload) / BLOCK_STORED_MIN ||
	    table->count + count >= CODEC_IDS_MAX ||
	    table->bytes + count * sizeof(*table->blocks) > most)
		return wm_fail(err, WM_E_DAMAGED, 0, "a section of blocks is malformed");
	if (!grow_blocks(table, count))
		return wm_fail_nomem(err, "the table of blocks");
	insns = get_shapes(table, &payload, count, &gaps);
	listed = riscv ? payload.at : span_bytes(&payload, insns);
	code_bytes = span_left(&payload);
	bytes = insns + code_bytes + count * sizeof(*table->blocks);
	/*
	 * A RISC-V instruction has at least 2 bytes, so sizes[insns] is bounded by the
	 * code.
	 */
	if (payload.failed || (riscv && insns > code_bytes) ||
	    table->bytes + bytes > most)
		return wm_fail(err, WM_E_DAMAGED, 0, "a section of blocks is malformed");
	/*
	 * Sizes first, then code; 1 more byte, so that a section of gaps has memory, too.
	 */
	memory = malloc(insns + code_bytes + 1);
	if (!memory || !keep(table, memory))
		return wm_fail_nomem(err, "the table of blocks");
	if (!riscv)
		memcpy(memory, listed, insns);
	memcpy(memory + insns, payload.at, code_bytes);
	/*
	 * On failure `count` stays, so the blocks are not part of the table; their memory
	 * is freed with the table.
	 */
	if (!place_blocks(table, count, memory, memory + insns, code_bytes, riscv))
		return wm_fail(err, WM_E_DAMAGED, 0, "a section of blocks is malformed");
	table->count += count;
	table->gaps += gaps;
	table->bytes += bytes;
	return 0;
}
