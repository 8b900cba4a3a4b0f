// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options that decide after the run: --last limits the file to the newest part, and
 * --on-exit, --on-signal and --on-marker keep it only if something happened. Any one of
 * the conditions suffices; without conditions the file is always kept.
 *
 * Example: --last 64M --on-exit crash keeps up to 64 MB, and only if the program was
 * killed by a signal.
 */
#include "cli/record/keep.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli/fail.h"
#include "cli/values.h"
#include "isa/marker.h"
#include "kernel/kernel.h"
#include "out/number.h"

enum { OPTION_LAST = 256, OPTION_ON_EXIT, OPTION_ON_SIGNAL, OPTION_ON_MARKER };
/* Linux numbers signals from 1 to 64; bit n - 1 of a mask stands for signal n. */
enum { SIGNALS = 64 };

static const struct argp_option options[] = {
	{ "last", OPTION_LAST, "SIZE|N-insns", 0,
	  "Keep the newest part only: SIZE bytes, or N instructions of each thread", 0 },
	{ "on-exit", OPTION_ON_EXIT, "HOW", 0,
	  "Keep the trace only when the program ends so: nonzero, crash", 0 },
	{ "on-signal", OPTION_ON_SIGNAL, "NAME", OPTION_ARG_OPTIONAL,
	  "Keep it only when a signal is delivered to a handler, or ends the program",
	  0 },
	{ "on-marker", OPTION_ON_MARKER, "ID", 0,
	  "Keep it only when a marker with this id is met", 0 },
	{ 0 },
};

/*
 * --last takes "64M", a size, or "1M-insns", a number of instructions. The last one given
 * counts: it clears the other.
 */
static void take_last(struct record_keep *keep, const char *arg, struct argp_state *state)
{
	static const char unit[] = "-insns";
	size_t length = strlen(arg), digits = length - (sizeof(unit) - 1);
	bool of_insns = length >= sizeof(unit) && !strcmp(arg + digits, unit);
	char number[NUMBER_TEXT] = "";
	uint64_t value = 0;

	if (!of_insns)
		digits = length;
	if (digits < sizeof(number))
		memcpy(number, arg, digits);
	if (!number_parse_bytes(number, &value) || !value)
		argp_error(state,
			   "--last takes a size such as 64M, or a number of "
			   "instructions such as 1M-insns, not \"%s\"",
			   arg);
	/* An earlier --last is replaced. */
	keep->last = (struct newest_wish){ 0, 0 };
	*(of_insns ? &keep->last.insns : &keep->last.bytes) = value;
	keep->last_text = arg;
}

/* Both may be given: one of the conditions is enough. */
static void take_exit(struct keep_rules *rules, const char *arg, struct argp_state *state)
{
	static const char *const words[] = { "nonzero", "crash", NULL };

	if (choice_or_end(arg, "on-exit", words, state) == 0)
		rules->nonzero = true;
	else
		rules->crash = true;
}

/*
 * The number of "SIGSEGV", "segv" or "11"; 0 when there is no such signal. Numbers above
 * 64 have no bit in the mask.
 */
static unsigned find_signal(const char *word)
{
	char text[KERNEL_NAME];
	uint64_t number;

	if (number_parse(word, &number))
		return number <= SIGNALS ? (unsigned)number : 0;
	for (unsigned i = 1; i <= SIGNALS; i++) {
		const char *name = kernel_signal_name(i, text);

		/* "segv" fits "SIGSEGV" without its first three letters. */
		if (name && (!strcasecmp(name, word) || !strcasecmp(name + 3, word)))
			return i;
	}
	return 0;
}

/* Without a name every signal counts. */
static void take_signal(struct keep_rules *rules, const char *arg,
			struct argp_state *state)
{
	unsigned number = arg ? find_signal(arg) : 0;

	if (arg && !number)
		argp_error(state, "there is no signal \"%s\"", arg);
	/* Signal N is bit N - 1, as in the kernel's masks. */
	rules->signals |= arg ? UINT64_C(1) << (number - 1) : UINT64_MAX;
}

/* The rules are a plain value without allocations, so the list has a fixed size. */
static void take_marker(struct keep_rules *rules, const char *arg,
			struct argp_state *state)
{
	if (rules->markers == KEEP_MARKERS_MAX)
		argp_error(state, "--on-marker can be given %d times at most",
			   KEEP_MARKERS_MAX);
	rules->marker[rules->markers++] =
		amount_or_end(arg, "--on-marker", 0, MARKER_ID_MAX, state);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_keep *keep = state->input;

	switch (key) {
	case OPTION_LAST:
		take_last(keep, arg, state);
		return 0;
	case OPTION_ON_EXIT:
		take_exit(&keep->rules, arg, state);
		return 0;
	case OPTION_ON_SIGNAL:
		take_signal(&keep->rules, arg, state);
		return 0;
	case OPTION_ON_MARKER:
		take_marker(&keep->rules, arg, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp record_keep_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

/*
 * Blocks and names of a program are kept whatever their age, so a small --last may be
 * exceeded.
 */
void record_keep_check(const struct record_keep *keep, const char *path)
{
	char bytes[NUMBER_TEXT];
	struct stat st;

	if (!keep->last.bytes || stat(path, &st) ||
	    (uint64_t)st.st_size <= keep->last.bytes)
		return;
	remark("%s has %s, more than --last %s: what is known of the program's code takes "
	       "too much of that",
	       path, number_bytes(bytes, (uint64_t)st.st_size), keep->last_text);
}
