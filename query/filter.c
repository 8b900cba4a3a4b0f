// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A filter is a list of patterns for names: of kinds of events, system calls and signals.
 * An event passes when one of its names fits one pattern, or when there are no patterns.
 * Example: "open*,SIGSEGV,marker" lets through calls of open() and openat() with their
 * returns, one signal, and all markers.
 *
 * Every pattern is compared with all existing names when it is added. So a misspelled one
 * is an error that suggests the nearest name, and not an empty listing.
 */
#include "query/filter.h"

#include "base/error.h"
#include "base/nearest.h"
#include "format/events.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 1024, SIGNALS = 32 }; /* signals from 32 on are real-time ones */

/* Names are compared without case, so "sigsegv" is accepted. */
static bool fits(const char *pattern, const char *name)
{
	return name && !fnmatch(pattern, name, FNM_CASEFOLD);
}

/*
 * Collects every name, except those of real-time signals, which are made from their
 * numbers.
 */
static unsigned all_names(const char **names)
{
	const struct event_info *info;
	const struct call *call;
	char text[KERNEL_NAME];
	unsigned n = 0;

	for (unsigned i = 0; (info = event_info_at(i)); i++)
		names[n++] = info->name;
	for (uint64_t signal = 1; signal < SIGNALS; signal++)
		names[n++] = kernel_signal_name(signal, text);
	for (size_t i = 0; (call = kernel_call_at(i)) && n < NAMES_MOST; i++)
		names[n++] = call->name;
	return n;
}

static int check(const char *pattern, struct wm_error *err)
{
	const char *names[NAMES_MOST], *near;
	unsigned n = all_names(names);

	for (unsigned i = 0; i < n; i++)
		if (fits(pattern, names[i]))
			return WM_OK;
	/* Names that contain a number are not listed: SIGRT_5, syscall_0x123. */
	if (fits("SIGRT_*", pattern) || fits("syscall_0x*", pattern))
		return WM_OK;
	near = nearest_word(pattern, names, n);
	if (near)
		return wm_fail(err, WM_E_RANGE, 0,
			       "no event is called \"%s\"; did you mean \"%s\"?", pattern,
			       near);
	return wm_fail(err, WM_E_RANGE, 0, "no event is called \"%s\"", pattern);
}

int filter_add(struct filter *filter, const char *patterns, struct wm_error *err)
{
	for (const char *at = patterns; *at; at += strspn(at, ",")) {
		size_t length = strcspn(at, ",");
		char *pattern;

		if (filter->n == FILTER_MOST)
			return wm_fail(err, WM_E_RANGE, 0, "these are too many names");
		pattern = strndup(at, length);
		if (!pattern)
			return wm_fail_nomem(err, "names");
		filter->patterns[filter->n++] = pattern;
		/* The pattern is already in the list, so filter_fini() frees it. */
		if (check(pattern, err))
			return WM_E_RANGE;
		at += length;
	}
	return WM_OK;
}

void filter_fini(struct filter *filter)
{
	for (unsigned i = 0; i < filter->n; i++)
		free(filter->patterns[i]);
	filter->n = 0;
}

/* A system call event has two names: its kind ("syscall") and the call's. */
bool filter_passes(const struct filter *filter, const struct kernel *kernel,
		   const struct wm_event *event)
{
	const struct event_info *info = event_info(event->kind);
	const char *kind = info ? info->name : NULL, *name = NULL;
	char text[KERNEL_NAME];

	if (event->kind == WM_EVENT_SYSCALL || event->kind == WM_EVENT_SYSCALL_RET)
		name = kernel_call_name(kernel, event->fields[0], text);
	else if (event->kind == WM_EVENT_SIGNAL)
		name = kernel_signal_name(event->fields[0], text);
	for (unsigned i = 0; i < filter->n; i++)
		if (fits(filter->patterns[i], kind) || fits(filter->patterns[i], name))
			return true;
	return !filter->n;
}
