// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks column by column, in both directions: addresses, instruction counts, sizes and code
 * each compress best beside their like.
 *
 * An address is stored as the distance from the end of the block before. Example: blocks at
 * 0x1000 of 6 bytes, at 0x1006 of 4 bytes and at 0x1000 again are stored as 0x1000, 0, -10.
 *
 * Invariant of a table: blocks[1..count] are complete, and their sizes and code lie in
 * `storage`, which never moves. A reader trusts no count of a section before it has compared
 * it with the bytes that are left.
 */
#include "format/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/codec.h"

/* What is kept of the blocks of any trace: a hostile file may not ask for more. */
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
}

/* Takes back what a column got of a block that is not added. */
static void drop(struct buf *column, size_t len)
{
	column->len = len;
	column->failed = false;
}

bool blocks_writer_add(struct blocks_writer *blocks, const struct wm_block *block)
{
	size_t places = blocks->places.len, insns = blocks->insns.len;
	size_t sizes = blocks->sizes.len, code = blocks->code.len;

	buf_put_varint(&blocks->places, zigzag((int64_t)(block->address - blocks->next)));
	buf_put_varint(&blocks->insns, block->insns);
	if (blocks->rule == SIZES_LISTED)
		buf_put(&blocks->sizes, block->sizes, block->insns);
	buf_put(&blocks->code, block->code, block->bytes);
	if (blocks->places.failed || blocks->insns.failed || blocks->sizes.failed ||
	    blocks->code.failed) {
		drop(&blocks->places, places);
		drop(&blocks->insns, insns);
		drop(&blocks->sizes, sizes);
		drop(&blocks->code, code);
		return false;
	}
	blocks->next = block->address + block->bytes;
	blocks->count++;
	return true;
}

size_t blocks_writer_bytes(const struct blocks_writer *blocks)
{
	return blocks->places.len + blocks->insns.len + blocks->sizes.len +
	       blocks->code.len;
}

static void put_column(struct buf *payload, struct buf *column)
{
	buf_put(payload, column->data, column->len);
	column->len = 0;
}

void blocks_writer_flush(struct blocks_writer *blocks, struct buf *payload)
{
	buf_put_u32(payload, blocks->first);
	buf_put_u32(payload, blocks->count);
	buf_put_u32(payload, blocks->rule);
	put_column(payload, &blocks->places);
	put_column(payload, &blocks->insns);
	put_column(payload, &blocks->sizes);
	put_column(payload, &blocks->code);
	blocks->first += blocks->count;
	blocks->count = 0;
	blocks->next = 0;
}

void block_table_fini(struct block_table *table)
{
	for (size_t i = 0; i < table->storages; i++)
		free(table->storage[i]);
	free(table->storage);
	free(table->blocks);
	*table = (struct block_table){ 0 };
}

static bool grow_blocks(struct block_table *table, uint32_t count)
{
	uint32_t n = table->count + count + 1;
	struct wm_block *grown;

	if (n <= table->allocated)
		return true;
	n += n / 2;
	grown = realloc(table->blocks, n * sizeof(*grown));
	if (!grown)
		return false;
	grown[0] = (struct wm_block){ 0 };
	table->blocks = grown;
	table->allocated = n;
	return true;
}

/* Takes ownership of `memory` until the table goes. */
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
 * Reads the columns of places and instruction counts; the sum of the counts, and how many
 * of them are gaps.
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

		if (n > BLOCK_INSNS_MAX)
			span->failed = true;
		blocks[i].insns = (uint32_t)n;
		insns += n;
		*gaps += n == 0;
	}
	return span->failed ? 0 : insns;
}

/* Gives each block its sizes, code and address. False when they do not fit together. */
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
		if (block_is_gap(block) && block->address)
			return false;
		block->sizes = sizes;
		block->code = code;
		next = block->address + block->bytes;
		sizes += block->insns;
		code += block->bytes;
		left -= block->bytes;
	}
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
	if (payload.failed || (riscv && insns > code_bytes) ||
	    table->bytes + bytes > most)
		return wm_fail(err, WM_E_DAMAGED, 0, "a section of blocks is malformed");
	memory = malloc(insns + code_bytes + 1);
	if (!memory || !keep(table, memory))
		return wm_fail_nomem(err, "the table of blocks");
	if (!riscv)
		memcpy(memory, listed, insns);
	memcpy(memory + insns, payload.at, code_bytes);
	if (!place_blocks(table, count, memory, memory + insns, code_bytes, riscv))
		return wm_fail(err, WM_E_DAMAGED, 0, "a section of blocks is malformed");
	table->count += count;
	table->gaps += gaps;
	table->bytes += bytes;
	return 0;
}
