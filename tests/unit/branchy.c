// SPDX-License-Identifier: GPL-2.0-or-later
/* A trace of a few branches. See branchy.h. */
#include "tests/unit/branchy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct sample sample;
struct wm_trace *trace;
uint32_t loop, after, function, handler, gap;

static const char *const path = "explain.wmk";

static uint32_t code(uint64_t address, const uint32_t *words, uint32_t n)
{
	return sample_code(&sample, address, (const uint8_t *)words, 4 * n);
}

void put_code(void)
{
	loop = code(LOOP, (uint32_t[]){ 0x00150513, 0xfeb51ee3 }, 2);
	after = code(AFTER, (uint32_t[]){ 0x7f9000ef }, 1);
	function = code(FUNCTION, (uint32_t[]){ 0x02a5f553, 0x00008067 }, 2);
	handler = code(HANDLER, (uint32_t[]){ 0x00000013, 0x00000073 }, 2);
	gap = sample_gap(&sample);
}

void put_signal(uint64_t position, uint64_t pc)
{
	struct buf data = BUF_INIT;
	struct chunk_event event = { .position = position, .kind = WM_EVENT_SIGNAL };

	buf_put_varint(&data, 1);
	buf_put_varint(&data, 10);
	buf_put_varint(&data, 0);
	buf_put_varint(&data, pc);
	buf_put_varint(&data, 0);
	buf_put_varint(&data, HANDLER);
	event.data = data.data;
	event.bytes = data.len;
	event_put(&sample.events, &event, &sample.last_event);
	buf_fini(&data);
}

int set_up(void **state)
{
	(void)state;
	sample_open(&sample, path);
	put_code();
	sample_stream(&sample);
	/* Taken; a chunk ends; taken; left early: no outcome. */
	sample_chunk(&sample, 0, (uint32_t[]){ loop, loop }, 2);
	sample_partial(&sample, 1, loop, 1, 0);
	sample_chunk(&sample, 0, (uint32_t[]){ loop, loop, loop }, 3);
	/* Not taken, but a signal's handler runs first; then a call and its return. */
	put_signal(0, AFTER);
	sample_chunk(&sample, 0, (uint32_t[]){ handler, after, function, gap, loop }, 5);
	sample_close(&sample, false);
	trace = sample_trace(path);
	return 0;
}

int tear_down(void **state)
{
	(void)state;
	wm_trace_close(trace);
	return 0;
}

struct outcome wanted[5];

void want(void)
{
	const struct outcome all[] = {
		{ 0, 1, LOOP + 4, LOOP, loop, 1, WM_FLOW_BRANCH, true },
		{ 1, 3, LOOP + 4, LOOP, loop, 1, WM_FLOW_BRANCH, true },
		{ 2, 5, LOOP + 4, LOOP, loop, 1, WM_FLOW_BRANCH, true },
		{ 4, 8, LOOP + 4, AFTER, loop, 1, WM_FLOW_BRANCH, false },
		{ 6, 11, AFTER, FUNCTION, after, 0, WM_FLOW_CALL, true },
	};

	memcpy(wanted, all, sizeof(all));
}

void check_branch(const struct wm_branch *branch, size_t i)
{
	assert_true(i < 5);
	assert_int_equal(branch->block_ordinal, wanted[i].block);
	assert_int_equal(branch->insn_ordinal, wanted[i].insn);
	assert_int_equal(branch->address, wanted[i].address);
	assert_int_equal(branch->target, wanted[i].target);
	assert_int_equal(branch->id, wanted[i].id);
	assert_int_equal(branch->index, wanted[i].index);
	assert_int_equal(branch->flow, wanted[i].flow);
	assert_int_equal(branch->taken, wanted[i].taken);
	assert_int_equal(branch->space, 0);
}
