// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random walks, sensible and not, through a made-up program: their parts, however cut and in
 * whatever order put together, come to the same as the whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/calls/callpart-data.h"
#include "calling.h"
#include "rounds.h"

/* Whether arcs are by place. */
static bool by_place;

static void feed_whole(struct callpart *part, const uint32_t *what, size_t n,
		       uint32_t most)
{
	uint64_t insn = 100;

	begin(part, most, true);
	part->by_place = by_place;
	feed(part, what, n, &insn);
}

/* Takes a part through its bytes, which are the same again. */
static void renew(struct callpart *part)
{
	struct buf bytes = BUF_INIT, again = BUF_INIT;
	struct callpart copy;
	struct span in;

	callpart_settle(part);
	callpart_put(part, rows, &bytes);
	begin(&copy, part->contexts.most, !part->stack.open);
	copy.by_place = by_place;
	in = span_of(bytes.data, bytes.len);
	assert_int_equal(callpart_get(&copy, rows, ROWS - 1, &in, NULL), 0);
	assert_true(!in.failed && !span_left(&in));
	callpart_put(&copy, rows, &again);
	assert_int_equal(bytes.len, again.len);
	assert_memory_equal(bytes.data, again.data, bytes.len);
	callpart_fini(part);
	*part = copy;
	part->stack.cookie = part;
	buf_fini(&bytes);
	buf_fini(&again);
}

/* In parts of random lengths, put together in a random order of neighbours. */
static void feed_parts(struct callpart *whole, const uint32_t *what, size_t n,
		       uint32_t most, uint32_t length)
{
	struct callpart *parts = calloc(n, sizeof(*parts));
	uint64_t insn = 100;
	size_t n_parts = 0;

	for (size_t at = 0, size; at < n; at += size) {
		size = 1 + walk_draw(length);
		if (size > n - at)
			size = n - at;
		begin(&parts[n_parts], most, !at);
		parts[n_parts].by_place = by_place;
		/* Some walks settle what they have found at every other block. */
		parts[n_parts].tree.most = walk_draw(2) ? CALLTREE_MOST : 4;
		feed(&parts[n_parts++], what + at, size, &insn);
	}
	while (n_parts > 1) {
		size_t i = walk_draw((uint32_t)n_parts - 1);

		if (by_place)
			renew(&parts[i + walk_draw(2)]);
		assert_int_equal(callpart_append(&parts[i], &parts[i + 1], NULL), 0);
		callpart_fini(&parts[i + 1]);
		n_parts--;
		memmove(&parts[i + 1], &parts[i + 2], (n_parts - i - 1) * sizeof(*parts));
		for (size_t j = i + 1; j < n_parts; j++)
			parts[j].stack.cookie = &parts[j];
	}
	*whole = parts[0];
	whole->stack.cookie = whole;
	free(parts);
}

/* That arc in another part. */
static uint32_t find_arc(struct callpart *part, const struct arc *arc)
{
	return arc->place ?
		       arcs_at_place(&part->arcs, arc->caller, arc->callee, arc->place) :
		       arcs_at(&part->arcs, arc->caller, arc->callee);
}

static void compare_arcs(struct callpart *a, struct callpart *b)
{
	for (uint32_t i = 1; i < b->arcs.n; i++)
		assert_true(find_arc(a, &b->arcs.all[i]));
	for (uint32_t i = 1; i < a->arcs.n; i++) {
		const struct arc *arc = &a->arcs.all[i];
		uint32_t index = find_arc(b, arc);
		const struct arc *other = &b->arcs.all[index];

		assert_int_equal(arc->calls, other->calls);
		assert_int_equal(arc->open, other->open);
		assert_int_equal(arc->insns, other->insns);
		assert_int_equal(arc->least, other->least);
		assert_int_equal(arc->most, other->most);
		assert_int_equal(arc->total, other->total);
		assert_int_equal(arc->active, 0);
	}
}

