// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * V8 writes KIND:TIERname FILE:LINE:COLUMN, and so does our own agent for LuaJIT:
 *
 *	JS:~fib /app.js:3:13		fib, interpreted, line 3 of /app.js
 *	JS:* /app.js:6:41		a function without a name, optimised
 *	JS:~made :1:17			made, of a text that was given to eval()
 *	TRACE:*12(11/1) app.lua:7	a trace of the function of line 7: its number names
 *					nothing that is the program's
 *	Builtin:LoadIC			no place
 *	JS:fib-0-liftoff		function 0 of a WebAssembly module, compiled
 *	JS:wasm-function[0]-0-turbofan	optimised, of a module without names
 *
 * Other names that end in FILE:LINE have a place, too.
 */
#include "program/made/name.h"

#include <stdio.h>
#include <string.h>

#include "base/affix.h"
#include "base/pattern.h"
#include "trace/hex.h"

/* The number before *end, after a colon, which *end is moved to; 0: no number. */
static uint32_t take_number(const char *text, const char **end)
{
	const char *at = *end;
	uint32_t number = 0;

	while (at > text && at[-1] >= '0' && at[-1] <= '9')
		at--;
	if (at == *end || *end - at > 9 || at == text || at[-1] != ':')
		return 0;
	for (const char *digit = at; digit < *end; digit++)
		number = number * 10 + (uint32_t)(*digit - '0');
	*end = at - 1;
	return number;
}

/* The blank before the file: before a slash, so that paths may have blanks, else the last. */
static const char *blank_before(const char *text, const char *end)
{
	const char *found = NULL;

	for (const char *at = text; at < end; at++)
		if (*at == ' ') {
			found = at;
			if (at[1] == '/')
				break;
		}
	return found;
}

/* `is_trace`: what is before the file is one word. */
static void find_place(struct made_name *out, const char *text, bool is_trace)
{
	const char *end = text + strlen(text);
	uint32_t last = take_number(text, &end), line = take_number(text, &end);
	const char *blank = is_trace ? memchr(text, ' ', (size_t)(end - text)) :
				       blank_before(text, end);

	out->line = line ? line : last;
	out->file = blank ? blank + 1 : text;
	out->file_bytes = out->line ? (size_t)(end - out->file) : 0;
	if (!out->file_bytes && !blank)
		out->line = 0;
}

/* Behind the kind, which is a word and a colon. */
static const char *behind_kind(const char *text)
{
	size_t letters =
		strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

	return letters && text[letters] == ':' ? text + letters + 1 : text;
}

/* V8 writes NAME-INDEX-COMPILER for a function of WebAssembly. False: it is none. */
static bool is_wasm(struct made_name *out, const char *name)
{
	const char *compiler = strrchr(name, '-'), *index = compiler;
	bool liftoff = compiler && !strcmp(compiler, "-liftoff");

	if (!liftoff && (!compiler || strcmp(compiler, "-turbofan") != 0))
		return false;
	while (index > name && index[-1] >= '0' && index[-1] <= '9')
		index--;
	if (index == compiler || index < name + 2 || index[-1] != '-')
		return false;
	*out = (struct made_name){
		.name = name,
		.bytes = (size_t)(compiler - name),
		.name_bytes = (size_t)(index - 1 - name),
		.is_method = true,
		.tier = liftoff ? '+' : '*',
	};
	return true;
}

struct made_name made_name_of(const char *text)
{
	const char *name = behind_kind(text);
	struct made_name out = { .tier = 0 };
	bool numbered;

	if (name > text && is_wasm(&out, name))
		return out;
	if (name > text && *name && strchr("~^*+", *name))
		out.tier = *name++;
	out.name = name;
	find_place(&out, name, begins_with(text, "TRACE:"));
	out.name_bytes = strlen(name);
	if (out.line)
		out.name_bytes = out.file > name ? (size_t)(out.file - 1 - name) : 0;
	numbered = out.tier && *name >= '0' && *name <= '9';
	if (numbered && out.line) {
		out.name = out.file;
		out.name_bytes = 0;
	}
	out.bytes = strlen(out.name);
	out.is_method = out.line;
	return out;
}

void made_name_own(const struct made_name *is, char *text, size_t size)
{
	if (is->name_bytes)
		snprintf(text, size, "%.*s", (int)is->name_bytes, is->name);
	else
		snprintf(text, size, "(anonymous)");
}

/* The byte that %XX stands for; 0: it stands for none. */
static char escaped(const char *text)
{
	uint8_t high = *text == '%' ? hex_value(text[1]) : UINT8_MAX;
	uint8_t low = high < 16 ? hex_value(text[2]) : UINT8_MAX;

	return low < 16 ? (char)(high << 4 | low) : 0;
}

const char *made_name_path(const char *file, char *room, size_t size)
{
	size_t n = 0;

	if (!begins_with(file, "file:///"))
		return file;
	for (const char *at = file + strlen("file://"); *at; at++, n++) {
		char byte = escaped(at);

		if (n + 1 >= size)
			return file;
		room[n] = byte ? byte : *at;
		at += byte ? 2 : 0;
	}
	room[n] = 0;
	return room;
}

/* HotSpot's agent marks stubs, LuaJIT's the exits of traces. A kind without a place is V8's own. */
bool made_name_is_method(const char *text)
{
	return !ends_with(text, " [stub]") && !ends_with(text, " [exits]") &&
	       (behind_kind(text) == text || made_name_of(text).is_method);
}

bool made_name_fits(const char *pattern, const char *text)
{
	struct made_name is = made_name_of(text);
	char name[512];

	if (!is.tier || !(is.name_bytes || is.is_method))
		return false;
	made_name_own(&is, name, sizeof(name));
	return pattern_fits(pattern, name);
}
