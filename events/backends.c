// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of back ends, and those that are open.
 *
 * A back end gets every event that is wanted, in the order in which the collector takes
 * them. That is nearly the order of their times: events of different threads come when
 * their lanes are drained. "trace" is the file itself, and "usdt" is in the guest's
 * process: neither is opened here.
 *
 * Example: the specs "trace", "log:run.log", "syslog" open two back ends; an event goes
 * to the log first.
 *
 * Invariant: open[n] are open, and nothing else is: a back end that fails to open is not
 * counted.
 */
#include "events/backend.h"

#include <stdlib.h>
#include <string.h>

enum { OPEN_MAX = 16 };

static const struct backend *const known[] = {
	&backend_log,
	&backend_syslog,
	&backend_ftrace,
	&backend_ctf,
};

struct backends {
	struct open {
		const struct backend *backend;
		void *state;
	} open[OPEN_MAX];
	unsigned n;
};

/*
 * Neither is fed by the recorder: the one is the file, the other in the guest's process.
 */
static bool is_elsewhere(const char *spec)
{
	return !strcmp(spec, "trace") || !strcmp(spec, "usdt");
}

static const struct backend *find(const char *spec)
{
	/* Everything before the first colon is the name: paths may have colons, too. */
	size_t length = strcspn(spec, ":");

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i]->name) == length &&
		    !memcmp(known[i]->name, spec, length))
			return known[i];
	return NULL;
}

static int add(struct backends *backends, const char *spec, struct wm_error *err)
{
	const struct backend *backend = find(spec);
	const char *argument = strchr(spec, ':');
	struct open *open = &backends->open[backends->n];
	int ret;

	if (!backend)
		return wm_fail(err, WM_E_RANGE, 0,
			       "events cannot go to \"%s\": there are trace, log, "
			       "syslog, ftrace, ctf and usdt",
			       spec);
	/* "log:" has no argument, as "log". */
	argument = argument && argument[1] ? argument + 1 : NULL;
	if (argument && !backend->takes)
		return wm_fail(err, WM_E_RANGE, 0, "%s takes no argument", backend->name);
	if (!argument && backend->needs)
		return wm_fail(err, WM_E_RANGE, 0, "%s needs a name: %s:%s",
			       backend->name, backend->name, backend->takes);
	if (backends->n == OPEN_MAX)
		return wm_fail(err, WM_E_RANGE, 0, "events go to %d places at most",
			       OPEN_MAX);
	ret = backend->open(&open->state, argument, err);
	/* Nothing was opened, so nothing is added. */
	if (ret)
		return ret;
	open->backend = backend;
	backends->n++;
	return 0;
}

int backends_open(struct backends **out, const char *const *specs, unsigned n,
		  struct wm_error *err)
{
	struct backends *backends = calloc(1, sizeof(*backends));
	int ret = 0;

	if (!backends)
		return wm_fail_nomem(err, "back ends");
	for (unsigned i = 0; i < n && !ret; i++)
		if (!is_elsewhere(specs[i]))
			ret = add(backends, specs[i], err);
	if (ret)
		backends_close(backends, NULL);
	else
		*out = backends;
	return ret;
}

void backends_put(struct backends *backends, const struct event_record *record,
		  const struct kernel *kernel)
{
	/* Of an unknown kind there is no name and no format to print it by. */
	const struct event_info *info = event_info(record->kind);

	for (unsigned i = 0; info && i < backends->n; i++)
		backends->open[i].backend->put(backends->open[i].state, info, record,
					       kernel);
}

bool backends_any(const struct backends *backends)
{
	return backends && backends->n;
}

int backends_close(struct backends *backends, struct wm_error *err)
{
	int first = 0;

	for (unsigned i = 0; backends && i < backends->n; i++) {
		const struct open *open = &backends->open[i];
		/*
		 * All are closed, whatever fails; the first failure is the one to report.
		 */
		int ret = open->backend->close(open->state, first ? NULL : err);

		first = first ? first : ret;
	}
	free(backends);
	return first;
}
