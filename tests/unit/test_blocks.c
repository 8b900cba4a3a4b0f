// SPDX-License-Identifier: GPL-2.0-or-later
/* format/blocks: columns and back, by both rules, over several sections; and bad ones. */
#include "format/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/codec.h"
#include "sample.h"

enum { BLOCKS = 3000, SECTIONS = 7 };

struct made {
	uint64_t address;
	uint32_t insns, bytes;
	uint8_t sizes[BLOCK_INSNS_MAX], code[BLOCK_BYTES_MAX];
};

/* A block whose sizes fit its code by the rule; or, now and then, a gap. */
static void make(struct made *made, uint32_t i, enum sizes_rule rule, uint64_t *seed)
{
	if (i % 400 == 3) {
		*made = (struct made){ 0 };
		return;
	}
	made->address = i % 5 ? made->address + made->bytes :
				(uint64_t)sample_random(seed) << 32 | sample_random(seed);
	made->insns = i % 100 == 0 ? BLOCK_INSNS_MAX : 1 + sample_random(seed) % 20;
	made->bytes = 0;
	for (uint32_t j = 0; j < made->insns; j++) {
		uint8_t size = rule == SIZES_RISCV ? 2 + 2 * (sample_random(seed) % 2) :
						     1 + sample_random(seed) % 16;

		made->sizes[j] = size;
		for (uint8_t k = 0; k < size; k++)
			made->code[made->bytes + k] = (uint8_t)sample_random(seed);
		if (rule == SIZES_RISCV)
			made->code[made->bytes] = (uint8_t)(sample_random(seed) * 4 +
							    (size == 4 ? 3 : i % 3));
		made->bytes += size;
	}
}

static void check_rule(enum sizes_rule rule)
{
	struct block_table table = { 0 };
	struct blocks_writer writer;
	struct made made = { 0 };
	uint64_t seed = rule;

	blocks_writer_init(&writer, rule, 1);
	for (uint32_t i = 0; i < BLOCKS; i++) {
		struct wm_block block;

		make(&made, i, rule, &seed);
		block = (struct wm_block){ made.address, made.insns, made.bytes,
					   made.sizes, made.code };
		assert_true(blocks_writer_add(&writer, &block));
		if ((i + 1) % (BLOCKS / SECTIONS) == 0 || i == BLOCKS - 1) {
			struct buf payload = BUF_INIT;

			blocks_writer_flush(&writer, &payload);
			assert_int_equal(blocks_writer_bytes(&writer), 0);
			assert_int_equal(
				block_table_add(&table,
						span_of(payload.data, payload.len), NULL),
				0);
			buf_fini(&payload);
		}
	}
	blocks_writer_fini(&writer);

	assert_int_equal(table.count, BLOCKS);
	seed = rule;
	made = (struct made){ 0 };
	for (uint32_t i = 0; i < BLOCKS; i++) {
		const struct wm_block *got = &table.blocks[i + 1];

		make(&made, i, rule, &seed);
		assert_int_equal(got->address, made.address);
		assert_int_equal(got->insns, made.insns);
		assert_int_equal(got->bytes, made.bytes);
		assert_memory_equal(got->sizes, made.sizes, made.insns);
		assert_memory_equal(got->code, made.code, made.bytes);
	}
	block_table_fini(&table);
	assert_int_equal(table.count, 0);
}

static void test_round_trip(void **state)
{
	(void)state;
	check_rule(SIZES_LISTED);
	check_rule(SIZES_RISCV);
}

/* ---- malformed ----------------------------------------------------------- */

/* A section of these fields and columns; the code is given apart. */
static int add(struct block_table *table, uint32_t first, uint32_t count, uint32_t rule,
	       const char *columns, size_t columns_bytes, size_t code_bytes)
{
	uint8_t *bytes = malloc(12 + columns_bytes + code_bytes), *at = bytes;
	int ret;

	assert_non_null(bytes);
	at = put_u32(put_u32(put_u32(at, first), count), rule);
	memcpy(at, columns, columns_bytes);
	memset(at + columns_bytes, 1,
	       code_bytes); /* of two bytes each, by the RISC-V rule */
	ret = block_table_add(table, span_of(bytes, 12 + columns_bytes + code_bytes),
			      NULL);
	free(bytes);
	return ret;
}

