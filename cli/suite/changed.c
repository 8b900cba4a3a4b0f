// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of two runs are the same when case, file and name are: a new build has other
 * addresses and another build-id, but the same names. Both lists are sorted by these and
 * walked side by side.
 *
 *	old: f 10, g 5        new: f 12, h 1
 *	differ: f 10 -> 12, g 5 -> 0, h 0 -> 1
 *
 * A program whose runs differ, as by a random seed, has a spread from its fewest to its most
 * instructions. Where the spreads of both times overlap, nothing shows that it changed. Nor does
 * it when a limit ended it both times: how far it came is a matter of the machine.
 */
#include "cli/suite/changed.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "cli/suite/suite.h"

enum { FUNCTIONS_BYTES_MAX = 256 << 20 };

/* ---- a case -------------------------------------------------------------- */

static void read_result(struct result *result, const char *folder, const char *name)
{
	char path[PATH_MAX];

	*result = (struct result){ .status = SUITE_MISSING };
	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/%s/result.toml", folder, name);
	result_read(result, path);
}

/* Whether runs of one time lie among those of the other, and are not all equal. */
static bool is_spread(const struct result *now, const struct result *was)
{
	bool equal = now->fewest == now->most && was->fewest == was->most;

	return now->status != SUITE_MISSING && was->status != SUITE_MISSING && !equal &&
	       now->fewest <= was->most && was->fewest <= now->most;
}

static const char *chance_of(const struct result *now, const struct result *was)
{
	if (now->status == SUITE_LIMIT && was->status == SUITE_LIMIT)
		return "ended by a limit";
	return is_spread(now, was) ? "within the spread" : NULL;
}

void changed_case_read(struct changed_case *of, const char *folder, const char *against,
		       const char *name)
{
	bool either_is_missing;

	*of = (struct changed_case){ .name = name };
	read_result(&of->now, folder, name);
	read_result(&of->was, against, name);
	of->chance = chance_of(&of->now, &of->was);
	either_is_missing = (of->now.status == SUITE_MISSING) !=
			    (of->was.status == SUITE_MISSING);
	of->changed = against && !of->chance && (changed_insns(of) || either_is_missing);
}

int64_t changed_insns(const struct changed_case *of)
{
	return (int64_t)(of->now.insns - of->was.insns);
}

/* ---- lists of functions ---------------------------------------------------- */

/* The functions of one run; in the place of "now". */
struct list {
	struct changed_function *all; /* [n] in the text */
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	const struct changed_function *x = a, *y = b;
	int ret = strcmp(x->module, y->module);

	return ret ? ret : strcmp(x->name, y->name);
}

/* "INSNS \t EXECUTIONS \t MODULE \t NAME"; a line that is not so is left out. */
static bool parse_line(char *line, struct changed_function *to)
{
	char *end;

	*to = (struct changed_function){ .insns = strtoull(line, &end, 10) };
	if (*end != '\t')
		return false;
	to->executions = strtoull(end + 1, &end, 10);
	if (*end != '\t')
		return false;
	to->module = end + 1;
	end = strchr(end + 1, '\t');
	if (!end)
		return false;
	*end = 0;
	to->name = end + 1;
	return true;
}

/* Functions of one name in a file are added: a report has names only. */
static void fold(struct list *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		if (n && !by_name(&list->all[n - 1], &list->all[i])) {
			list->all[n - 1].insns += list->all[i].insns;
			list->all[n - 1].executions += list->all[i].executions;
		} else {
			list->all[n++] = list->all[i];
		}
	list->n = n;
}

/* A case without the file has no functions. */
static int read_list(struct list *list, char **text, const char *folder, const char *name,
		     struct wm_error *err)
{
	char path[PATH_MAX], *save, *line;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s/functions.tsv", folder, name);
	*text = suite_slurp(path, FUNCTIONS_BYTES_MAX, &n);
	line = *text ? strtok_r(*text, "\n", &save) : NULL;
	for (; line; line = strtok_r(NULL, "\n", &save)) {
		struct changed_function new;

		if (parse_line(line, &new) && !APPEND(list->all, list->n, new))
			return wm_fail_nomem(err, "a report");
	}
	if (list->n)
		qsort(list->all, list->n, sizeof(*list->all), by_name);
	fold(list);
	return 0;
}

/* ---- both ---------------------------------------------------------------- */

/* Either may be NULL, for a function that did not run. False: no memory. */
static bool add(struct changed_functions *to, const struct changed_function *now,
		const struct changed_function *was)
{
	struct changed_function both = now ? *now : *was;

	both.insns = now ? now->insns : 0;
	both.executions = now ? now->executions : 0;
	both.insns_were = was ? was->insns : 0;
	both.executions_were = was ? was->executions : 0;
	if (now && was && both.insns == both.insns_were &&
	    both.executions == both.executions_were)
		return true;
	return APPEND(to->all, to->n, both);
}

static int walk(struct changed_functions *to, const struct list *now,
		const struct list *was, struct wm_error *err)
{
	for (size_t i = 0, k = 0; i < now->n || k < was->n;) {
		int order = i == now->n ? 1 :
			    k == was->n ? -1 :
					  by_name(&now->all[i], &was->all[k]);

		if (!add(to, order <= 0 ? &now->all[i] : NULL,
			 order >= 0 ? &was->all[k] : NULL))
			return wm_fail_nomem(err, "a report");
		i += order <= 0;
		k += order >= 0;
	}
	return 0;
}

int changed_functions_read(struct changed_functions *functions, const char *folder,
			   const char *against, const char *name, struct wm_error *err)
{
	struct list now = { .n = 0 }, was = { .n = 0 };
	int ret;

	*functions = (struct changed_functions){ .n = 0 };
	ret = read_list(&now, &functions->now, folder, name, err);
	if (!ret)
		ret = read_list(&was, &functions->was, against, name, err);
	if (!ret)
		ret = walk(functions, &now, &was, err);
	free(now.all);
	free(was.all);
	return ret;
}

static uint64_t size_of(const struct changed_function *of)
{
	return of->insns > of->insns_were ? of->insns - of->insns_were :
					    of->insns_were - of->insns;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = size_of(a), y = size_of(b);

	return x != y ? (x < y) - (x > y) : by_name(a, b);
}

void changed_functions_sort(struct changed_functions *functions)
{
	if (functions->n)
		qsort(functions->all, functions->n, sizeof(*functions->all), by_size);
}

void changed_functions_fini(struct changed_functions *functions)
{
	free(functions->all);
	free(functions->now);
	free(functions->was);
}
