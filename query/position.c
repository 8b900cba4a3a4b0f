// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parses positions. A text is taken apart from its ends: @N, +OFFSET and :LINE are cut
 * off only where a number follows, so `puts@plt` and `operator+` are symbols.
 *
 *	"libc.so.6:qsort+8@2"  ->  times 2, value 8, module libc.so.6, name qsort
 *	"work.c:12"            ->  value 12, name work.c
 *	"main..marker:7"       ->  a window: from main, to marker 7
 *
 * Only the syntax is checked. Whether the program has such a position is decided by
 * query/landing.c for a trace, and by the recorder for a run.
 */
#include "query/position.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/pattern.h"
#include "isa/marker.h"
#include "kernel/kernel.h"
#include "out/number.h"

static const struct prefix {
	const char *word;
	enum position_kind kind;
} prefixes[] = {
	{ "insn:", POSITION_INSN },
	{ "time:", POSITION_TIME },
	{ "marker:", POSITION_MARKER },
	{ "syscall:", POSITION_SYSCALL },
};

static int bad(struct wm_error *err, const char *text, const char *why)
{
	return wm_fail(err, WM_E_RANGE, 0, "\"%.100s\" is no place in a run: %s", text,
		       why);
}

/* Parsed by digits, because strtod() depends on the locale and takes "inf" and "1e9". */
bool position_seconds(const char *text, uint64_t *ns)
{
	uint64_t unit = 1000000000, seconds = 0, rest = 0;
	size_t whole = strspn(text, "0123456789"), part = 0;

	if (text[whole] == '.')
		part = strspn(text + whole + 1, "0123456789");
	/* Nine digits of seconds are 31 years; in nanoseconds they fit 64 bits. */
	if (!(whole + part) || whole > 9 || text[whole + (text[whole] == '.') + part])
		return false;
	for (size_t i = 0; i < whole; i++)
		seconds = seconds * 10 + (uint64_t)(text[i] - '0');
	/*
	 * `unit` is divided by 10 for each digit; digits beyond nanoseconds are worth 0.
	 */
	for (size_t i = 0; i < part; i++)
		rest += (uint64_t)(text[whole + 1 + i] - '0') * (unit /= 10);
	*ns = seconds * 1000000000 + rest;
	return true;
}

/* Cuts "@N" off the end of a copy of the text. */
/* The error quotes the whole text, the copy is being cut. */
static int cut_times(struct position *position, char *copy, const char *text,
		     struct wm_error *err)
{
	char *at = strrchr(copy, '@');
	uint64_t times;

	position->times = 1;
	if (!at || !isdigit((unsigned char)at[1]))
		return 0;
	if (!number_parse_bytes(at + 1, &times) || !times || times > UINT32_MAX)
		return bad(err, text, "after @ there is a number from 1 on");
	position->times = (uint32_t)times;
	*at = 0;
	return 0;
}

/* Parses what follows a prefix such as "insn:". The caller has set the kind. */
static int parse_value(struct position *position, const char *value, const char *text,
		       struct wm_error *err)
{
	switch (position->kind) {
	case POSITION_TIME:
		if (!position_seconds(value, &position->value))
			return bad(err, text,
				   "time: is followed by seconds, such as 2 or 0.25");
		if (position->times > 1)
			return bad(err, text, "a time is reached once");
		return 0;
	case POSITION_SYSCALL:
		if (!*value)
			return bad(err, text,
				   "syscall: is followed by a system call's name");
		position->name = strdup(value);
		return position->name ? 0 : wm_fail_nomem(err, "a place");
	case POSITION_INSN:
		if (!number_parse_bytes(value, &position->value))
			return bad(err, text,
				   "insn: is followed by a number of instructions");
		return 0;
	default:
		if (!number_parse(value, &position->value) ||
		    position->value > MARKER_ID_MAX)
			return bad(err, text,
				   "marker: is followed by a number from 0 to 1023");
		return 0;
	}
}

/*
 * Cuts `separator` and a number off the end, if both are there. Something must remain
 * before the separator: "+5" is a symbol.
 */
static bool cut_number(char *copy, char separator, uint64_t *number)
{
	char *at = strrchr(copy, separator);

	if (!at || at == copy || !isdigit((unsigned char)at[1]) ||
	    !number_parse(at + 1, number))
		return false;
	*at = 0;
	return true;
}

/*
 * A symbol or a line, with or without a module before it. LINE is tried first, because a
 * symbol does not end with ":12".
 */
static int parse_name(struct position *position, char *copy, const char *text,
		      struct wm_error *err)
{
	const char *name = copy, *colon;

