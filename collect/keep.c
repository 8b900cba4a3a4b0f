// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * With `record --on-exit`, `--on-signal` or `--on-marker`, a file gets its name only when
 * what they ask for has happened. Until then it exists under a temporary name. `wanted`
 * only ever becomes true; without such an option it is true from the start.
 */
#include "collect/keep.h"

#include <sys/wait.h>

#include "waymark.h"

enum { SIGNALS = 64 };

void keep_init(struct keep *keep, const struct keep_rules *rules)
{
	keep->rules = *rules;
	/* No rule: kept from the start. */
	keep->wanted = !rules->crash && !rules->nonzero && !rules->signals &&
		       !rules->markers;
}

uint64_t keep_kinds(const struct keep_rules *rules)
{
	return (rules->signals ? UINT64_C(1) << WM_EVENT_SIGNAL : 0) |
	       (rules->markers ? UINT64_C(1) << WM_EVENT_MARKER : 0);
}

static bool has_signal(const struct keep_rules *rules, uint64_t number)
{
	/* Unsigned: signal 0 wraps and is refused. */
	return number - 1 < SIGNALS && rules->signals >> (number - 1) & 1;
}

static bool has_marker(const struct keep_rules *rules, uint64_t id)
{
	for (unsigned i = 0; i < rules->markers; i++)
		if (rules->marker[i] == id)
			return true;
	return false;
}

void keep_event(struct keep *keep, uint32_t kind, const uint64_t *fields)
{
	if (kind == WM_EVENT_SIGNAL)
		keep->wanted |= has_signal(&keep->rules, fields[0]);
	else if (kind == WM_EVENT_MARKER)
		keep->wanted |= has_marker(&keep->rules, fields[1]);
}

void keep_end(struct keep *keep, int status)
{
	const struct keep_rules *rules = &keep->rules;

	/* How the process ended is not known: a recording that may be wanted is kept. */
	if (status == -1)
		keep->wanted |= rules->nonzero || rules->crash;
	if (status == -1)
		return;
	keep->wanted |= rules->nonzero && status;
	/*
	 * A signal that ended the process has had no handler, so no event was sent for
	 * it.
	 */
	if (WIFSIGNALED(status))
		keep->wanted |= rules->crash ||
				has_signal(rules, (uint64_t)WTERMSIG(status));
}
