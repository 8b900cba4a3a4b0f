// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/mix, compared with stepping instruction by instruction through a program of a
 * dozen instructions whose kinds are written down by hand: any division, any range, any
 * interval, any number of threads, any cutting into parts; with blocks left early.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/mix/mix.h"
#include "sample.h"

enum { STREAMS = 3, BLOCKS = 40, GAP, MOST_INSNS = 6, MOST_INTERVALS = 4000 };

/* Of each division; registers are listed with blanks between them, "!" before written ones. */
static const struct insn {
	uint32_t word, bytes;
	const char *kinds[5]; /* by enum kinds_by */
} insns[] = {
	{ 0x00b50533, 4, { "add", "integer", "I", "4", "!a0 a0 a1" } },
	{ 0x852e, 2, { "mv", "integer", "C", "2", "!a0 a1" } },
	{ 0x00000013, 4, { "nop", "hint", "I", "4", "!zero zero" } },
	{ 0x02b50533, 4, { "mul", "multiply", "M", "4", "!a0 a0 a1" } },
	{ 0xe406, 2, { "sd", "store", "C", "2", "ra sp" } },
	{ 0x0005b507, 4, { "fld", "FP load, double", "D", "4", "!fa0 a1" } },
	{ 0x02b57553, 4, { "fadd.d", "FP add, double", "D", "4", "!fa0 fa0 fa1" } },
	{ 0x00b57553, 4, { "fadd.s", "FP add, single", "F", "4", "!fa0 fa0 fa1" } },
	{ 0x8168, 2, { "lbu", "load", "Zcb", "2", "!a0 a0" } },
	{ 0x6181, 2, { "c.mop.n", "hint", "Zcmop", "2", "" } },
	{ 0x0000000b, 4, { "0x0000000b", "unknown", "unknown", "4", "" } },
	{ 0x8082, 2, { "ret", "return", "C", "2", "!zero ra" } },
};
enum { INSNS = sizeof(insns) / sizeof(*insns), KINDS = 64 };

static const char *const path = "mix.wmk";
static struct sample sample;
static struct wm_trace *trace;
static uint8_t which[BLOCKS + 1][MOST_INSNS]; /* of insns[], by block and index */

/* ---- a trace ------------------------------------------------------------- */

static void write_block(uint64_t address, uint64_t *seed)
{
	uint8_t code[MOST_INSNS * 4];
	uint32_t n = 1 + sample_random(seed) % MOST_INSNS, bytes = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint8_t kind = (uint8_t)(sample_random(seed) % INSNS);

		which[sample.known + 1][i] = kind;
		for (uint32_t byte = 0; byte < insns[kind].bytes; byte++)
			code[bytes++] = (uint8_t)(insns[kind].word >> 8 * byte);
	}
	sample_code(&sample, address, code, bytes);
}

static void write_chunk(uint32_t stream, size_t n, uint64_t *seed)
{
	uint32_t ids[1000];

	for (size_t i = 0; i < n; i++) {
		ids[i] = 1 + sample_random(seed) % GAP;
		sample_perhaps_partial(&sample, (uint32_t)i, ids[i], seed);
		if (sample_random(seed) % 50 == 0)
			sample_event(&sample, i, 99, "before");
	}
	sample_chunk(&sample, stream, ids, n);
}

static int set_up(void **state)
{
	uint64_t seed = 11;

	(void)state;
	sample_open(&sample, path);
	for (uint32_t i = 0; i < BLOCKS; i++)
		write_block(0x10000 + 64 * i, &seed);
	assert_int_equal(sample_gap(&sample), GAP);
	for (unsigned i = 0; i < STREAMS; i++)
		sample_stream(&sample);
	sample_by_turns(write_chunk, &seed);
	sample_close(&sample, false);
	trace = sample_trace(path);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	wm_trace_close(trace);
	return 0;
}

/* ---- the mix by single steps --------------------------------------------- */

struct group {
	uint32_t stream;
	uint64_t from, insns;
	unsigned n;
	struct wanted {
		const char *name;
		size_t length; /* of the name */
		struct mix_sums sums;
	} kinds[KINDS];
};

