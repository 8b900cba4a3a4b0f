// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --only and --except take WHAT: a prefix is the kind of thing, and without one
 * it is a pattern of function names. Code becomes landmarks, which the collector turns
 * into ranges when their files are mapped; threads and processes become names that it
 * compares itself.
 *
 * Example: --only module:libc* --except "libc.so.6:mem*" adds a landmark for a whole file
 * with ORDER_ONLY, and one for functions of a file with ORDER_EXCEPT. Where both apply,
 * EXCEPT wins.
 */
#include "cli/record/filters.h"

#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "base/pattern.h"
#include "cli/record/words.h"
#include "out/number.h"

/* No key is a letter: these options have no short form. */
enum {
	OPTION_ONLY = 256 + 60,
	OPTION_EXCEPT,
	OPTION_USER_CODE,
	OPTION_NO_INLINE,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0,
	  "Which code (WHAT: FUNCTIONS, module:FILES, address:A..B, thread:NAME|N, "
	  "process:NAME|PID):",
	  3 },
	{ "only", OPTION_ONLY, "WHAT", 0, "Record nothing else; can be given many times",
	  0 },
	{ "except", OPTION_EXCEPT, "WHAT", 0, "Leave it out; can be given many times",
	  0 },
	{ "user-code", OPTION_USER_CODE, NULL, 0,
	  "Leave out the loader and shared libraries", 0 },
	{ "no-inline", OPTION_NO_INLINE, NULL, 0,
	  "Functions are the code of their symbols, not where they were inlined", 0 },
	{ 0 },
};

/* The text after the prefix `word`; NULL when `text` does not begin with it. */
static const char *behind(const char *text, const char *word)
{
	size_t length = strlen(word);

	return strncmp(text, word, length) ? NULL : text + length;
}

static bool add_landmark(struct record_filters *filters, const struct landmark *landmark)
{
	return APPEND(filters->landmarks, filters->n_landmarks, *landmark);
}

/*
 * Adds a thread or process. "thread:3" and "process:4711" are compared as numbers, other
 * patterns as names. The pattern is argv's and outlives the recording.
 */
static bool add_name(struct record_filters *filters, bool is_process, bool is_except,
		     const char *pattern)
{
	struct steering_name name = { .is_process = is_process,
				      .is_except = is_except,
				      .pattern = pattern };

	name.is_number = number_parse(pattern, &name.number);
	return APPEND(filters->names, filters->n_names, name);
}

static bool add_module(struct record_filters *filters, enum order_sense sense,
		       const char *pattern, const char *text)
{
	struct landmark landmark = {
		.kind = LANDMARK_MODULE,
		/* A copy, because record_filters_fini() frees it. */
		.module = strdup(pattern),
		.sense = sense,
		.text = text,
	};

	return landmark.module && add_landmark(filters, &landmark);
}

/* "MODULE:PATTERN" or "PATTERN"; the "::" of C++ does not separate (pattern_colon()). */
static bool add_functions(struct record_filters *filters, enum order_sense sense,
			  const char *text)
{
	const char *colon = pattern_colon(text);
	struct landmark landmark = {
		.kind = LANDMARK_FUNCTIONS,
		/* Without a file the functions of all files are meant. */
		.module = colon ? strndup(text, (size_t)(colon - text)) : NULL,
		.name = strdup(colon ? colon + 1 : text),
		.sense = sense,
		.text = text,
	};

	return landmark.name && (!colon || landmark.module) &&
	       add_landmark(filters, &landmark);
}

/* Parses "0xA..0xB"; the end is exclusive. */
static bool parse_addresses(const char *text, uint64_t *start, uint64_t *end)
{
	const char *dots = strstr(text, "..");
	/* Room for "0x" and 16 digits. */
	char first[24];

	if (!dots || (size_t)(dots - text) >= sizeof(first))
		return false;
	memcpy(first, text, (size_t)(dots - text));
	first[dots - text] = 0;
	/* An empty range would record nothing, silently. */
	return number_parse(first, start) && number_parse(dots + 2, end) && *start < *end;
}

static bool add_addresses(struct record_filters *filters, enum order_sense sense,
			  const char *range, const char *text, struct argp_state *state)
{
	struct landmark landmark = {
		.kind = LANDMARK_ADDRESS,
		.sense = sense,
		.text = text,
	};

	if (!parse_addresses(range, &landmark.value, &landmark.end))
		argp_error(state,
			   "addresses are written as address:0x1000..0x2000, not "
			   "\"%s\"",
			   text);
	return add_landmark(filters, &landmark);
}

/* Prefixes are tested in turn; a pattern of functions is what remains. */
static void parse_what(struct record_filters *filters, enum order_sense sense,
		       const char *text, struct argp_state *state)
{
	const char *option = sense == ORDER_ONLY ? "--only" : "--except";
	bool is_except = sense == ORDER_EXCEPT, good;
	const char *value;

	/* "module:" without a name is most likely a shell variable that was empty. */
	if (!*text || text[strlen(text) - 1] == ':')
		argp_error(state, "%s \"%s\" names nothing", option, text);
	if ((value = behind(text, "module:")))
		good = add_module(filters, sense, value, text);
	else if ((value = behind(text, "address:")))
		good = add_addresses(filters, sense, value, text, state);
	else if ((value = behind(text, "thread:")))
		good = add_name(filters, false, is_except, value);
	else if ((value = behind(text, "process:")))
		good = add_name(filters, true, is_except, value);
	else
		good = add_functions(filters, sense, text);
	if (!good)
		argp_failure(state, 2, 0, "out of memory");
	/* The words are stored in the trace, where `info` shows them. */
	words_add(&filters->words, option, text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_filters *filters = state->input;

	switch (key) {
	case OPTION_ONLY:
	case OPTION_EXCEPT:
		parse_what(filters, key == OPTION_ONLY ? ORDER_ONLY : ORDER_EXCEPT, arg,
			   state);
		return 0;
	case OPTION_USER_CODE:
		filters->user_code = true;
		words_add(&filters->words, "--user-code", NULL);
		return 0;
	case OPTION_NO_INLINE:
		filters->no_inline = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp record_filters_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

/*
 * The landmarks are copied, and their texts stay owned by `filters`, which outlives the
 * run.
 */
int record_filters_apply(struct record_filters *filters, struct steering *steering,
			 struct wm_error *err)
{
	/* Windows have added theirs before. */
	for (size_t i = 0; i < filters->n_landmarks; i++)
		if (!APPEND(steering->landmarks, steering->n_landmarks,
			    filters->landmarks[i]))
			return wm_fail_nomem(err, "filters");
	for (size_t i = 0; i < steering->n_landmarks; i++)
		steering->landmarks[i].no_inline = filters->no_inline;
	/* It says what the filters meant; without one there is nothing to say. */
	if (filters->no_inline && filters->n_landmarks)
		words_add(&filters->words, "--no-inline", NULL);
	steering->names = filters->names;
	steering->n_names = filters->n_names;
	steering->program_only = filters->user_code;
	steering->filter_words = words_text(&filters->words);
	return filters->words.failed ? wm_fail_nomem(err, "filters") : 0;
}

void record_filters_fini(struct record_filters *filters)
{
	for (size_t i = 0; i < filters->n_landmarks; i++) {
		free((char *)filters->landmarks[i].module);
		free((char *)filters->landmarks[i].name);
	}
	free(filters->landmarks);
	free(filters->names);
	buf_fini(&filters->words);
}
