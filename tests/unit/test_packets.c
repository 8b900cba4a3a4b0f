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
#include "packets/te_model.h"
#include "tests/unit/sample.h"

#define BYTES(...) \
	(const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

/* ---- N-Trace ------------------------------------------------------------------------------ */

static void nexus_is_in(const struct nexus_message *message,
			const struct nexus_form *form, const uint8_t *bytes, size_t n)
{
	struct nexus_message got;
	struct buf buf = BUF_INIT;
	const char *why;
	size_t at = 0;

	nexus_put(&buf, message, form);
	assert_int_equal(buf.len, n);
	assert_memory_equal(buf.data, bytes, n);
	assert_int_equal(nexus_get(buf.data, n, &at, form, &got, &why), NEXUS_MESSAGE);
	assert_int_equal(at, n);
	assert_memory_equal(&got, message, sizeof(got));
	buf_fini(&buf);
}

static void nexus_is(const struct nexus_message *message, unsigned source_bits,
		     const uint8_t *bytes, size_t n)
{
	nexus_is_in(message, &(struct nexus_form){ .source_bits = source_bits }, bytes,
		    n);
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

/*
 * The examples of the specification's chapter "Virtual Addresses Optimization", of ProgTraceSync
 * with I-CNT 0. Its last one has zeros above bit 63, which stand for nothing.
 */
static void test_nexus_extended(void **state)
{
	static const struct {
		uint64_t address;
		uint8_t bytes[12];
		size_t n;
	} cases[] = {
		{ 0xffffffffe, { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x7f }, 6 },
		{ 0xfffffffe3ffffffe, { 0xfc, 0xfc, 0xfc, 0xfc, 0x7c, 0xf3 }, 6 },
		{ 0x1ffffffffe, { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x03 }, 7 },
		{ 0xffffffff800031f4, { 0xe8, 0x8c, 0x04, 0x00, 0x00, 0xff }, 6 },
		{ 0, { 0x03 }, 1 },
		{ 0xfffffffffffffffe, { 0xff }, 1 },
	};
	static const uint8_t whole[] = { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc,
					 0xfc, 0xfc, 0xfc, 0xfc, 0x17 };
	struct nexus_message message = { .tcode = NEXUS_PROG_TRACE_SYNC };
	struct nexus_form form = { .extended_xlen = 64 };
	/* 001001 | 00 0101, then the address */
	uint8_t bytes[16] = { 0x24, 0x15 };
	const char *why;
	size_t at = 0;

	(void)state;
	message.fields[NEXUS_SYNC] = NEXUS_SYNC_TRACE_ENABLE;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		message.fields[NEXUS_F_ADDR] = cases[i].address >> 1;
		memcpy(bytes + 2, cases[i].bytes, cases[i].n);
		nexus_is_in(&message, &form, bytes, 2 + cases[i].n);
	}
	memcpy(bytes + 2, whole, sizeof(whole));
	assert_int_equal(nexus_get(bytes, 2 + sizeof(whole), &at, &form, &message, &why),
			 NEXUS_MESSAGE);
	assert_true(message.fields[NEXUS_F_ADDR] == 0xbffffffffffffffe >> 1);
	/* A hart of 32 bits. */
	form.extended_xlen = 32;
	message.fields[NEXUS_F_ADDR] = 0xfffffffe >> 1;
	nexus_is_in(&message, &form, BYTES(0x24, 0x15, 0xff));
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

		assert_int_equal(nexus_get(cases[i].bytes, cases[i].n, &at,
					   &(struct nexus_form){ 0 }, &message, &why),
				 cases[i].found);
	}
	assert_non_null(why);
}