static struct group groups[MOST_INTERVALS];
static unsigned n_groups;

static struct mix_sums *sums_of(struct group *group, const char *name, size_t length)
{
	for (unsigned i = 0; i < group->n; i++)
		if (group->kinds[i].length == length &&
		    !strncmp(group->kinds[i].name, name, length))
			return &group->kinds[i].sums;
	group->kinds[group->n] = (struct wanted){ .name = name, .length = length };
	return &group->kinds[group->n++].sums;
}

static void count_registers(struct group *group, const struct insn *insn)
{
	const char *names = insn->kinds[KINDS_REGISTER];

	while (*names) {
		bool written = *names == '!';
		size_t length = strcspn(names += written, " ");
		struct mix_sums *sums = sums_of(group, names, length);

		sums->writes += written;
		sums->insns += !written;
		sums->compressed += !written && insn->bytes == 2;
		names += length + strspn(names + length, " ");
	}
}

static void count(struct group *group, enum kinds_by by, const struct insn *insn)
{
	const char *name = insn->kinds[by];
	struct mix_sums *sums;

	group->insns++;
	if (by == KINDS_REGISTER) {
		count_registers(group, insn);
		return;
	}
	sums = sums_of(group, name, strlen(name));
	sums->insns++;
	sums->compressed += insn->bytes == 2;
}

/* The group of an instruction; intervals come one after the other. */
static struct group *group_of(unsigned stream, uint64_t from)
{
	struct group *group = n_groups ? &groups[n_groups - 1] : NULL;

	if (!group || group->stream != stream || group->from != from) {
		assert_true(n_groups < MOST_INTERVALS);
		group = &groups[n_groups++];
		*group = (struct group){ .stream = stream, .from = from };
	}
	return group;
}

static void step_through(enum kinds_by by, uint64_t interval, unsigned stream,
			 uint64_t from, uint64_t to)
{
	struct wm_cursor *cursor;
	struct wm_step step;

	assert_int_equal(wm_cursor_new(&cursor, trace, stream, NULL), 0);
	assert_int_equal(wm_cursor_seek_insn(cursor, from, NULL), 0);
	while (!wm_cursor_next_insn(cursor, &step, NULL) && step.insn_ordinal < to) {
		uint64_t number = interval ? (step.insn_ordinal - from) / interval : 0;
		struct group *group = group_of(interval ? stream : 0,
					       interval ? from + number * interval : 0);

		count(group, by, &insns[which[step.id][step.index]]);
	}
	wm_cursor_free(cursor);
}

/* ---- comparing ----------------------------------------------------------- */

static uint64_t insns_of_stream(unsigned stream)
{
	struct wm_stream is;

	assert_int_equal(wm_trace_stream(trace, stream, &is), 0);
	return is.insns;
}

static void check_rows(const struct mix *mix, const struct kinds *kinds)
{
	unsigned rows = 0;

	for (size_t i = 0; i < mix->n_rows; i++) {
		const struct mix_row *row = &mix->rows[i];
		const char *name = kinds_name(kinds, row->kind);
		struct group *group = &groups[row->group];
		const struct mix_sums *sums = sums_of(group, name, strlen(name));

		assert_memory_equal(&row->sums, sums, sizeof(*sums));
		if (i && mix->rows[i - 1].group == row->group) {
			const struct mix_sums *last = &mix->rows[i - 1].sums;

			assert_true(last->insns + last->writes >=
				    sums->insns + sums->writes);
		}
	}
	for (unsigned i = 0; i < n_groups; i++)
		rows += groups[i].n;
	assert_int_equal(mix->n_rows, rows);
}

