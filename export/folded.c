// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded stacks, which flame graphs are made of: a line for each calling context, with the
 * instructions that ran in it and not in what it called. Against another trace there are two
 * numbers, as difffolded.pl prints them: first of the other, then of this one.
 *
 *	main;parse;read 120
 *	main;parse;read 90 120		90 in the other trace
 *
 * The number is what follows the last blank, so names may have blanks. They must not have
 * semicolons, of which commas are made; mangled or not, names of functions have none.
 *
 * Stacks are compared as text: all lines are sorted, and equal ones become one. Two traces have no
 * numbers of functions in common, and in one trace functions of several files may have one name.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/entity_names.h"
#include "analysis/calls/stacks.h"
#include "base/append.h"
#include "base/error.h"
#include "export/calls_format.h"

enum side { OTHER, THIS, SIDES };

struct line {
	char *stack;
	uint64_t insns[SIDES];
};

struct writer {
	FILE *out;
	struct calls_picture *picture;
	const struct entity_names *names; /* of the trace that is being read */
	enum side side;
	struct line *lines; /* [n] sorted at last */
	size_t n;
};

static void make_plain(const struct entity_names *names)
{
	for (uint32_t i = 1; i <= names->n; i++)
		for (char *at = names->all[i]; (at = strchr(at, ';'));)
			*at = ',';
}

static void put_stack(FILE *out, const struct writer *writer, const struct stack *stack)
{
	const struct entity_names *names = writer->names;

	for (uint32_t i = 0; i < stack->n; i++) {
		if (i)
			putc(';', out);
		fputs(names->all[stack->entities[i]], out);
	}
	if (!stack->n)
		fputs(names->all[0], out);
}

/* ---- each stack ------------------------------------------------------------------------- */

static bool keep(struct writer *writer, const struct stack *stack)
{
	struct line line = { .stack = NULL };
	size_t bytes;
	FILE *text = open_memstream(&line.stack, &bytes);

	if (!text)
		return false;
	put_stack(text, writer, stack);
	line.insns[writer->side] = stack->insns;
	if (!fclose(text) && APPEND(writer->lines, writer->n, line))
		return true;
	free(line.stack);
	return false;
}

/* Keeps all stacks of a trace. */
static int keep_all(struct writer *writer, const struct calls_subject *subject,
		    struct wm_error *err)
{
	struct entity_names names = { .n = 0 };
	struct stacks stacks;
	struct stack stack;
	/* Nobody looks at all stacks of native code, but of methods there is much to be seen. */
	uint32_t most = subject->methods ? STACKS_GATHERED : STACKS_CONTEXTS;
	int ret = stacks_gather(&stacks, subject, most, err);

	if (ret)
		return ret;
	ret = entity_names_init(&names, stacks.calls.sites, err);
	if (!ret) {
		make_plain(&names);
		writer->names = &names;
		while (!ret && stacks_next(&stacks, &stack))
			if (!keep(writer, &stack))
				ret = wm_fail_nomem(err, "stacks");
		/* There may be two traces: the remark names the limit that folded more. */
		if (stacks.levels &&
		    (!writer->picture->levels || stacks.levels < writer->picture->levels))
			writer->picture->levels = stacks.levels;
		if (stacks.light > writer->picture->light_insns)
			writer->picture->light_insns = stacks.light;
	}
	entity_names_fini(&names);
	stacks_fini(&stacks);
	return ret;
}

/* ---- lines that were kept --------------------------------------------------------------- */

static int by_stack(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return strcmp(x->stack, y->stack);
}

static void put_lines(struct writer *writer)
{
	struct line *lines = writer->lines;

	if (writer->n)
		qsort(lines, writer->n, sizeof(*lines), by_stack);
	for (size_t i = 0; i < writer->n; i++) {
		if (i + 1 < writer->n && !by_stack(&lines[i], &lines[i + 1])) {
			lines[i + 1].insns[OTHER] += lines[i].insns[OTHER];
			lines[i + 1].insns[THIS] += lines[i].insns[THIS];
			continue;
		}
		fputs(lines[i].stack, writer->out);
		if (writer->picture->against)
			fprintf(writer->out, " %" PRIu64, lines[i].insns[OTHER]);
		fprintf(writer->out, " %" PRIu64 "\n", lines[i].insns[THIS]);
	}
}

static int write_all(FILE *out, struct calls_picture *picture, struct wm_error *err)
{
	struct writer writer = { .out = out, .picture = picture, .side = OTHER };
	int ret = picture->against ? keep_all(&writer, picture->against, err) : 0;

	writer.side = THIS;
	if (!ret)
		ret = keep_all(&writer, &picture->subject, err);
	if (!ret)
		put_lines(&writer);
	for (size_t i = 0; i < writer.n; i++)
		free(writer.lines[i].stack);
	free(writer.lines);
	return ret;
}

const struct calls_format calls_folded = {
	.format = { "folded", FORMAT_CALLS, "folded",
		    "a line for each stack, for flame graphs; --against another trace" },
	.compares = true,
	.write = write_all,
};
