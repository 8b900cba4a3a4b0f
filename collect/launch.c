// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The caller's process becomes QEMU: nothing stands between the guest and whoever
 * started `waymark record`. The plugin's arguments have where the shared memory is.
 * The environment and the guest's arguments stay as they are.
 */
#include "collect/serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * -plugin's value: commas separate its parts, and are doubled inside one. A path that begins with
 * two slashes is another plugin for QEMU, but the same for the loader.
 */
static char *plugin_value(const char *front, const char *plugin, const char *argument,
			  const char *value)
{
	/* Room for a path of commas only. */
	char *all = malloc(strlen(front) + 2 * strlen(plugin) + strlen(argument) +
			   strlen(value) + 1);
	char *to;

	if (!all)
		return NULL;
	to = stpcpy(all, front);
	for (; *plugin; plugin++) {
		*to++ = *plugin;
		if (*plugin == ',')
			*to++ = ',';
	}
	stpcpy(stpcpy(to, argument), value);
	return all;
}

static size_t length(char *const *list)
{
	size_t n = 0;

	/* A list that is NULL is an empty one. */
	while (list && list[n])
		n++;
	return n;
}

/* -d's value: its own events, by patterns; NULL without memory. */
static char *trace_value(const struct event_options *events)
{
	struct buf value = BUF_INIT;

	for (unsigned i = 0; i < events->n_qemu_trace; i++) {
		buf_put(&value, i ? ",trace:" : "trace:", i ? 7 : 6);
		buf_put(&value, events->qemu_trace[i], strlen(events->qemu_trace[i]));
	}
	buf_put_u8(&value, 0);
	if (!value.failed)
		return (char *)value.data;
	buf_fini(&value);
	return NULL;
}

/* QEMU's argument vector: its options, the plugin, the guest's. */
static char **arguments(const struct record_options *options, char *value, char *spare,
			char *trace, const char *trace_path)
{
	/* A machine's QEMU has its name already. */
	char *const *guest_argv = options->guest_argv + options->machine;
	size_t qemu_args = length(options->qemu_args), guest = length(guest_argv);
	/*
	 * 10: QEMU's name, -d and -D with their values, -plugin with its value, twice,
	 * and the NULL.
	 */
	char **argv = calloc(qemu_args + guest + 10, sizeof(*argv)), **at = argv;

	if (!argv)
		return NULL;
	*at++ = (char *)options->qemu;
	for (size_t i = 0; i < qemu_args; i++)
		*at++ = options->qemu_args[i];
	/* A log of its own, because stderr is the guest's as well. */
	if (trace) {
		*at++ = (char *)"-d";
		*at++ = trace;
		*at++ = (char *)"-D";
		*at++ = (char *)trace_path;
	}
	*at++ = (char *)"-plugin";
	*at++ = spare;
	/* Last: QEMU calls first which was loaded last. */
	*at++ = (char *)"-plugin";
	*at++ = value;
	for (size_t i = 0; i < guest; i++)
		*at++ = guest_argv[i];
	return argv;
}

/* What our plugin gets: where the shared memory is, and the guide. */
static char *own_value(const struct record_options *options, const char *board)
{
	char *value = plugin_value("", options->plugin, ",arena=", board), *all;

	const struct steering *steering = options->steering;
	const char *guide = steering ? steering->guide : NULL;

	if (!value)
		return NULL;
	if (asprintf(&all, "%s%s%s%s", value, guide ? ",guide=" : "", guide ? guide : "",
		     guide && steering->guide_fetches ? ",fetches=yes" : "") < 0)
		all = NULL;
	free(value);
	return all;
}

int launch(const struct record_options *options, const char *board,
	   const char *trace_path, struct wm_error *err)
{
	char *value = own_value(options, board);
	char *spare = plugin_value("/", options->plugin, SPARE_ARGUMENT, "");
	char *trace = trace_path ? trace_value(options->events) : NULL;
	char **argv = NULL;
	int ret;

	if (value && spare && (trace || !trace_path))
		argv = arguments(options, value, spare, trace, trace_path);
	if (argv) {
		/* Returns only on failure. */
		execv(options->qemu, argv);
		ret = wm_fail_errno(err, "cannot start %s", options->qemu);
	} else {
		ret = wm_fail_nomem(err, "starting QEMU");
	}
	free(argv);
	free(trace);
	free(value);
	free(spare);
	return ret;
}