static void check(enum kinds_by by, uint64_t interval, uint64_t from, uint64_t to,
		  unsigned threads, uint64_t part_blocks)
{
	static const unsigned streams[] = { 0, 1, 2 };
	struct selection selection = { .streams = streams,
				       .n = STREAMS,
				       .from = from,
				       .to = to,
				       .threads = threads,
				       .part_blocks = part_blocks };
	struct mix_ask ask = { .per = interval ? MIX_INTERVAL : MIX_WHOLE,
			       .interval = interval };
	struct wm_error err;
	uint64_t total = 0;
	struct mix mix;

	n_groups = 0;
	for (unsigned i = 0; i < STREAMS; i++)
		if (from < insns_of_stream(i))
			step_through(by, interval, i, from, to);
	assert_int_equal(kinds_new(&ask.kinds, trace, by, &err), 0);
	assert_int_equal(mix_gather(&mix, trace, &selection, &ask, &err), 0);
	assert_int_equal(mix.n_groups, n_groups);
	for (unsigned i = 0; i < n_groups; i++) {
		assert_int_equal(mix.groups[i].stream, groups[i].stream);
		assert_int_equal(mix.groups[i].from, groups[i].from);
		assert_int_equal(mix.groups[i].insns, groups[i].insns);
		total += groups[i].insns;
	}
	assert_int_equal(mix.insns, total);
	check_rows(&mix, ask.kinds);
	mix_fini(&mix);
	kinds_free(ask.kinds);
}

static void test_all(void **state)
{
	(void)state;
	for (unsigned by = KINDS_MNEMONIC; by <= KINDS_REGISTER; by++) {
		check(by, 0, 0, UINT64_MAX, 1, 0);
		check(by, 0, 0, UINT64_MAX, 3, 0);
		check(by, UINT64_MAX, 0, UINT64_MAX, 2, 1);
		check(by, 100, 0, UINT64_MAX, 1, 0);
		check(by, 1, 0, 3000, 4, 1);
	}
}

static void test_ranges(void **state)
{
	uint64_t all = insns_of_stream(0), seed = 5;

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		uint64_t from = sample_random(&seed) % all;
		uint64_t to = from + sample_random(&seed) % (all - from + 2);
		uint64_t interval = 2 + sample_random(&seed) % 500;

		check(i % 5, i % 3 ? interval : 0, from, to, 1 + i % 3, i % 2);
	}
}

/* ---- words that are one instruction or another --------------------------- */

/* 0xb842 is c.fsdsp, or cm.push on a CPU with Zcmp, where QEMU's text is in the trace. */
static void check_push(const char *text, enum kinds_by by, const char *name)
{
	static const uint8_t code[] = { 0x42, 0xb8 };
	static struct sample other;
	struct buf texts = BUF_INIT;
	struct wm_trace *opened;
	struct kinds *kinds;
	struct wm_error err;
	uint32_t way;

	sample_open(&other, "push.wmk");
	sample_code(&other, 0x10000, code, sizeof(code));
	sample_flush(&other);
	if (text) {
		buf_put_u8(&texts, sizeof(code));
		buf_put(&texts, code, sizeof(code));
		buf_put_string(&texts, text);
		sample_put(&other, SECTION_DISA, texts.data, texts.len);
		buf_fini(&texts);
	}
	sample_close(&other, false);
	assert_int_equal(wm_trace_open(&opened, "push.wmk", &err), 0);
	assert_int_equal(kinds_new(&kinds, opened, by, &err), 0);
	assert_true(kinds_find_block(kinds, 1, &way));
	assert_int_equal(kinds_of(kinds, way).n, 1);
	assert_string_equal(kinds_name(kinds, kinds_of(kinds, way).uses[0]), name);
	kinds_free(kinds);
	wm_trace_close(opened);
}

static void test_zcmp(void **state)
{
	(void)state;
	check_push(NULL, KINDS_MNEMONIC, "fsd");
	check_push(NULL, KINDS_EXTENSION, "C");
	check_push(NULL, KINDS_CLASS, "FP store, double");
	check_push("fsd                     fa6,48(sp)", KINDS_MNEMONIC, "fsd");
	check_push("cm.push                 {ra},-16", KINDS_MNEMONIC, "cm.push");
	check_push("cm.push                 {ra},-16", KINDS_EXTENSION, "Zcmp");
	check_push("cm.push                 {ra},-16", KINDS_CLASS, "store");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all),
	cmocka_unit_test(test_ranges),
	cmocka_unit_test(test_zcmp),
};

int main(void)
{
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