/* Node `i` of a tree in another; 0: it is not there. */
static uint32_t find_context(const struct contexts *of, uint32_t i,
			     const struct contexts *in)
{
	const struct context *one = &of->all[i];
	uint32_t parent;

	if (!one->parent)
		return 1;
	parent = find_context(of, one->parent, in);
	for (uint32_t j = 1; parent && j < in->n; j++)
		if (in->all[j].parent == parent && in->all[j].entity == one->entity)
			return j;
	return 0;
}

static void compare_contexts(struct callpart *a, struct callpart *b)
{
	free(contexts_fold(&a->contexts, UINT32_MAX));
	free(contexts_fold(&b->contexts, UINT32_MAX));
	assert_int_equal(a->contexts.limit, b->contexts.limit);
	assert_int_equal(a->contexts.n, b->contexts.n);
	for (uint32_t i = 1; i < a->contexts.n; i++) {
		const struct context *one = &a->contexts.all[i];
		uint32_t j = find_context(&a->contexts, i, &b->contexts);

		assert_true(j);
		assert_int_equal(one->calls, b->contexts.all[j].calls);
		assert_int_equal(one->self_insns, b->contexts.all[j].self_insns);
		assert_int_equal(one->level, b->contexts.all[j].level);
	}
}

static void compare(struct callpart *a, struct callpart *b)
{
	assert_int_equal(callpart_end(a, NULL), 0);
	assert_int_equal(callpart_end(b, NULL), 0);
	for (uint32_t i = 0; i <= ENTITIES; i++) {
		assert_int_equal(a->self[i], b->self[i]);
		assert_int_equal(a->total[i], b->total[i]);
		assert_int_equal(a->active[i], 0);
		assert_int_equal(b->active[i], 0);
	}
	compare_arcs(a, b);
}

/* The function, or file without symbols, that an entity is of. */
static uint32_t whole_of(uint32_t entity)
{
	return entity <= FUNCTIONS ? entity :
				     NAMELESS + (entity - FUNCTIONS - 1) / PLACES;
}

/* Adds to each function what of the block's first `end` instructions is its. */
static void add_code(uint64_t *code, uint32_t id, uint32_t end)
{
	const struct site *row = &rows[id];
	uint32_t first = row->insns - (row->next ? rows[row->next].insns : 0);

	code[owner_of(row)] += end < first ? end : first;
	if (end > first)
		code[owner_of(&rows[row->next])] += end - first;
}

/* Each function's own instructions are those of its code that ran. */
static void check_self(const struct callpart *part, const uint32_t *what, size_t n)
{
	uint64_t code[FUNCTIONS + 1] = { 0 }, self[FUNCTIONS + 1] = { 0 };

	for (size_t i = 0; i < n; i++)
		if (!(what[i] & (SIGNAL | SIGRETURN | GAP)))
			add_code(code, what[i] & NUMBER,
				 what[i] & LEFT_EARLY ? 1 : rows[what[i] & NUMBER].insns);
	for (uint32_t i = 0; i <= ENTITIES; i++)
		self[whole_of(i)] += part->self[i];
	assert_memory_equal(code, self, sizeof(code));
}

static void test_parts(void **state)
{
	enum { LENGTH = 600, ROUNDS = ROUNDS_OF(2000) };
	static uint32_t what[LENGTH];

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct callpart whole, parts;
		uint32_t most = round % 4 == 1 ? 0 : 100000;
		size_t n;

		walk_seed = round;
		n = 20 + walk_draw(LENGTH - 20);
		make_walk(what, n,
			  round % 3 == 0 ? 0 :
			  round % 3 == 1 ? 10 :
					   200,
			  round % 2);
		feed_whole(&whole, what, n, most);
		feed_parts(&parts, what, n, most, 1 + walk_draw(round % 2 ? 5 : 100));
		compare(&whole, &parts);
		check_self(&whole, what, n);
		if (most)
			compare_contexts(&whole, &parts);
		callpart_fini(&whole);
		callpart_fini(&parts);
	}
}