static void test_malformed(void **state)
{
	struct block_table table = { 0 };

	(void)state;
	assert_int_equal(block_table_add(&table, span_of("", 0), NULL), WM_E_DAMAGED);
	/* good ones: nothing; one block; three by the other rule, two without some code */
	assert_int_equal(add(&table, 1, 0, 1, "", 0, 0), 0);
	assert_int_equal(add(&table, 1, 1, 1, "\x02\x02", 2, 4), 0);
	assert_int_equal(add(&table, 2, 1, 0, "\x02\x02\x03\x01", 4, 4), 0);
	assert_int_equal(add(&table, 3, 1, 0, "\x02\x02\x04\x00", 4, 4), 0);
	assert_int_equal(add(&table, 4, 1, 0, "\x02\x01\x00", 3, 0), 0);
	/* a gap, by each rule: it takes two bytes, wherever the block before is */
	assert_int_equal(add(&table, 5, 1, 1, "\0\0", 2, 0), 0);
	assert_int_equal(add(&table, 6, 1, 0, "\0\0", 2, 0), 0);
	assert_int_equal(add(&table, 7, 2, 1, "\x02\x05\x01\x00", 4, 2), 0);
	assert_true(block_is_gap(&table.blocks[5]) && block_is_gap(&table.blocks[8]));
	assert_int_equal(table.count, 8);
	/* ids that do not follow, an unknown rule */
	assert_int_equal(add(&table, 8, 1, 1, "\x02\x02", 2, 4), WM_E_DAMAGED);
	assert_int_equal(add(&table, 10, 1, 1, "\x02\x02", 2, 4), WM_E_DAMAGED);
	assert_int_equal(add(&table, 9, 1, 2, "\x02\x02", 2, 4), WM_E_DAMAGED);
	/* more blocks than there is room for, and more than there may be */
	assert_int_equal(add(&table, 9, 2, 1, "\x02\x02", 2, 4), WM_E_DAMAGED);
	assert_int_equal(add(&table, 9, UINT32_MAX, 1, "\x02\x02", 2, 4), WM_E_DAMAGED);
	assert_int_equal(add(&table, 9, CODEC_IDS_MAX, 1, "\x02\x02", 2, 4),
			 WM_E_DAMAGED);
	/* a gap with code, one at an address; too many, a varint cut short */
	assert_int_equal(add(&table, 9, 1, 1, "\x02\x00", 2, 4), WM_E_DAMAGED);
	assert_int_equal(add(&table, 9, 1, 1, "\x02\x00", 2, 0), WM_E_DAMAGED);
	assert_int_equal(add(&table, 9, 2, 1, "\x02\x00\x01\x00", 4, 2), WM_E_DAMAGED);
	assert_int_equal(add(&table, 9, 1, 1, "\x02\x81\x04", 3, 1026), WM_E_DAMAGED);
	assert_int_equal(add(&table, 9, 1, 1, "\x82\x82\x82\x82", 4, 0), WM_E_DAMAGED);
	/* too little code, too much */
	assert_int_equal(add(&table, 9, 1, 1, "\x02\x02", 2, 3), WM_E_DAMAGED);
	assert_int_equal(add(&table, 9, 1, 1, "\x02\x02", 2, 5), WM_E_DAMAGED);
	assert_int_equal(add(&table, 9, 1, 0, "\x02\x02\x03\x01", 4, 3), WM_E_DAMAGED);
	assert_int_equal(add(&table, 9, 1, 0, "\x02\x02\x03\x01", 4, 5), WM_E_DAMAGED);
	/* a size that cannot be */
	assert_int_equal(add(&table, 9, 1, 0, "\x02\x01\x11", 3, 17), WM_E_DAMAGED);
	/* none of which did anything, and good ones still go */
	assert_int_equal(table.count, 8);
	assert_int_equal(add(&table, 9, 1, 1, "\x02\x81\x02", 3, 514), 0);
	assert_int_equal(table.blocks[9].insns, 257);
	assert_int_equal(table.blocks[1].bytes, 4);
	block_table_fini(&table);
}

/* A good section cut short everywhere, and each of its bytes changed. */
static void test_damaged(void **state)
{
	struct blocks_writer writer;
	struct made made = { 0 };
	struct buf payload = BUF_INIT;
	uint64_t seed = 9;

	(void)state;
	blocks_writer_init(&writer, SIZES_LISTED, 1);
	for (uint32_t i = 1; i < 6; i++) {
		make(&made, i, SIZES_LISTED, &seed);
		assert_true(blocks_writer_add(
			&writer, &(struct wm_block){ made.address, made.insns, made.bytes,
						     made.sizes, made.code }));
	}
	blocks_writer_flush(&writer, &payload);
	blocks_writer_fini(&writer);
	for (size_t i = 0; i < payload.len; i++) {
		struct block_table table = { 0 };
		uint8_t *copy = malloc(payload.len);

		assert_non_null(copy);
		memcpy(copy, payload.data, payload.len);
		assert_int_equal(block_table_add(&table, span_of(copy, i), NULL),
				 WM_E_DAMAGED);
		for (unsigned bit = 0; bit < 8; bit++) {
			copy[i] ^= (uint8_t)(1 << bit);
			block_table_add(&table, span_of(copy, payload.len), NULL);
			copy[i] ^= (uint8_t)(1 << bit);
			block_table_fini(&table);
		}
		free(copy);
	}
	buf_fini(&payload);
}

static void test_sizes(void **state)
{
	static const uint8_t code[] = { 0x13, 0, 0, 0, 0x01, 0, 0x02, 0, 0x1f, 0, 0, 0 };
	uint8_t sizes[8];

	(void)state;
	assert_true(sizes_from_code(sizes, 4, code, 12));
	assert_memory_equal(sizes, "\4\2\2\4", 4);
	assert_true(sizes_from_code(sizes, 0, code, 0));
	assert_false(sizes_from_code(sizes, 4, code, 11));
	assert_false(sizes_from_code(sizes, 5, code, 12));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_round_trip),
	cmocka_unit_test(test_malformed),
	cmocka_unit_test(test_damaged),
	cmocka_unit_test(test_sizes),
};

int main(void)
{
	return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
