// SPDX-License-Identifier: GPL-2.0-or-later
/* The part of the public library that a comparison with a log uses. See made_up.h. */
#include "tests/unit/made_up.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const uint8_t sizes_jal_nop[] = { 4, 2 }, sizes_short[] = { 2 };
static const uint8_t code_jal_nop[] = { 0xef, 0x00, 0x20, 0x02, 0x01, 0x00 };
static const uint8_t code_nop[] = { 0x01, 0x00 }, code_ret[] = { 0x82, 0x80 };
static const uint8_t sizes_thumb[] = { 4, 2 }, sizes_long[] = { 9 };
static const uint8_t sizes_none[] = { 0 }, sizes_unknown[] = { 5, 1 };
static const uint8_t code_thumb[] = { 0x4f, 0xf0, 0x00, 0x0b, 0x02, 0xbc };
static const uint8_t code_long[] = { 0x48, 0xc7, 0x44, 0x24, 0x30, 0, 0x10, 0, 0 };
static const uint8_t code_unknown[] = { 0x62, 0x01, 0x02, 0x03, 0x04, 0x90 };
static const struct wm_block blocks[] = {
	{ 0 },
	{ 0x1000, 2, 6, sizes_jal_nop, code_jal_nop },
	{ 0x1000, 1, 2, sizes_short, code_ret },
	{ 0x1000, 1, 2, sizes_short, code_nop },
	{ 0x2000, 1, 2, sizes_short, code_ret },
	{ 0x1000, 2, 6, sizes_thumb, code_thumb },
	{ 0x1000, 1, 9, sizes_long, code_long },
	{ 0x1000, 1, 0, sizes_none, NULL },
	{ 0x1000, 2, 6, sizes_unknown, code_unknown },
	{ 0x1000, 1, 4, sizes_jal_nop, code_jal_nop },
	{ 0x1004, 1, 2, sizes_short, code_nop },
};

enum { GAP = sizeof(blocks) / sizeof(*blocks) };

struct wm_cursor {
	const char *ids;
	uint64_t block, insn;
	uint32_t index;
};

int wm_trace_process_sized(const struct wm_trace *trace, unsigned index,
			   struct wm_process *process, size_t bytes)
{
	(void)bytes;
	*process = (struct wm_process){ .pid = trace->pid, .status = trace->status };
	return index == 0 ? 0 : WM_E_RANGE;
}

int wm_trace_stream_sized(const struct wm_trace *trace, unsigned index,
			  struct wm_stream *stream, size_t bytes)
{
	(void)bytes;
	if (index >= trace->n)
		return WM_E_RANGE;
	*stream = trace->streams[index];
	stream->blocks = 0;
	for (const char *id = trace->ids[index]; *id; id++)
		stream->blocks += *id != '!';
	return 0;
}

int wm_trace_block_sized(const struct wm_trace *trace, uint32_t id,
			 struct wm_block *block, size_t bytes)
{
	(void)bytes;
	if (id < 1 || id >= (uint32_t)GAP + trace->has_gap)
		return WM_E_RANGE;
	*block = id == GAP ? (struct wm_block){ 0 } : blocks[id];
	return 0;
}

int wm_trace_disas_qemu(const struct wm_trace *trace, uint32_t id, uint32_t index,
			char *text, size_t size)
{
	static const char *const texts[][2] = {
		{ 0 },
		{ "jal ra,34 # 0x1022", "nop" },
		{ "ret" },
		{ "nop" },
		{ "ret" },
		{ "mov.w fp, #0", "pop {r1}" },
		{ "movq $0x1000, 0x30(%rsp)" },
		{ "" },
		{ ".byte 0x62", "nop" },
		{ "jal ra,34 # 0x1022" },
		{ "nop" },
	};

	(void)trace;
	return snprintf(text, size, "%s", texts[id][index]);
}

int wm_cursor_new(struct wm_cursor **cursor, const struct wm_trace *trace,
		  unsigned stream, struct wm_error *err)
{
	(void)err;
	*cursor = calloc(1, sizeof(**cursor));
	assert_non_null(*cursor);
	(*cursor)->ids = trace->ids[stream];
	return 0;
}

void wm_cursor_free(struct wm_cursor *cursor)
{
	free(cursor);
}

int wm_cursor_event_here_sized(struct wm_cursor *cursor, struct wm_event *event,
			       size_t bytes)
{
	(void)bytes;
	if (cursor->ids[cursor->block] != '!')
		return WM_END;
	cursor->ids++;
	*event = (struct wm_event){ .kind = WM_EVENT_SIGNAL };
	return 0;
}

int wm_cursor_next_block_sized(struct wm_cursor *cursor, struct wm_step *step,
			       size_t bytes, struct wm_error *err)
{
	(void)bytes;
	struct wm_event signal;

	(void)err;
	while (wm_cursor_event_here(cursor, &signal) == 0)
		;
	if (!cursor->ids[cursor->block])
		return WM_END;
	step->id = (uint32_t)(cursor->ids[cursor->block] - '0');
	step->insns = blocks[step->id].insns;
	step->index = 0;
	step->insn_ordinal = cursor->insn;
	step->block_ordinal = cursor->block++;
	step->insns = blocks[step->id].insns;
	step->uncertain = 0;
	cursor->insn += blocks[step->id].insns;
	return 0;
}

int wm_cursor_next_insn_sized(struct wm_cursor *cursor, struct wm_step *step,
			      size_t bytes, struct wm_error *err)
{
	(void)bytes;
	struct wm_event signal;

	(void)err;
	while (wm_cursor_event_here(cursor, &signal) == 0)
		;
	if (!cursor->ids[cursor->block])
		return WM_END;
	step->id = (uint32_t)(cursor->ids[cursor->block] - '0');
	step->insns = blocks[step->id].insns;
	step->index = cursor->index++;
	step->insn_ordinal = cursor->insn++;
	step->block_ordinal = cursor->block;
	if (cursor->index == blocks[step->id].insns) {
		cursor->index = 0;
		cursor->block++;
	}
	return 0;
}