/* The arcs by place of each pair come to the arc of that pair, as it is without places. */
static void check_places(struct callpart *placed, struct callpart *pairs)
{
	struct arc *sums = calloc((size_t)pairs->arcs.n + placed->arcs.n, sizeof(*sums));

	for (uint32_t i = 1; i < placed->arcs.n; i++) {
		const struct arc *arc = &placed->arcs.all[i];
		uint32_t pair = arcs_at(&pairs->arcs, arc->caller, arc->callee);

		sums[pair].calls += arc->calls;
		sums[pair].open += arc->open;
		sums[pair].insns += arc->insns;
		sums[pair].total += arc->total;
		assert_true(arc->place || (!arc->calls && !arc->total));
	}
	for (uint32_t i = 1; i < pairs->arcs.n; i++) {
		assert_int_equal(sums[i].calls, pairs->arcs.all[i].calls);
		assert_int_equal(sums[i].open, pairs->arcs.all[i].open);
		assert_int_equal(sums[i].insns, pairs->arcs.all[i].insns);
		assert_int_equal(sums[i].total, pairs->arcs.all[i].total);
	}
	free(sums);
}

static void test_places_in_parts(void **state)
{
	enum { LENGTH = 600, ROUNDS = ROUNDS_OF(1000) };
	static uint32_t what[LENGTH];

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct callpart pairs, whole, parts;
		size_t n;

		walk_seed = round;
		n = 20 + walk_draw(LENGTH - 20);
		make_walk(what, n, round % 3 ? 10 * (round % 3) : 0, round % 2);
		feed_whole(&pairs, what, n, 0);
		assert_int_equal(callpart_end(&pairs, NULL), 0);
		by_place = true;
		feed_whole(&whole, what, n, 0);
		feed_parts(&parts, what, n, 0, 1 + walk_draw(round % 2 ? 5 : 100));
		compare(&whole, &parts);
		by_place = false;
		check_places(&whole, &pairs);
		callpart_fini(&pairs);
		callpart_fini(&whole);
		callpart_fini(&parts);
	}
}

/* When there are too many, the same ones are folded. */
static void test_folded_in_parts(void **state)
{
	enum { LENGTH = 2000, ROUNDS = ROUNDS_OF(200) };
	static uint32_t what[LENGTH];

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct callpart whole, parts;

		walk_seed = round;
		make_walk(what, LENGTH, 0, round % 2);
		feed_whole(&whole, what, LENGTH, 60);
		feed_parts(&parts, what, LENGTH, 60, 400);
		compare(&whole, &parts);
		compare_contexts(&whole, &parts);
		assert_true(whole.contexts.n <= 61);
		callpart_fini(&whole);
		callpart_fini(&parts);
	}
}

/* As feed_one() does, but nothing is walked: each step goes to the accounts at once. */
static void account_one(struct callpart *part, uint32_t what, uint64_t *insn)
{
	uint32_t id = what & NUMBER;

	callpart_begin(part, *insn);
	if (what & SIGNAL) {
		callstack_signal(&part->stack, id ? &rows[id] : NULL, *insn);
	} else if (what & SIGRETURN) {
		callpart_return_from_signal(part, *insn);
	} else if (what & GAP) {
		callpart_gap(part, *insn);
	} else if (what & LEFT_EARLY) {
		callstack_part(&part->stack, rows, id, 0, 1, *insn);
		part->insn = *insn += 1;
	} else {
		part->insn = *insn =
			callstack_blocks(&part->stack, &table, &id, 1, *insn);
	}
	assert_int_equal(callpart_check(part, NULL), 0);
}

/* The memory of frames that are not on the stack can hold anything. */
static void spoil_frames(struct callstack *stack)
{
	if (stack->allocated > stack->depth)
		memset(stack->frames + stack->depth, 0xa5,
		       (stack->allocated - stack->depth) * sizeof(*stack->frames));
}

