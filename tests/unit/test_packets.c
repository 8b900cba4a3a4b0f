// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packets/nexus and te_inst: fields as bytes, worked out by hand from the specifications, and
 * any fields there and back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "packets/insn.h"
#include "packets/nexus.h"
#include "packets/te_inst.h"
#include "tests/unit/sample.h"

#define BYTES(...) \
	(const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

/* ---- N-Trace ------------------------------------------------------------------------------ */

static void nexus_is(const struct nexus_message *message, unsigned source_bits,
		     const uint8_t *bytes, size_t n)
{
	struct nexus_message got;
	struct buf buf = BUF_INIT;
	const char *why;
	size_t at = 0;

	nexus_put(&buf, message, source_bits);
	assert_int_equal(buf.len, n);
	assert_memory_equal(buf.data, bytes, n);
	assert_int_equal(nexus_get(buf.data, n, &at, source_bits, &got, &why),
			 NEXUS_MESSAGE);
	assert_int_equal(at, n);
	assert_memory_equal(&got, message, sizeof(got));
	buf_fini(&buf);
}

static void test_nexus_bytes(void **state)
{
	struct nexus_message message = { .tcode = NEXUS_DIRECT_BRANCH, .source = 1 };

	(void)state;
	/* 000011 | 000001 | 00 101 0 */
	message.fields[NEXUS_I_CNT] = 5;
	nexus_is(&message, 8, BYTES(0x0c, 0x04, 0x53));
	/* 000011 | 0101 01: I-CNT 21 without a source is 010101. */
	message.source = 0;
	message.fields[NEXUS_I_CNT] = 21;
	nexus_is(&message, 0, BYTES(0x0c, 0x57));
	/* A second slice: 64 is 000001 000000. */
	message.fields[NEXUS_I_CNT] = 64;
	nexus_is(&message, 0, BYTES(0x0c, 0x00, 0x07));
}

/* Each field of variable size ends its byte; a fixed one shares it. */
static void test_nexus_fields(void **state)
{
	struct nexus_message message = { .tcode = NEXUS_INDIRECT_BRANCH_HIST_SYNC };

	(void)state;
	message.fields[NEXUS_SYNC] = 2;
	message.fields[NEXUS_B_TYPE] = 1;
	message.fields[NEXUS_I_CNT] = 3;
	message.fields[NEXUS_F_ADDR] = 0x800;
	message.fields[NEXUS_HIST] = 5;
	/* 011101 | 01 0010 | 000011 | 000000 100000 | 000101 */
	nexus_is(&message, 0, BYTES(0x74, 0x48, 0x0d, 0x00, 0x81, 0x17));
	message.has_time = true;
	message.time = 1;
	nexus_is(&message, 0, BYTES(0x74, 0x48, 0x0d, 0x00, 0x81, 0x15, 0x07));
	/* Without history there is no field for it. */
	message = (struct nexus_message){ .tcode = NEXUS_PROG_TRACE_CORRELATION };
	message.fields[NEXUS_EVCODE] = 4;
	/* 100001 | 00 0100 | 000000 */
	nexus_is(&message, 0, BYTES(0x84, 0x10, 0x03));
}

static void test_nexus_bad(void **state)
{
	static const struct {
		uint8_t bytes[4];
		size_t n;
		enum nexus_found found;
	} cases[] = {
		{ { 0xff, 0xff }, 2, NEXUS_END },
		{ { 0x0e }, 1, NEXUS_BAD },		  /* MSEO 2 */
		{ { 0x0c, 0x04 }, 2, NEXUS_BAD },	  /* it goes on */
		{ { 0x0f }, 1, NEXUS_BAD },		  /* it has no I-CNT */
		{ { 0xf8, 0x00, 0x03 }, 3, NEXUS_OTHER }, /* code 62 */
	};
	struct nexus_message message;
	const char *why = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t at = 0;

		assert_int_equal(nexus_get(cases[i].bytes, cases[i].n, &at, 0, &message,
					   &why),
				 cases[i].found);
	}
	assert_non_null(why);
}

/* ---- E-Trace ------------------------------------------------------------------------------ */

static void te_is(const struct te_inst *inst, const struct te_widths *widths,
		  const uint8_t *bytes, size_t n)
{
	struct buf buf = BUF_INIT;
	struct te_inst got;
	struct te_span span;
	size_t at = 0;

	te_put(&buf, inst, widths, 0x12, 1);
	assert_int_equal(buf.len, n + 2);
	assert_int_equal(buf.data[0], n);
	assert_int_equal(buf.data[1], 0x12);
	assert_memory_equal(buf.data + 2, bytes, n);
	assert_true(te_next(buf.data, buf.len, 1, &at, &span));
	assert_int_equal(at, buf.len);
	assert_int_equal(span.hart, 0x12);
	te_get(buf.data + span.at, span.bytes, widths, &got);
	assert_memory_equal(&got, inst, sizeof(got));
	buf_fini(&buf);
}

