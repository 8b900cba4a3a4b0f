// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a text is, is decided from its ends inwards: @N and +OFFSET and :LINE only where a
 * number follows, so that puts@plt and operator+ are symbols. Whether there is such a place
 * is not asked here.
 */
#include "query/where.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "isa/marker.h"
#include "out/number.h"

static const struct prefix {
	const char *word;
	enum where_kind kind;
} prefixes[] = {
	{ "insn:", WHERE_INSN },
	{ "time:", WHERE_TIME },
	{ "marker:", WHERE_MARKER },
	{ "syscall:", WHERE_SYSCALL },
};

static int bad(struct wm_error *err, const char *text, const char *why)
{
	return wm_fail(err, WM_E_RANGE, 0, "\"%.100s\" is no place in a run: %s", text,
		       why);
}

bool where_seconds(const char *text, uint64_t *ns)
{
	uint64_t unit = 1000000000, seconds = 0, rest = 0;
	size_t whole = strspn(text, "0123456789"), part = 0;

	if (text[whole] == '.')
		part = strspn(text + whole + 1, "0123456789");
	if (!(whole + part) || whole > 9 || text[whole + (text[whole] == '.') + part])
		return false;
	for (size_t i = 0; i < whole; i++)
		seconds = seconds * 10 + (uint64_t)(text[i] - '0');
	for (size_t i = 0; i < part; i++)
		rest += (uint64_t)(text[whole + 1 + i] - '0') * (unit /= 10);
	*ns = seconds * 1000000000 + rest;
	return true;
}

const char *where_colon(const char *text)
{
	for (const char *at = text; (at = strchr(at, ':')); at += 2)
		if (at[1] != ':')
			return at;
	return NULL;
}

/* Cuts "@N" off the end of a copy of the text. */
static int cut_times(struct where *where, char *copy, const char *text,
		     struct wm_error *err)
{
	char *at = strrchr(copy, '@');
	uint64_t times;

	where->times = 1;
	if (!at || !isdigit((unsigned char)at[1]))
		return 0;
	if (!number_parse_bytes(at + 1, &times) || !times || times > UINT32_MAX)
		return bad(err, text, "after @ there is a number from 1 on");
	where->times = (uint32_t)times;
	*at = 0;
	return 0;
}

/* What stands behind "insn:" and the like. */
static int parse_value(struct where *where, const char *value, const char *text,
		       struct wm_error *err)
{
	switch (where->kind) {
	case WHERE_TIME:
		if (!where_seconds(value, &where->value))
			return bad(err, text,
				   "time: is followed by seconds, such as 2 or 0.25");
		if (where->times > 1)
			return bad(err, text, "a time is reached once");
		return 0;
	case WHERE_SYSCALL:
		if (!*value)
			return bad(err, text,
				   "syscall: is followed by a system call's name");
		where->name = strdup(value);
		return where->name ? 0 : wm_fail_nomem(err, "a place");
	case WHERE_INSN:
		if (!number_parse_bytes(value, &where->value))
			return bad(err, text,
				   "insn: is followed by a number of instructions");
		return 0;
	default:
		if (!number_parse(value, &where->value) || where->value > MARKER_ID_MAX)
			return bad(err, text,
				   "marker: is followed by a number from 0 to 1023");
		return 0;
	}
}

/* Cuts `separator` and the number behind it off the end, when there are. */
static bool cut_number(char *copy, char separator, uint64_t *number)
{
	char *at = strrchr(copy, separator);

	if (!at || at == copy || !isdigit((unsigned char)at[1]) ||
	    !number_parse(at + 1, number))
		return false;
	*at = 0;
	return true;
}

/* A symbol or a line, with the file's name before it or not. */
static int parse_name(struct where *where, char *copy, const char *text,
		      struct wm_error *err)
{
	const char *name = copy, *colon;

	where->kind = WHERE_SYMBOL;
	if (cut_number(copy, ':', &where->value)) {
		where->kind = WHERE_LINE;
		if (!where->value)
			return bad(err, text, "lines are counted from 1");
	} else {
		cut_number(copy, '+', &where->value);
	}
	colon = where_colon(copy);
	if (colon) {
		name = colon + 1;
		where->module = strndup(copy, (size_t)(colon - copy));
	}
	if (!*name || colon == copy)
		return bad(err, text, "a name is missing");
	where->name = strdup(name);
	if (!where->name || (colon && !where->module))
		return wm_fail_nomem(err, "a place");
	return 0;
}

static int parse_rest(struct where *where, char *copy, const char *text,
		      struct wm_error *err)
{
	if (!*copy)
		return bad(err, text, "there is nothing before the @");
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t length = strlen(prefixes[i].word);

		if (strncmp(copy, prefixes[i].word, length) != 0)
			continue;
		where->kind = prefixes[i].kind;
		return parse_value(where, copy + length, text, err);
	}
	if (!isdigit((unsigned char)*copy))
		return parse_name(where, copy, text, err);
	where->kind = WHERE_ADDRESS;
	if (strncmp(copy, "0x", 2) != 0 || !number_parse(copy, &where->value))
		return strchr(copy, ':') ?
			       parse_name(where, copy, text, err) :
			       bad(err, text, "an address is written as 0x1234");
	return 0;
}

int where_parse(struct where *where, const char *text, struct wm_error *err)
{
	char *copy = strdup(text);
	int ret;

	*where = (struct where){ .kind = WHERE_NONE };
	if (!copy)
		return wm_fail_nomem(err, "a place");
	ret = *text ? cut_times(where, copy, text, err) : bad(err, text, "it is empty");
	if (!ret)
		ret = parse_rest(where, copy, text, err);
	free(copy);
	if (ret)
		where_fini(where);
	return ret;
}

void where_fini(struct where *where)
{
	free(where->module);
	free(where->name);
	*where = (struct where){ .kind = WHERE_NONE };
}

/* The two dots between places: not those of a folder, as in ../main.c:12. */
static const char *find_dots(const char *text)
{
	for (const char *at = text; (at = strstr(at, "..")); at++)
		if (at[2] != '/' || (at != text && at[-1] != '/'))
			return at;
	return NULL;
}

int where_parse_window(struct where *from, struct where *to, const char *text,
		       struct wm_error *err)
{
	const char *dots = find_dots(text);
	char *first = dots ? strndup(text, (size_t)(dots - text)) : NULL;
	int ret = 0;

	*from = *to = (struct where){ .kind = WHERE_NONE };
	if (!dots || !text[2])
		ret = wm_fail(err, WM_E_RANGE, 0,
			      "\"%.100s\" is no window: write A..B, where A or B may be "
			      "left out",
			      text);
	else if (!first)
		ret = wm_fail_nomem(err, "a window");
	if (!ret && *first)
		ret = where_parse(from, first, err);
	if (!ret && dots[2])
		ret = where_parse(to, dots + 2, err);
	free(first);
	if (ret)
		where_fini(from);
	return ret;
}
