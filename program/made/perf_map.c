// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf's maps of generated code: /tmp/perf-PID.map, which JIT compilers write for perf(1)
 * (node --perf-basic-prof, java with an agent, LuaJIT, .NET, Wasmtime). Each line is
 *
 *	START SIZE name		both numbers hexadecimal, the name to the end of the line
 *
 * in the order in which code was generated; "0x" before a number is accepted, as some
 * writers put it there. There are no times in a map. When code was written over older
 * code the map has both lines, and which of them a block ran cannot be known: the later
 * one counts, for the whole recording.
 *
 * The compiler may have been killed while it wrote a line, so a malformed line is
 * skipped. A text without any good line is in another format.
 */
#include "program/made/list.h"

#include <string.h>

#include "base/append.h"
#include "trace/hex.h"

enum { NAME_BYTES_MAX = 1 << 16 };

/*
 * Takes a number and the blank after it from the text up to `end`, which has no NUL;
 * NULL: there is none. More than 16 digits would not fit into 64 bits.
 */
static const char *take_number(const char *at, const char *end, uint64_t *number)
{
	const char *first, *behind;

	if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
		at += 2;
	first = at;
	behind = hex_number(first, end, number);
	return behind > first && behind - first <= 16 && behind < end && *behind == ' ' ?
		       behind + 1 :
		       NULL;
}

/* Adds the name of a line. A malformed line is skipped: true. False: no memory. */
static bool take_line(struct made *made, const char *at, const char *end)
{
	struct made_piece piece = { .code = MADE_NO_CODE };
	uint64_t bytes = 0;

	at = take_number(at, end, &piece.start);
	at = at ? take_number(at, end, &bytes) : NULL;
	if (!at || at == end || !bytes || bytes > UINT64_MAX - piece.start)
		return true;
	piece.end = piece.start + bytes;
	return made_text(made, at,
			 end - at < NAME_BYTES_MAX ? (size_t)(end - at) : NAME_BYTES_MAX,
			 &piece.name) &&
	       APPEND(made->pieces, made->n, piece);
}

static int read_map(struct made *made, const char *text, size_t bytes,
		    struct wm_error *err)
{
	const char *end = text + bytes;

	for (const char *at = text; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;

		if (!take_line(made, at, line_end))
			return wm_fail_nomem(err, "names of generated code");
		at = line_end + 1;
	}
	return made->n ? 0 : WM_END;
}

const struct made_form made_perf_map = {
	.name = "perf-map",
	.what = "lines \"START SIZE name\"",
	.read = read_map,
};
