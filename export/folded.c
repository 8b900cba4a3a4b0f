// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded stacks, which flame graphs are made of: a line for each calling context, with the
 * instructions that ran in it and not in what it called.
 *
 *	main;parse;read 120
 *
 * The number is what follows the last blank, so names may have blanks. They must not have
 * semicolons, of which commas are made; mangled or not, names of functions have none.
 */
#include <inttypes.h>
#include <string.h>

#include "analysis/calls/entity_names.h"
#include "analysis/calls/stacks.h"
#include "export/calls_format.h"

static void make_plain(const struct entity_names *names)
{
	for (uint32_t i = 1; i <= names->n; i++)
		for (char *at = names->all[i]; (at = strchr(at, ';'));)
			*at = ',';
}

static void put_stack(FILE *out, const struct entity_names *names,
		      const struct stack *stack)
{
	for (uint32_t i = 0; i < stack->n; i++) {
		if (i)
			putc(';', out);
		fputs(names->all[stack->entities[i]], out);
	}
	fprintf(out, "%s %" PRIu64 "\n", stack->n ? "" : names->all[0], stack->insns);
}

static int write_all(FILE *out, struct calls_picture *picture, struct wm_error *err)
{
	struct entity_names names = { .n = 0 };
	struct stacks stacks;
	struct stack stack;
	int ret = stacks_gather(&stacks, &picture->subject, err);

	if (ret)
		return ret;
	ret = entity_names_init(&names, stacks.calls.sites, err);
	if (!ret) {
		make_plain(&names);
		while (stacks_next(&stacks, &stack) && !ferror(out))
			put_stack(out, &names, &stack);
		picture->levels = stacks.levels;
	}
	entity_names_fini(&names);
	stacks_fini(&stacks);
	return ret;
}

const struct calls_format calls_folded = {
	.format = { "folded", FORMAT_CALLS, "folded",
		    "a line for each stack, for flame graphs" },
	.write = write_all,
};
