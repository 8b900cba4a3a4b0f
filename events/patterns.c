// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Patterns are applied in order to a copy of the mask, so that a list with one wrong
 * word changes nothing:
 *
 * 	"syscall,signal,-sig*"	{} + syscall + signal - signal = {syscall}
 *
 * A file of patterns cannot name another file: then none can name itself.
 */
#include "events/patterns.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "format/events.h"

static const char blanks[] = " \t\r\n";

/* Where patterns come from, for errors: a file and a line, or an option. */
struct origin {
	const char *file; /* NULL: none */
	unsigned line;
};

/* Errors in a file name the line, because the command line does not show it. */
static int fail_pattern(const struct origin *origin, const char *what,
			const char *pattern, struct wm_error *err)
{
	if (origin->file)
		return wm_fail(err, WM_E_RANGE, 0, "%s, line %u: %s \"%s\"", origin->file,
			       origin->line, what, pattern);
	return wm_fail(err, WM_E_RANGE, 0, "%s \"%s\"", what, pattern);
}

/* For a word that is near an event's name, that name is enough. */
static int no_event(const struct origin *origin, const char *pattern,
		    struct wm_error *err)
{
	enum { NAMES_MAX = 64 };
	const char *names[NAMES_MAX];
	const struct event_info *info;
	char near[NEAREST_HINT], word[NEAREST_HINT + 96];
	unsigned n = 0;

	for (; n < NAMES_MAX && (info = event_info_at(n)); n++)
		names[n] = info->name;
	nearest_hint(near, pattern, names, n);
	snprintf(word, sizeof(word), "no event is called \"%.60s\"%s", pattern, near);
	if (origin->file)
		return wm_fail(err, WM_E_RANGE, 0, "%s, line %u: %s", origin->file,
			       origin->line, word);
	return wm_fail(err, WM_E_RANGE, 0, "%s", word);
}

static int apply_glob(uint64_t *mask, const char *pattern, const struct origin *origin,
		      struct wm_error *err)
{
	bool off = *pattern == '-', found = false;
	const struct event_info *info;
	uint64_t fits = 0;

	/* The bits of all events that the glob fits, of those that this build has. */
	for (unsigned i = 0; (info = event_info_at(i)); i++) {
		if (fnmatch(pattern + off, info->name, 0))
			continue;
		found = true;
		fits |= UINT64_C(1) << info->number & EVENTS_BUILT;
	}
	if (!found)
		return no_event(origin, pattern + off, err);
	/*
	 * Turning off what is not built is allowed, so that one list serves every build.
	 */
	if (!fits && !off)
		return fail_pattern(origin, "this waymark was built without the event",
				    pattern, err);
	*mask = off ? *mask & ~fits : *mask | fits;
	return 0;
}

static int apply_file(uint64_t *mask, const char *path, struct wm_error *err);

/* One pattern, without commas and blanks around it. */
static int apply_one(uint64_t *mask, const char *pattern, const struct origin *origin,
		     struct wm_error *err)
{
	if (*pattern != '@')
		return apply_glob(mask, pattern, origin, err);
	if (origin->file)
		return fail_pattern(origin, "a file of patterns cannot name another",
				    pattern, err);
	return apply_file(mask, pattern + 1, err);
}

/* Patterns separated by commas and blanks, which are cut apart. */
static int apply_words(uint64_t *mask, char *words, const struct origin *origin,
		       struct wm_error *err)
{
	char *rest = NULL;
	int ret = 0;

	/* strtok_r() skips empty words, so "a,,b" and a trailing comma are accepted. */
	for (char *word = strtok_r(words, ", \t\r\n", &rest); word && !ret;
	     word = strtok_r(NULL, ", \t\r\n", &rest))
		ret = apply_one(mask, word, origin, err);
	return ret;
}

/* Any file may be named by mistake, so a line has a bound. */
static int apply_lines(uint64_t *mask, FILE *file, const char *path, struct wm_error *err)
{
	struct origin origin = { path, 0 };
	char line[4096];
	int ret = 0;

	while (!ret && fgets(line, sizeof(line), file)) {
		origin.line++;
		if (!strchr(line, '\n') && !feof(file))
			return wm_fail(err, WM_E_RANGE, 0,
				       "%s, line %u: it is too long for a list of events",
				       path, origin.line);
		line[strcspn(line, "#")] = 0;
		ret = apply_words(mask, line, &origin, err);
	}
	/* fgets() ends in the same way at the end and on an error. */
	if (!ret && ferror(file))
		ret = wm_fail_errno(err, "cannot read %s", path);
	return ret;
}

static int apply_file(uint64_t *mask, const char *path, struct wm_error *err)
{
	FILE *file = fopen(path, "re");
	int ret;

	if (!file)
		return wm_fail_errno(err, "cannot read %s", path);
	ret = apply_lines(mask, file, path, err);
	fclose(file);
	return ret;
}

int events_apply(uint64_t *mask, const char *patterns, struct wm_error *err)
{
	static const struct origin option = { NULL, 0 };
	char *words = strdup(patterns);
	/* Changes a copy, which becomes the mask only when all words are right. */
	uint64_t changed = *mask;
	int ret;

	if (!words)
		return wm_fail_nomem(err, "patterns");
	/* A list without any word would silently change nothing. */
	if (!words[strspn(words, ",")] || !words[strspn(words, blanks)])
		ret = fail_pattern(&option, "no event is called", patterns, err);
	else
		ret = apply_words(&changed, words, &option, err);
	free(words);
	if (!ret)
		*mask = changed;
	return ret;
}