/* Some of what[n], blocks in a row at once: only between those is the quick path. */
static size_t walk_some(struct callpart *part, const uint32_t *what, size_t n,
			uint64_t *insn)
{
	size_t most = 1 + walk_draw(100), size = 0;

	while (size < n && size < most && what[size] <= NUMBER)
		size++;
	if (size < 2) {
		feed(part, what, 1, insn);
		return 1;
	}
	assert_int_equal(callpart_blocks(part, &table, what, size, *insn, NULL), 0);
	*insn = part->insn;
	return size;
}

/*
 * A walk comes to what the accounts come to without one, contexts included: also when its tree
 * is handed over often, and contexts are folded while frames of the quick path
 * are on the stack.
 */
static void test_walk_and_accounts(void **state)
{
	enum { LENGTH = 1200, ROUNDS = ROUNDS_OF(200) };
	static uint32_t what[LENGTH];

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct callpart walked, accounts;
		uint32_t most = round % 3 ? 60 : 100000;
		uint64_t insn = 100, same = 100;
		size_t size;

		walk_seed = round;
		make_walk(what, LENGTH, round % 5 ? 0 : 10, round % 2);
		begin(&walked, most, true);
		begin(&accounts, most, true);
		walked.tree.most = round % 4 < 2 ? 4 : 100;
		for (size_t i = 0; i < LENGTH; i += size) {
			spoil_frames(&walked.stack);
			size = walk_some(&walked, &what[i], LENGTH - i, &insn);
			for (size_t j = 0; j < size; j++)
				account_one(&accounts, what[i + j], &same);
			assert_int_equal(insn, same);
			assert_int_equal(walked.stack.depth, accounts.stack.depth);
		}
		compare(&walked, &accounts);
		compare_contexts(&walked, &accounts);
		callpart_fini(&walked);
		callpart_fini(&accounts);
	}
}

/* Puts the threads together, as calls.c does, and ends both. */
static void join(struct callpart *all, struct callpart *one, struct callpart *other)
{
	begin(all, 60, true);
	for (unsigned i = 0; i < 2; i++) {
		struct callpart *thread = i ? other : one;

		assert_int_equal(callpart_end(thread, NULL), 0);
		assert_int_equal(callpart_join(all, thread, NULL), 0);
		callpart_fini(thread);
	}
	if (all->contexts.n > all->contexts.most)
		free(contexts_fold(&all->contexts, UINT32_MAX));
}

/* Of several threads, too, of which some were folded on the way through bytes. */
static void test_folded_in_threads(void **state)
{
	enum { LENGTH = 1000, ROUNDS = ROUNDS_OF(200) };
	static uint32_t what[2][LENGTH];

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct callpart plain[2], parts[2], all, other;
		uint32_t lengths[2] = { LENGTH, 1 + walk_draw(LENGTH) };

		walk_seed = round;
		for (unsigned i = 0; i < 2; i++) {
			make_walk(what[i], lengths[i], 0, round % 2);
			feed_whole(&plain[i], what[i], lengths[i], 60);
			feed_whole(&parts[i], what[i], lengths[i], 60);
			renew(&parts[i]);
		}
		join(&all, &plain[round / 2 % 2], &plain[!(round / 2 % 2)]);
		join(&other, &parts[round / 2 % 2], &parts[!(round / 2 % 2)]);
		compare_contexts(&all, &other);
		callpart_fini(&all);
		callpart_fini(&other);
	}
}

/* Tail calls in a loop, through all of the parts. */
static void test_tails_in_parts(void **state)
{
	enum { LENGTH = 3000 };
	static uint32_t what[LENGTH];
	struct callpart whole, parts;

	(void)state;
	what[0] = block(1, ENTRY);
	what[1] = block(1, CALL_1);
	for (uint32_t i = 2; i < LENGTH; i++)
		what[i] = block(2 + i % 3 + (i % 7 == 0), ENTRY);
	feed_whole(&whole, what, LENGTH, 1000);
	feed_parts(&parts, what, LENGTH, 1000, 500);
	assert_true(parts.n_stays == 1);
	compare(&whole, &parts);
	compare_contexts(&whole, &parts);
	callpart_fini(&whole);
	callpart_fini(&parts);
}

