// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The subject is shared by all tables of a database and by their cursors, and counts its
 * users; sql/sql.c explains why. A database is used by one thread at a time, so the counter is a plain
 * integer.
 *
 * Blocks and names are made by the first query that needs them: opening a trace then
 * costs only the summary, and "SELECT * FROM meta" reads no symbols. A block takes 16
 * bytes in the array, so 200,000 of them take 3.2 MB. The memory for names depends on the
 * files that the guest mapped.
 */
#include "sql/subject.h"

#include <stdlib.h>

/* As other commands have it: when the first process began. */
static uint64_t begin_of(const struct wm_trace *trace)
{
	struct wm_space space;
	uint64_t begin_ns = UINT64_MAX;

	for (unsigned i = 0; !wm_trace_space(trace, i, &space); i++)
		if (space.begin_ns && space.begin_ns < begin_ns)
			begin_ns = space.begin_ns;
	return begin_ns == UINT64_MAX ? 0 : begin_ns;
}

struct subject *subject_new(struct wm_trace *trace)
{
	struct subject *subject = calloc(1, sizeof(*subject));

	if (!subject)
		return NULL;
	subject->users = 1;
	subject->trace = trace;
	wm_trace_summary(trace, &subject->summary);
	subject->begin_ns = begin_of(trace);
	return subject;
}

/* Names go first: they refer to the trace. */
void subject_drop(struct subject *subject)
{
	if (--subject->users)
		return;
	wm_names_free(subject->names);
	wm_bytecodes_free(subject->bytecodes);
	free(subject->blocks);
	wm_trace_close(subject->trace);
	free(subject);
}

struct attached *attached_new(void)
{
	struct attached *attached = calloc(1, sizeof(*attached));

	if (attached)
		attached->users = 1;
	return attached;
}

void attached_drop(struct attached *attached)
{
	if (--attached->users)
		return;
	if (attached->subject)
		subject_drop(attached->subject);
	free(attached);
}

int subject_add_before(const struct subject *subject, unsigned thread,
		       struct subject_before *before)
{
	struct wm_stream stream;
	int ret = 0;

	for (; !ret && before->threads < thread; before->threads++) {
		ret = wm_trace_stream(subject->trace, before->threads, &stream);
		if (!ret) {
			before->blocks += stream.blocks;
			before->insns += stream.insns;
		}
	}
	return ret;
}

int subject_need_blocks(struct subject *subject, struct wm_error *err)
{
	size_t n = subject->summary.known_blocks + (size_t)1;
	struct wm_block block;

	if (subject->blocks)
		return 0;
	subject->blocks = calloc(n, sizeof(*subject->blocks));
	if (!subject->blocks)
		return wm_error_set(err, WM_E_NOMEM, "no memory for the blocks");
	for (uint32_t id = 1; id < n; id++) {
		if (wm_trace_block(subject->trace, id, &block)) {
			subject->blocks[id].bytes = SUBJECT_UNREADABLE;
			continue;
		}
		subject->blocks[id] = (struct subject_block){
			block.address,
			block.insns,
			block.bytes,
		};
	}
	return 0;
}

static int need_names(struct subject *subject, struct wm_error *err)
{
	return subject->names ? 0 : wm_names_new(&subject->names, subject->trace, err);
}

int subject_place(struct subject *subject, uint32_t space, uint64_t address, uint32_t id,
		  struct wm_place *place, struct wm_error *err)
{
	int ret = need_names(subject, err);

	return ret ? ret : wm_names_place(subject->names, space, address, id, place, err);
}

/* Room for one frame is enough: wm_names_frames() begins with the innermost one. */
int subject_frame(struct subject *subject, uint32_t space, uint64_t address, uint32_t id,
		  struct wm_frame *frame, struct wm_error *err)
{
	int ret = need_names(subject, err);
	size_t n;

	return ret ? ret :
		     wm_names_frames(subject->names, space, address, id, frame, 1, &n,
				     err);
}

int subject_bytecode(struct subject *subject, unsigned thread, uint64_t insn,
		     struct wm_bytecode *bytecode, struct wm_error *err)
{
	int ret = 0;

	if (!subject->bytecodes && !subject->no_bytecodes)
		ret = wm_bytecodes_new(&subject->bytecodes, subject->trace, err);
	/* Like other columns, these are NULL where a trace does not have them. */
	subject->no_bytecodes |= ret == WM_E_RANGE;
	if (subject->no_bytecodes)
		return WM_END;
	return ret ? ret :
		     wm_bytecodes_at(subject->bytecodes, thread, insn, bytecode, err);
}
