// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers go first: what reads as a number is never taken for a name, and a number below the
 * count of spaces is never taken for a pid, unless --pid asks for one.
 *
 * A name may be that of many: each program that a shell starts is a process "ls". All of them
 * are selected.
 *
 * Example: /bin/sh is pid 1, forks pid 7, which becomes /bin/ls by execve(). "sh" selects the
 * first two, "ls" the third, --pid 7 the second and the third.
 */
#include "query/processes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pattern.h"
#include "out/number.h"

enum { NAMED = 12 }; /* names that an error lists */

static const char *name_of(const struct wm_space *space)
{
	const char *slash = strrchr(space->name, '/');

	return slash ? slash + 1 : space->name;
}

/* A pid may belong to several processes: by execve(), or because it was used again. */
static bool has_pid(const struct wm_trace *trace, unsigned index, uint64_t pid)
{
	struct wm_process process;

	return !wm_trace_process(trace, index, &process) && process.pid == pid;
}

struct wanted {
	const struct wm_trace *trace;
	const struct scope *scope;
	uint64_t number, pid;
	bool by_number; /* scope->process is one, */
	bool is_index;	/* and not a pid */
};

static int understand(struct wanted *wanted, struct wm_error *err)
{
	const struct scope *scope = wanted->scope;
	struct wm_summary summary;

	wm_trace_summary(wanted->trace, &summary);
	wanted->by_number = scope->process &&
			    number_parse(scope->process, &wanted->number);
	wanted->is_index = wanted->by_number && wanted->number < summary.spaces;
	if (scope->pid && !number_parse(scope->pid, &wanted->pid))
		return wm_fail(err, WM_E_RANGE, 0, "a pid is a number, not \"%s\"",
			       scope->pid);
	return 0;
}

static bool is_wanted(const struct wanted *wanted, unsigned index,
		      const struct wm_space *space)
{
	const struct scope *scope = wanted->scope;

	if (scope->pid && !has_pid(wanted->trace, index, wanted->pid))
		return false;
	if (!scope->process)
		return true;
	if (wanted->is_index)
		return index == wanted->number;
	if (wanted->by_number)
		return has_pid(wanted->trace, index, wanted->number);
	return pattern_fits(scope->process, name_of(space));
}

/* ---- none ---------------------------------------------------------------------------- */

/* Whether an earlier space has the name, too. */
static bool is_named_before(const struct wm_trace *trace, unsigned index,
			    const char *name)
{
	struct wm_space space;

	for (unsigned i = 0; i < index && !wm_trace_space(trace, i, &space); i++)
		if (!strcmp(name_of(&space), name))
			return true;
	return false;
}

static int no_such_name(const struct wanted *wanted, struct wm_error *err)
{
	char names[256] = "";
	struct wm_space space;
	size_t used = 0;
	unsigned n = 0;

	for (unsigned i = 0; !wm_trace_space(wanted->trace, i, &space); i++) {
		const char *name = name_of(&space);

		if (is_named_before(wanted->trace, i, name))
			continue;
		if (n++ < NAMED && used + strlen(name) + 3 < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used,
						 "%s%s", used ? ", " : "", name);
	}
	return wm_fail(err, WM_E_RANGE, 0,
		       "there is no process called \"%s\"; there are %s%s",
		       wanted->scope->process, names, n > NAMED ? ", ..." : "");
}

static int none(const struct wanted *wanted, struct wm_error *err)
{
	const struct scope *scope = wanted->scope;
	struct wm_summary summary;

	if (scope->pid)
		return wm_fail(err, WM_E_RANGE, 0, "there is no process%s%s with pid %s",
			       scope->process ? " " : "",
			       scope->process ? scope->process : "", scope->pid);
	if (!wanted->by_number)
		return no_such_name(wanted, err);
	/* With one process the range "0 to 0" would read oddly. */
	wm_trace_summary(wanted->trace, &summary);
	if (summary.spaces == 1)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there is no process %s: the only one is 0",
			       scope->process);
	return wm_fail(err, WM_E_RANGE, 0,
		       "there is no process %s: they are 0 to %u, or their pids",
		       scope->process, summary.spaces - 1);
}

int processes_choose(bool **chosen, const struct wm_trace *trace,
		     const struct scope *scope, struct wm_error *err)
{
	struct wanted wanted = { .trace = trace, .scope = scope };
	struct wm_summary summary;
	struct wm_space space;
	bool found = false;
	int ret = understand(&wanted, err);

	*chosen = NULL;
	if (ret || (!scope->process && !scope->pid))
		return ret;
	wm_trace_summary(trace, &summary);
	*chosen = calloc(summary.spaces + 1ul, sizeof(**chosen));
	if (!*chosen)
		return wm_fail_nomem(err, "processes");
	for (unsigned i = 0; !wm_trace_space(trace, i, &space); i++)
		found |= (*chosen)[i] = is_wanted(&wanted, i, &space);
	if (found)
		return 0;
	free(*chosen);
	*chosen = NULL;
	return none(&wanted, err);
}
