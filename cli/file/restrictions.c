// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The restrictions of a recording: windows, filters, limits, and what was left out
 * because of them. `info` prints them, so that nobody takes a part of a run for all of
 * it. The recorder stores them in the trace's metadata as texts, in the words of the
 * command line, and as decimal numbers; a key that does not apply is absent.
 */
#include "cli/file/restrictions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "out/number.h"

/* A number that is stored only when it is not 0. */
static uint64_t number_of(const struct wm_trace *trace, const char *key)
{
	const char *text = wm_trace_meta(trace, key);

	return text ? strtoull(text, NULL, 10) : 0;
}

/* `more` is appended to the value, such as ": reached" to a limit. */
static void print_words(const struct wm_trace *trace, const char *label, const char *key,
			const char *more)
{
	const char *words = wm_trace_meta(trace, key);

	if (words)
		printf("%-14s %s%s\n", label, words, more);
}

/* Singular and plural are given in full: nouns of both kinds come here. */
static void print_left_out(const struct wm_trace *trace, const char *key, const char *one,
			   const char *several)
{
	uint64_t n = number_of(trace, key);
	char text[NUMBER_TEXT];

	if (n)
		printf("%-14s %s %s\n", "left out", number_grouped(text, n),
		       n == 1 ? one : several);
}

/* The order is from what was wanted to what was lost. */
void restrictions_print(const struct wm_trace *trace)
{
	const char *unfollowed = wm_trace_meta(trace, "unfollowed");

	if (unfollowed && *unfollowed)
		print_words(trace, "not followed", "unfollowed", "");
	print_words(trace, "windows", "windows", "");
	print_words(trace, "never opened", "windows-missed", "");
	print_words(trace, "filters", "filters", "");
	print_words(trace, "limits", "limits",
		    wm_trace_meta(trace, "limit") ? ": reached" : "");
	print_left_out(trace, "threads-left-out", "thread", "threads");
	print_left_out(trace, "processes-left-out", "process", "processes");
}

void restrictions_json(struct json *json, const struct wm_trace *trace)
{
	json_string(json, "windows", wm_trace_meta(trace, "windows"));
	json_string(json, "windows_missed", wm_trace_meta(trace, "windows-missed"));
	json_string(json, "filters", wm_trace_meta(trace, "filters"));
	json_string(json, "limits", wm_trace_meta(trace, "limits"));
	/* The key "limit" exists only when a limit ended the recording. */
	json_bool(json, "limit_reached", wm_trace_meta(trace, "limit"));
	json_uint(json, "threads_left_out", number_of(trace, "threads-left-out"));
	json_uint(json, "processes_left_out", number_of(trace, "processes-left-out"));
}
