// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A loop prints the same lines a million times, so each is formatted once. Every block
 * has a slot, found by its id; the texts are on the heap, and once they exceed KEPT_BYTES
 * all of them are dropped and made again as they are asked for: a program's phase has far
 * fewer blocks than that. What a block is called depends on the space, and some formats
 * name the vCPU: so there are slots for each group of threads whose lines are alike.
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
};

struct lines {
	const struct wm_trace *trace;
	lines_print *print;
	void *cookie;
	bool per_insn, by_vcpu;
	uint32_t known; /* blocks */
	size_t kept;	/* bytes of all texts */
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

static bool has_lines_of(const struct lines *lines, const struct group *group,
			 const struct wm_stream *stream, uint32_t space)
{
	return group->space == space &&
	       (!lines->by_vcpu || group->stream.vcpu == stream->vcpu);
}

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
	new->slots = calloc((size_t)lines->known + 1, sizeof(*new->slots));
	return new->slots ? lines->group_count++ : -1;
}

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
	for (int i = 0; i < lines->group_count; i++)
		free(lines->groups[i].slots);
	free(lines->groups);
	free(lines);
}

/* Makes the text of n lines from that of `line` on, and notes their ends; or NULL. */
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

static bool make(struct lines *lines, const struct group *group, uint32_t id)
{
	struct block_lines *slot = &group->slots[id];
	struct line line = { .stream = &group->stream, .space = group->space, .id = id };
	struct wm_block block;
	uint32_t *ends;

	if (wm_trace_block(lines->trace, id, &block))
		return false;
	slot->n = lines->per_insn ? block.insns : 1;
	line.index = block.insns - slot->n;
	ends = calloc((size_t)slot->n + 1, sizeof(*ends));
	if (ends)
		slot->text = render(lines, line, ends, slot->n);
	if (!slot->text) {
		free(ends);
		return false;
	}
	slot->ends = ends;
	lines->kept += (slot->n ? ends[slot->n - 1] : 0) + slot->n * sizeof(*ends);
	return true;
}

const struct block_lines *lines_get(struct lines *lines, int group, uint32_t id)
{
	struct block_lines *slot = &lines->groups[group].slots[id];

	if (__builtin_expect(slot->text != NULL, 1))
		return slot;
	if (lines->kept > KEPT_BYTES)
		drop_all(lines);
	return make(lines, &lines->groups[group], id) ? slot : NULL;
}

char *lines_of_part(struct lines *lines, int group, uint32_t id, uint32_t insns)
{
	const struct group *of = &lines->groups[group];
	struct line line = { &of->stream, of->space, id, insns - 1 };
	uint32_t end;

	return render(lines, line, &end, 1);
}