	position->kind = POSITION_SYMBOL;
	if (cut_number(copy, ':', &position->value)) {
		position->kind = POSITION_LINE;
		if (!position->value)
			return bad(err, text, "lines are counted from 1");
	} else {
		cut_number(copy, '+', &position->value);
	}
	colon = pattern_colon(copy);
	if (colon) {
		name = colon + 1;
		position->module = strndup(copy, (size_t)(colon - copy));
	}
	if (!*name || colon == copy)
		return bad(err, text, "a name is missing");
	position->name = strdup(name);
	if (!position->name || (colon && !position->module))
		return wm_fail_nomem(err, "a place");
	return 0;
}

/* Why a text that begins with a digit is no address. */
static const char *no_address(const char *text)
{
	bool hex = strncmp(text, "0x", 2) == 0;
	const char *digits = hex ? text + 2 : text;
	size_t n = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");

	/* More than 64 bits have, whether it is one of instructions or an address. */
	return !digits[n] && n > (hex ? 16 : 19) ? "the number is too large" :
						   "an address is written as 0x1234";
}

/*
 * No symbol begins with a digit, so such a text is an address or a file name with a line
 * ("3d.c:12").
 */
static int parse_rest(struct position *position, char *copy, const char *text,
		      struct wm_error *err)
{
	if (!*copy)
		return bad(err, text, "there is nothing before the @");
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t length = strlen(prefixes[i].word);

		if (strncmp(copy, prefixes[i].word, length) != 0)
			continue;
		position->kind = prefixes[i].kind;
		return parse_value(position, copy + length, text, err);
	}
	if (!isdigit((unsigned char)*copy))
		return parse_name(position, copy, text, err);
	position->kind = POSITION_ADDRESS;
	if (strncmp(copy, "0x", 2) != 0 || !number_parse(copy, &position->value))
		return strchr(copy, ':') ? parse_name(position, copy, text, err) :
					   bad(err, text, no_address(copy));
	return 0;
}

/* On failure the position is empty and owns nothing. */
int position_parse(struct position *position, const char *text, struct wm_error *err)
{
	char *copy = strdup(text);
	int ret;

	*position = (struct position){ .kind = POSITION_NONE };
	if (!copy)
		return wm_fail_nomem(err, "a place");
	ret = *text ? cut_times(position, copy, text, err) :
		      bad(err, text, "it is empty");
	if (!ret)
		ret = parse_rest(position, copy, text, err);
	free(copy);
	if (ret)
		position_fini(position);
	return ret;
}

void position_fini(struct position *position)
{
	free(position->module);
	free(position->name);
	*position = (struct position){ .kind = POSITION_NONE };
}

/*
 * The two dots between positions. Those of a path, as in ../main.c:12 or a/../b.c:3, are
 * followed by a slash and come first or after a slash.
 */
static const char *find_dots(const char *text)
{
	for (const char *at = text; (at = strstr(at, "..")); at++)
		if (at[2] != '/' || (at != text && at[-1] != '/'))
			return at;
	return NULL;
}

/* ".." alone is no window. */
int position_parse_window(struct position *from, struct position *to, const char *text,
			  struct wm_error *err)
{
	const char *dots = find_dots(text);
	char *first = dots ? strndup(text, (size_t)(dots - text)) : NULL;
	int ret = 0;

	*from = *to = (struct position){ .kind = POSITION_NONE };
	if (!dots || !text[2])
		ret = wm_fail(err, WM_E_RANGE, 0,
			      "\"%.100s\" is no window: write A..B, where A or B may be "
			      "left out",
			      text);
	else if (!first)
		ret = wm_fail_nomem(err, "a window");
	if (!ret && *first)
		ret = position_parse(from, first, err);
	if (!ret && dots[2])
		ret = position_parse(to, dots + 2, err);
	free(first);
	if (ret)
		position_fini(from);
	return ret;
}

/* ---- system calls --------------------------------------------------------- */

/* Only calls that exist on this ISA are suggested. */
static int no_such_call(const struct kernel *kernel, const char *name, const char *isa,
			struct wm_error *err)
{
	enum { CALLS_MAX = 1024 };
	const char *names[CALLS_MAX], *near;
	const struct call *call;
	unsigned n = 0;

	/*
	 * The table has the calls of all ISAs: those without a number here are left out.
	 */
	for (size_t i = 0; (call = kernel_call_at(i)) && n < CALLS_MAX; i++)
		if (kernel_number(kernel, call->name) >= 0)
			names[n++] = call->name;
	near = nearest_word(name, names, n);
	return wm_fail(err, WM_E_RANGE, 0,
		       "there is no system call \"%.60s\" on %s%s%s%s", name, isa,
		       near ? "; did you mean \"" : "", near ? near : "",
		       near ? "\"?" : "");
}

int position_call(uint64_t *number, const struct position *position, const char *isa,
		  struct wm_error *err)
{
	const struct kernel *kernel = kernel_find(isa);
	int32_t found;

	if (number_parse(position->name, number))
		return 0;
	found = kernel_number(kernel, position->name);
	/* Negative when there is no such call; *number is not used then. */
	*number = (uint64_t)found;
	return found < 0 ? no_such_call(kernel, position->name, isa, err) : 0;
}