/* Function 1 calls itself so often. */
static int dive(struct callpart *part, uint32_t calls, uint64_t *insn)
{
	enum { AT_ONCE = 1000 };
	static uint32_t ids[2 * AT_ONCE];
	int ret = 0;

	for (uint32_t i = 0; i < 2 * AT_ONCE; i++)
		ids[i] = block(1, i % 2 ? ENTRY : CALL_1);
	for (uint32_t n; !ret && calls; calls -= n) {
		n = calls < AT_ONCE ? calls : AT_ONCE;
		ret = callpart_blocks(part, &table, ids, 2 * (size_t)n, *insn, NULL);
		*insn += (uint64_t)n * (rows[ids[0]].insns + rows[ids[1]].insns);
	}
	return ret;
}

/* A stack of function 1 with one frame and then `calls` more. */
static int begin_dive(struct callpart *part, uint32_t calls, uint64_t *insn)
{
	begin(part, 0, true);
	feed(part, (uint32_t[]){ block(1, ENTRY) }, 1, insn);
	return dive(part, calls, insn);
}

/* Appends a part in which function 1 calls itself `calls` times more. */
static int append_dive(struct callpart *part, uint32_t calls, uint64_t *insn)
{
	struct callpart next;
	int ret;

	begin(&next, 0, false);
	ret = dive(&next, calls, insn);
	if (!ret)
		ret = callpart_append(part, &next, NULL);
	callpart_fini(&next);
	return ret;
}

/* The deepest stack there may be does not depend on where a thread is cut. */
static void test_depth_in_parts(void **state)
{
	struct callpart part;
	uint64_t insn = 0;

	(void)state;
	assert_int_equal(begin_dive(&part, CALLSTACK_DEPTH - 1, &insn), 0);
	assert_int_equal(dive(&part, 1, &insn), WM_E_RANGE);
	callpart_fini(&part);
	assert_int_equal(begin_dive(&part, CALLSTACK_DEPTH - 100, &insn), 0);
	assert_int_equal(append_dive(&part, 50, &insn), 0);
	assert_int_equal(append_dive(&part, 49, &insn), 0);
	assert_int_equal(append_dive(&part, 1, &insn), WM_E_RANGE);
	callpart_fini(&part);
	for (uint32_t more = 0; more < 2; more++) {
		assert_int_equal(begin_dive(&part, 99 + more, &insn), 0);
		assert_int_equal(append_dive(&part, CALLSTACK_DEPTH - 100, &insn),
				 more ? WM_E_RANGE : 0);
		callpart_fini(&part);
	}
}

/* Function 1 has no inlined ones, so one program is enough for what takes millions of calls. */
static const struct CMUnitTest depth[] = { cmocka_unit_test(test_depth_in_parts) };

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_parts),
	cmocka_unit_test(test_places_in_parts),
	cmocka_unit_test(test_folded_in_parts),
	cmocka_unit_test(test_tails_in_parts),
	cmocka_unit_test(test_folded_in_threads),
	cmocka_unit_test(test_walk_and_accounts),
};

/* Of code that a runtime made. */
static const struct CMUnitTest made[] = {
	cmocka_unit_test(test_parts),
	cmocka_unit_test(test_walk_and_accounts),
};

int main(void)
{
	return cmocka_run_group_tests_name("callpart_depth", depth, make_rows, NULL) +
	       cmocka_run_group_tests_name("callpart_parts", tests, make_rows, NULL) +
	       cmocka_run_group_tests_name("callpart_parts_jvm", made, make_jvm_rows,
					   NULL) +
	       cmocka_run_group_tests_name("callpart_parts_traces", made, make_trace_rows,
					   NULL) +
	       cmocka_run_group_tests_name("callpart_parts_v8", made, make_v8_rows,
					   NULL) +
	       cmocka_run_group_tests_name("callpart_parts_switch", tests,
					   make_switch_rows, NULL) +
	       cmocka_run_group_tests_name("callpart_parts_inlined", tests,
					   make_inlined_rows, drop_inlined_rows);
}
