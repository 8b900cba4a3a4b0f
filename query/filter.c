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
#include "events/render.h"
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

/* The field of that name; NULL: the kind of event has none. */
static const struct event_field *field_of(const struct event_info *info, const char *name,
					  unsigned *at)
{
	for (*at = 0; *at < info->n_numbers; ++*at)
		if (!strcmp(info->fields[*at].name, name))
			return &info->fields[*at];
	return NULL;
}

/* The cause of a trap, in words; NULL: no cause has that number. */
static const char *cause_of(unsigned cause)
{
	const struct event_info *trap = event_info(WM_EVENT_TRAP);
	unsigned at;
	const struct event_field *field = trap ? field_of(trap, "cause", &at) : NULL;

	return field ? event_word(field, cause) : NULL;
}

/* The word that the field stands for in the event; NULL: none. */
static const char *word_of(const struct wm_event *event, const char *name)
{
	const struct event_info *info = event_info(event->kind);
	unsigned at;
	const struct event_field *field = field_of(info, name, &at);

	return field ? event_word(field, event->fields[at]) : NULL;
}

/* What events of a machine are called beside their kinds: see fits_trap(). */
static const char *const trap_names[] = {
	"interrupt", "exception", "page_fault", "mode_change", "context_switch",
};
enum { PAGE_FAULT = 2, MODE_CHANGE, CONTEXT_SWITCH };

/*
 * Collects every name, except those of real-time signals, which are made from their
 * numbers.
 */
static unsigned all_names(const char **names, bool calls)
{
	const struct event_info *info;
	const struct call *call;
	char text[KERNEL_NAME];
	unsigned n = 0;

	for (unsigned i = 0; !calls && i < sizeof(trap_names) / sizeof(*trap_names); i++)
		names[n++] = trap_names[i];
	for (unsigned i = 0; !calls && i <= WM_TRAP_UNKNOWN; i++)
		if (cause_of(i))
			names[n++] = cause_of(i);
	for (unsigned i = 0; !calls && (info = event_info_at(i)); i++)
		names[n++] = info->name;
	for (uint64_t signal = 1; !calls && signal < SIGNALS; signal++)
		names[n++] = kernel_signal_name(signal, text);
	for (size_t i = 0; (call = kernel_call_at(i)) && n < NAMES_MOST; i++)
		names[n++] = call->name;
	return n;
}

static int check(const char *pattern, bool calls, struct wm_error *err)
{
	const char *names[NAMES_MOST], *near;
	const char *what = calls ? "system call" : "event";
	unsigned n = all_names(names, calls);

	for (unsigned i = 0; i < n; i++)
		if (fits(pattern, names[i]))
			return WM_OK;
	/* Names that contain a number are not listed: SIGRT_5, syscall_0x123. */
	if ((!calls && fits("SIGRT_*", pattern)) || fits("syscall_0x*", pattern))
		return WM_OK;
	near = nearest_word(pattern, names, n);
	if (near)
		return wm_fail(err, WM_E_RANGE, 0,
			       "no %s is called \"%s\"; did you mean \"%s\"?", what,
			       pattern, near);
	return wm_fail(err, WM_E_RANGE, 0, "no %s is called \"%s\"", what, pattern);
}

static int add(struct filter *filter, const char *patterns, bool calls,
	       struct wm_error *err)
{
	/* No name would be taken for all. */
	if (!patterns[strspn(patterns, ",")])
		return check(patterns, calls, err);
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
		if (check(pattern, calls, err))
			return WM_E_RANGE;
		at += length;
	}
	return WM_OK;
}

int filter_add(struct filter *filter, const char *patterns, struct wm_error *err)
{
	return add(filter, patterns, false, err);
}

int filter_add_calls(struct filter *filter, const char *patterns, struct wm_error *err)
{
	return add(filter, patterns, true, err);
}

void filter_fini(struct filter *filter)
{
	for (unsigned i = 0; i < filter->n; i++)
		free(filter->patterns[i]);
	filter->n = 0;
}

/* "page fault (load)" is a page_fault. */
static bool is_page_fault(const char *cause)
{
	return cause && !strncmp(cause, "page fault", strlen("page fault"));
}

/*
 * Events of a machine have names by what they are: an interrupt or an exception, a page
 * fault, a change of mode; and the cause's own.
 */
static bool fits_trap(const char *pattern, const struct wm_event *event)
{
	const char *cause, *before, *after;

	if (event->kind == WM_EVENT_SCHED_SWITCH)
		return fits(pattern, trap_names[CONTEXT_SWITCH]);
	if (event->kind != WM_EVENT_TRAP && event->kind != WM_EVENT_TRAP_RETURN)
		return false;
	before = word_of(event, "before");
	after = word_of(event, "after");
	if (before && after && strcmp(before, after) != 0 &&
	    fits(pattern, trap_names[MODE_CHANGE]))
		return true;
	cause = word_of(event, "cause");
	return fits(pattern, word_of(event, "what")) || fits(pattern, cause) ||
	       (is_page_fault(cause) && fits(pattern, trap_names[PAGE_FAULT]));
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
		if (fits(filter->patterns[i], kind) || fits(filter->patterns[i], name) ||
		    fits_trap(filter->patterns[i], event))
			return true;
	return !filter->n;
}