static void test_te_bytes(void **state)
{
	static const struct te_widths wide = { 64, false }, narrow = { 32, false };
	struct te_inst inst;

	(void)state;
	/* Format 2, -2: 10, then nothing but ones. */
	inst = (struct te_inst){ .format = TE_ADDRESS, .address = (uint64_t)-2 };
	te_is(&inst, &wide, BYTES(0xfe));
	/* 0x20 is 0x10 of halves: 0010000 10; then zeros. */
	inst.address = 0x20;
	te_is(&inst, &wide, BYTES(0x42));
	/* updiscon is not as the bit before: bits 66 and above. 2 + 63 is bit 65. */
	inst.updiscon = true;
	te_is(&inst, &wide, BYTES(0x42, 0, 0, 0, 0, 0, 0, 0, 0xfc));
	/* 12 branches have 15 bits: 01 | 01100 | 15 | address 0. */
	inst = (struct te_inst){ .format = TE_BRANCHES,
				 .branches = 12,
				 .branch_map = 0x801 };
	te_is(&inst, &narrow, BYTES(0xb1, 0x00, 0x04));
	/* A full map: 01 | 00000 | 31 bits. */
	inst = (struct te_inst){ .format = TE_BRANCHES,
				 .branches = TE_BRANCHES_MOST,
				 .full = true,
				 .branch_map = 1 };
	te_is(&inst, &wide, BYTES(0x81, 0x00));
	/* 11 | 00 | branch 1 | privilege 3 | 0x1000 / 2. */
	inst = (struct te_inst){ .format = TE_SYNC,
				 .subformat = TE_START,
				 .branch = true,
				 .privilege = 3,
				 .address = 0x1000 };
	te_is(&inst, &narrow, BYTES(0x73, 0x00, 0x04));
}

static void put_any(struct te_inst *inst, uint64_t *seed)
{
	inst->format = 1 + sample_random(seed) % 3;
	inst->address = (uint64_t)((int32_t)sample_random(seed) & ~1);
	if (inst->format != TE_SYNC) {
		inst->updiscon = sample_random(seed) & 1;
		if (inst->format == TE_BRANCHES) {
			inst->branches = (uint8_t)(1 + sample_random(seed) % 31);
			inst->branch_map = sample_random(seed) &
					   ((1u << inst->branches) - 1);
		}
		return;
	}
	inst->subformat = sample_random(seed) & 1;
	inst->branch = sample_random(seed) & 1;
	inst->time = sample_random(seed);
	if (inst->subformat == TE_TRAP) {
		inst->ecause = sample_random(seed) % 64;
		inst->interrupt = sample_random(seed) & 1;
		inst->thaddr = sample_random(seed) & 1;
		inst->tval = inst->interrupt ? 0 : sample_random(seed);
	}
}

static void test_te_any(void **state)
{
	static const struct te_widths widths = { 64, true };
	uint64_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct te_inst inst = { 0 }, got;
		struct buf buf = BUF_INIT;
		struct te_span span;
		size_t at = 0;

		put_any(&inst, &seed);
		te_put(&buf, &inst, &widths, 0, 0);
		assert_true(te_next(buf.data, buf.len, 0, &at, &span));
		te_get(buf.data + span.at, span.bytes, &widths, &got);
		assert_memory_equal(&got, &inst, sizeof(got));
		buf_fini(&buf);
	}
}

/* ---- instructions --------------------------------------------------------------------------- */

static void test_insn(void **state)
{
	struct packet_insn insn = packet_insn(0xfd7d, 64, 0x1002); /* c.bnez a0,-2 */

	(void)state;
	assert_true(packet_insn_is_branch(&insn));
	assert_int_equal(insn.target, 0x1000);
	assert_int_equal(insn.bytes, 2);
	insn = packet_insn(0x8082, 64, 0); /* ret */
	assert_true(packet_insn_is_indirect(&insn));
	insn = packet_insn(0x0220006f, 64, 0x1000); /* j 34 */
	assert_true(packet_insn_is_direct(&insn));
	assert_int_equal(insn.target, 0x1022);
	assert_true(packet_insn(0x73, 64, 0).traps);
	assert_true(packet_insn(0x30200073, 64, 0).traps);
	assert_true(packet_insn(0x9002, 64, 0).traps);
	assert_false(packet_insn(0x13, 64, 0).traps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nexus_bytes), cmocka_unit_test(test_nexus_fields),
		cmocka_unit_test(test_nexus_bad),   cmocka_unit_test(test_te_bytes),
		cmocka_unit_test(test_te_any),	    cmocka_unit_test(test_insn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
