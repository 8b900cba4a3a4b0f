// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text of blocks, made once. A loop prints the same lines a million times, so each line
 * is formatted once and kept in a slot that is found by the block's id.
 *
 * The text of a line depends on the block and on the space, which gives addresses their
 * names; in formats that print the vCPU, also on that. So there is an array of slots for
 * each *group* of threads whose lines are alike. Two threads of one process share a
 * group.
 *
 * Memory is bounded: once texts exceed KEPT_BYTES all of them are dropped and made again
 * on demand. That is cheaper than tracking which were used last, because a phase of a
 * program executes far fewer blocks than fit in. Example: at 50 bytes a line and 6 lines
 * a block, 64 MiB hold some 200,000 blocks.
 */
#include "cli/list/lines.h"

#include "base/error.h"
#include "out/text.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_BYTES = 64 << 20 };

struct group {
	struct wm_stream stream; /* the first of its threads */
	uint32_t space;
	struct block_lines *slots; /* [known + 1] by id; text NULL: not made */
	struct short_line *shorts; /* [known + 1] the same for blocks; else NULL */
};

struct lines {
	const struct wm_trace *trace;
	lines_print *print;
	void *cookie;
	bool per_insn, by_vcpu;
	uint32_t known; /* blocks of the trace; ids are 1 to known */
	size_t kept;	/* bytes of all texts and their ends */
	struct group *groups;
	int group_count;
};

int lines_new(struct lines **lines, const struct wm_trace *trace, bool per_insn,
	      bool by_vcpu, lines_print *print, void *cookie, struct wm_error *err)
{
	struct wm_summary summary;
	struct lines *new = calloc(1, sizeof(*new));

	if (!new)
		return wm_fail_nomem(err, "lines of the listing");
	wm_trace_summary(trace, &summary);
	new->trace = trace;
	new->per_insn = per_insn;
	new->by_vcpu = by_vcpu;
	new->print = print;
	new->cookie = cookie;
	new->known = summary.known_blocks;
	*lines = new;
	return WM_OK;
}

/* Whether a thread can use the lines of a group. */
static bool has_lines_of(const struct lines *lines, const struct group *group,
			 const struct wm_stream *stream, uint32_t space)
{
	return group->space == space &&
	       (!lines->by_vcpu || group->stream.vcpu == stream->vcpu);
}

/*
 * There are about as many groups as processes, so a linear search is enough; the printer
 * remembers the result for each thread.
 */
int lines_group(struct lines *lines, const struct wm_stream *stream, uint32_t space)
{
	struct group *groups, *new;

	for (int i = 0; i < lines->group_count; i++)
		if (has_lines_of(lines, &lines->groups[i], stream, space))
			return i;
	groups = reallocarray(lines->groups, (size_t)lines->group_count + 1,
			      sizeof(*groups));
	if (!groups)
		return -1;
	lines->groups = groups;
	new = &groups[lines->group_count];
	new->stream = *stream;
	new->space = space;
	/*
	 * On failure group_count does not include the new group, which lines_free() then
	 * ignores.
	 */
	new->slots = calloc((size_t)lines->known + 1, sizeof(*new->slots));
	new->shorts = lines->per_insn ?
			      NULL :
			      calloc((size_t)lines->known + 1, sizeof(*new->shorts));
	if (new->slots && (new->shorts || lines->per_insn))
		return lines->group_count++;
	free(new->slots);
	free(new->shorts);
	return -1;
}

/* Slots stay, and so do short lines: only the texts go. */
static void drop(struct lines *lines, struct group *group)
{
	for (uint32_t id = 0; id <= lines->known; id++) {
		free((char *)group->slots[id].text);
		free((uint32_t *)group->slots[id].ends);
		group->slots[id] = (struct block_lines){ 0 };
	}
}

static void drop_all(struct lines *lines)
{
	for (int i = 0; i < lines->group_count; i++)
		drop(lines, &lines->groups[i]);
	lines->kept = 0;
}

void lines_free(struct lines *lines)
{
	if (!lines)
		return;
	drop_all(lines);
	for (int i = 0; i < lines->group_count; i++) {
		free(lines->groups[i].slots);
		free(lines->groups[i].shorts);
	}
	free(lines->groups);
	free(lines);
}

/*
 * Makes n lines, the first for `line`, the others for the instructions after it; ends[i]
 * becomes the offset after line i. NULL when there is no memory. Names in lines come
 * from the guest, so control characters are replaced once here and not at each output.
 */
static char *render(const struct lines *lines, struct line line, uint32_t *ends,
		    uint32_t n)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	for (uint32_t i = 0; i < n; i++, line.index++) {
		lines->print(lines->cookie, out, &line);
		/* open_memstream() updates `bytes` only when the stream is flushed. */
		fflush(out);
		ends[i] = (uint32_t)bytes;
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	text_make_plain(text, bytes);
	return text;
}

/*
 * Makes the lines of a block. A listing of blocks has one line, about the last
 * instruction of a complete execution.
 */
static bool make(struct lines *lines, const struct group *group, uint32_t id)
{
	struct block_lines *slot = &group->slots[id];
	struct line line = { .stream = &group->stream, .space = group->space, .id = id };
	struct wm_block block;
	uint32_t *ends;

	if (wm_trace_block(lines->trace, id, &block))
		return false;
	slot->n = lines->per_insn ? block.insns : 1;
	/* 0 for instructions; insns - 1 for a block's only line. */
	line.index = block.insns - slot->n;
	/*
	 * One more than needed: calloc(0) may return NULL, which would look like a
	 * failure.
	 */
	ends = calloc((size_t)slot->n + 1, sizeof(*ends));
	if (ends)
		slot->text = render(lines, line, ends, slot->n);
	if (!slot->text) {
		free(ends);
		return false;
	}
	slot->ends = ends;
	if (group->shorts && *ends <= LINES_SHORT) {
		memcpy(group->shorts[id].text, slot->text, *ends);
		group->shorts[id].bytes = (uint8_t)*ends;
	}
	lines->kept += (slot->n ? ends[slot->n - 1] : 0) + slot->n * sizeof(*ends);
	return true;
}

/*
 * Dropping all here is safe, because the caller may use lines only until the next call.
 */
const struct block_lines *lines_get(struct lines *lines, int group, uint32_t id)
{
	struct block_lines *slot = &lines->groups[group].slots[id];

	if (__builtin_expect(slot->text != NULL, 1))
		return slot;
	if (lines->kept > KEPT_BYTES)
		drop_all(lines);
	return make(lines, &lines->groups[group], id) ? slot : NULL;
}

const struct short_line *lines_short(const struct lines *lines, int group)
{
	return lines->groups[group].shorts;
}

/* Not kept: an incomplete execution is rare, and its line depends on where it stopped. */
char *lines_of_part(struct lines *lines, int group, uint32_t id, uint32_t insns)
{
	const struct group *of = &lines->groups[group];
	struct line line = { &of->stream, of->space, id, insns - 1 };
	uint32_t end;

	return render(lines, line, &end, 1);
}