/* A history that repeats, and an error's code, are fields of some messages only. */
static void test_nexus_extensions(void **state)
{
	struct nexus_message message = { .tcode = NEXUS_RESOURCE_FULL };

	(void)state;
	message.fields[NEXUS_RCODE] = NEXUS_R_REPEATED;
	message.fields[NEXUS_RDATA] = 5;
	message.fields[NEXUS_HREPEAT] = 7;
	/* 011011 | 01 0010 | 000001 | 000111 */
	nexus_is(&message, 0, BYTES(0x6c, 0x48, 0x05, 0x1f));
	message = (struct nexus_message){ .tcode = NEXUS_ERROR };
	message.fields[NEXUS_ECODE] = 4;
	/* 001000 | 00 0000 | 000001 */
	nexus_is(&message, 0, BYTES(0x20, 0x00, 0x07));
	/* scontext 0x1d, PRV 0, V 0: 11101 0 00 10 */
	message = (struct nexus_message){ .tcode = NEXUS_OWNERSHIP };
	message.fields[NEXUS_PROCESS] = nexus_process(NEXUS_P_SCONTEXT, 0, 0x1d);
	assert_int_equal(message.fields[NEXUS_PROCESS], 0x3a2);
	nexus_is(&message, 0, BYTES(0x08, 0x88, 0x3b));
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
	static const struct te_widths wide = { .xlen = 64 }, narrow = { .xlen = 32 };
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

/* Sizes of the model, and two extensions, so that their packets have a subformat. */
static const struct te_options all_options = {
	.implicit_return = true,
	.branch_predictor = true,
	.jump_target_cache = true,
	.iret_ext = true,
	.time_width = 4,
	.f0s_width = 1,
	.return_stack_size = 5,
	.bpred_size = 7,
	.cache_size = 7,
};

static void test_te_extensions(void **state)
{
	static const struct te_widths wide = { .xlen = 64, .options = all_options };
	struct te_inst inst;

	(void)state;
	/* 00 | 0 | a count of 2 in 32 bits | 00: no address. */
	inst = (struct te_inst){ .format = TE_EXTENSION, .branch_count = 2 };
	te_is(&inst, &wide, BYTES(0x10));
	/* 00 | 1 | index 5 in 7 bits | 00000: no branches | 0 | as before. */
	inst = (struct te_inst){ .format = TE_EXTENSION,
				 .subformat = TE_INDEX,
				 .index = 5 };
	te_is(&inst, &wide, BYTES(0x2c));
	/* 2 returns: bit 15 differs from bit 14; then 00000010. */
	inst.irreport = true;
	inst.irets = 2;
	te_is(&inst, &wide, BYTES(0x2c, 0x80, 0x02));
	/* Bits 0 to 4; 10, 11, 12; 16; 19; 20; 22 and 24; 29 to 34. */
	inst = (struct te_inst){ .format = TE_SYNC,
				 .subformat = TE_SUPPORT,
				 .ienable = true,
				 .options = all_options };
	te_is(&inst, &wide, BYTES(0x1f, 0x1c, 0x59, 0xe1, 0x07));
}

static void put_extension(struct te_inst *inst, uint64_t *seed)
{
	inst->subformat = sample_random(seed) & 1;
	if (inst->subformat == TE_INDEX) {
		inst->index = sample_random(seed) % 128;
		inst->branches = (uint8_t)(sample_random(seed) % 32);
		inst->branch_map = sample_random(seed) &
				   ((UINT64_C(1) << inst->branches) - 1);
		inst->address = 0;
	} else {
		inst->branch_count = (uint32_t)sample_random(seed);
		inst->branch_fmt = TE_RIGHT;
		inst->updiscon = sample_random(seed) & 1;
	}
}

static void put_any(struct te_inst *inst, uint64_t *seed)
{
	inst->format = sample_random(seed) % 4;
	inst->address = (uint64_t)((int32_t)sample_random(seed) & ~1);
	if (inst->format != TE_SYNC && sample_random(seed) & 1) {
		inst->irreport = true;
		inst->irets = (uint8_t)sample_random(seed);
	}
	if (inst->format == TE_EXTENSION) {
		put_extension(inst, seed);
		return;
	}
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
	inst->context = (uint32_t)sample_random(seed);
	if (inst->subformat == TE_TRAP) {
		inst->ecause = sample_random(seed) % 64;
		inst->interrupt = sample_random(seed) & 1;
		inst->thaddr = sample_random(seed) & 1;
		inst->tval = inst->interrupt ? 0 : sample_random(seed);
	}
}

static void test_te_any(void **state)
{
	static const struct te_widths widths = { 64, TE_CONTEXT_BITS, all_options };
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
	assert_true(packet_insn(0x30200073, 64, 0).leaves_trap);
	assert_false(packet_insn(0x73, 64, 0).leaves_trap);
}

/* The specification's classes of calls and returns, and coroutines, which are neither. */
static void test_insn_calls(void **state)
{
	static const struct {
		uint32_t word;
		bool pushes, pops;
	} cases[] = {
		{ 0x000000ef, true, false },  /* jal ra */
		{ 0x000002ef, true, false },  /* jal t0 */
		{ 0x0000006f, false, false }, /* j */
		{ 0x9502, true, false },      /* c.jalr a0 */
		{ 0x9082, true, false },      /* c.jalr ra */
		{ 0x9282, false, false },     /* c.jalr t0: coroutines */
		{ 0x8082, false, true },      /* c.jr ra */
		{ 0x8282, false, true },      /* c.jr t0 */
		{ 0x8502, false, false },     /* c.jr a0 */
		{ 0x00008567, false, true },  /* jalr a0, ra */
		{ 0x000082e7, false, false }, /* jalr t0, ra: coroutines */
		{ 0x000500e7, true, false },  /* jalr ra, a0 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct packet_insn insn = packet_insn(cases[i].word, 64, 0x1000);

		assert_int_equal(insn.pushes, cases[i].pushes);
		assert_int_equal(insn.pops, cases[i].pops);
	}
}

static void test_insn_follows(void **state)
{
	struct packet_insn auipc = packet_insn(0x00002317, 64, 0x1000); /* auipc t1, 2 */
	struct packet_insn lui =
		packet_insn(0x80000337, 64, 0x1000);		    /* lui t1, 0x80000 */
	struct packet_insn c_lui = packet_insn(0x6305, 64, 0x1002); /* c.lui t1, 1 */
	struct packet_insn jump = packet_insn(0xff930067, 64, 0x1004); /* jr -7(t1) */
	struct packet_insn other = packet_insn(0x8502, 64, 0x1004);    /* c.jr a0 */
	uint64_t target;

	(void)state;
	assert_true(packet_insn_follows(&jump, &auipc, 0x1000, 64, &target));
	assert_int_equal(target, 0x2ff8);
	assert_true(packet_insn_follows(&jump, &lui, 0x1000, 64, &target));
	assert_true(target == UINT64_C(0xffffffff7ffffff8));
	assert_true(packet_insn_follows(&jump, &lui, 0x1000, 32, &target));
	assert_int_equal(target, 0x7ffffff8);
	assert_true(packet_insn_follows(&jump, &c_lui, 0x1002, 64, &target));
	assert_int_equal(target, 0xff8);
	assert_false(packet_insn_follows(&other, &auipc, 0x1000, 64, &target));
	assert_false(packet_insn_follows(&auipc, &auipc, 0x1000, 64, &target));
}

/* The table of the specification: 01 at first, and what it becomes. */
static void test_model(void **state)
{
	static const bool taken[] = { true, false, false, false, true, true, true };
	static const bool foretold[] = { false, true, true, false, false, false, true };
	struct te_model model;
	uint64_t address;

	(void)state;
	te_model_init(&model, &all_options);
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
		assert_int_equal(te_model_foretells(&model, 0x1000), foretold[i]);
		te_model_branch(&model, 0x1000, taken[i]);
	}
	/* 32 return addresses, of which the oldest are forgotten. */
	for (uint64_t i = 0; i < 40; i++)
		packet_returns_push(&model.returns, i);
	for (uint64_t i = 40; i-- > 8;) {
		assert_true(packet_returns_pop(&model.returns, &address));
		assert_true(address == i);
	}
	assert_false(packet_returns_pop(&model.returns, &address));
	te_model_target(&model, 0x1006);
	assert_int_equal(model.targets[3], 0x1006);
	te_model_sync(&model);
	assert_int_equal(model.targets[3], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nexus_bytes),
		cmocka_unit_test(test_nexus_fields),
		cmocka_unit_test(test_nexus_extended),
		cmocka_unit_test(test_nexus_bad),
		cmocka_unit_test(test_nexus_extensions),
		cmocka_unit_test(test_te_bytes),
		cmocka_unit_test(test_te_any),
		cmocka_unit_test(test_insn),
		cmocka_unit_test(test_te_extensions),
		cmocka_unit_test(test_insn_calls),
		cmocka_unit_test(test_insn_follows),
		cmocka_unit_test(test_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
