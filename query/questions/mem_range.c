// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An address is a number or the name of a variable, perhaps with an offset: "counter",
 * "table+0x40". A number means the same bytes in all spaces. A name is looked up in each
 * space: programs have their variables at other addresses, and other variables there. The
 * range is as many bytes as are asked for, else the whole variable, or one byte of a number
 * or of a name with an offset. Example: "0x11f00" with 8 bytes is what touches one of these;
 * "table+0x40" is the byte 64 bytes into the table.
 */
#include "query/questions/mem_range.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "out/number.h"
#include "query/questions/mem.h"
#include "trace/trace.h"

static const struct mem_bytes none = { 1, 0 };

struct name {
	const char *text;
	bool has_offset;
	uint64_t offset, bytes; /* 0 bytes: all of it, or one behind an offset */
};

/* May be meant, by who hunts a write beyond an array, or be a mistake. */
static void warn_behind(const struct query *query, const struct name *name,
			uint64_t bytes)
{
	listener_warn(query->listener,
		      "%s+%" PRIu64 " is behind %s, which has %" PRIu64 " byte%s",
		      name->text, name->offset, name->text, bytes, bytes == 1 ? "" : "s");
}

/* A range that would wrap ends at the top of the address space. */
static struct mem_bytes range_of(uint64_t first, uint64_t bytes)
{
	uint64_t last = first + bytes - 1;

	return (struct mem_bytes){ first, last < first ? UINT64_MAX : last };
}

/* A process also sees what it lies over: the variables of its kernel. */
static bool find(const struct wm_trace *trace, const struct objects *objects,
		 uint32_t space, const char *name, struct object_range *found)
{
	struct wm_space is;

	while (!objects_find(objects, space, name, found)) {
		if (wm_trace_space(trace, space, &is) || is.over >= space)
			return false;
		space = is.over;
	}
	return true;
}

/* Marks the spaces that the selected threads were in by ranges that are not `none`. */
static void mark_spaces(const struct query *query, struct mem_bytes *spaces)
{
	const struct wm_trace *trace = query->source.trace;

	for (uint32_t i = 0; i < trace->space_count; i++)
		spaces[i] = none;
	for (unsigned i = 0; i < query->selection.n; i++) {
		const struct trace_stream *of = &trace->streams[query->streams[i]];

		spaces[of->record.space] = (struct mem_bytes){ 0 };
		for (uint32_t k = 0; k < of->chunk_count; k++)
			spaces[trace_chunk_space(trace, &trace->chunks[of->chunks[k]])] =
				(struct mem_bytes){ 0 };
	}
}

/* Whether any space has it. A remark about its size is made once. */
static bool find_each(const struct query *query, const struct objects *objects,
		      const struct name *name, struct mem_bytes *spaces)
{
	const struct wm_trace *trace = query->source.trace;
	bool found = false;

	for (uint32_t i = 0; i < trace->space_count; i++) {
		struct object_range range;
		uint64_t bytes = name->bytes;

		if (spaces[i].first > spaces[i].last)
			continue;
		spaces[i] = none;
		if (!find(trace, objects, i, name->text, &range))
			continue;
		if (!bytes)
			bytes = name->has_offset ? 1 : range.last - range.start + 1;
		if (!found && name->offset > range.last - range.start)
			warn_behind(query, name, range.last - range.start + 1);
		spaces[i] = range_of(range.start + name->offset, bytes);
		found = true;
	}
	return found;
}

/* Where each space has it. */
static int set_name(const struct query *query, const struct objects *objects,
		    const struct name *name, struct mem_bytes *spaces,
		    struct wm_error *err)
{
	char hint[SUGGEST_TEXT];

	mark_spaces(query, spaces);
	if (find_each(query, objects, name, spaces))
		return 0;
	return wm_fail(err, WM_E_RANGE, 0,
		       "\"%s\" is neither an address nor a variable of the program%s",
		       name->text, objects_suggest(hint, objects, name->text));
}

int mem_range_set(const struct query *query, const struct objects *objects, char *text,
		  uint64_t bytes, struct mem_bytes **spaces, struct wm_error *err)
{
	uint32_t n = query->source.trace->space_count;
	struct name name = { .text = text, .bytes = bytes };
	uint64_t address;
	char *plus;

	*spaces = calloc(n + 1ul, sizeof(**spaces));
	if (!*spaces)
		return wm_fail_nomem(err, "accesses");
	/* A number is tried first: no variable's name begins with a digit. */
	if (number_parse(text, &address)) {
		for (uint32_t i = 0; i < n; i++)
			(*spaces)[i] = range_of(address, bytes ? bytes : 1);
		return 0;
	}
	plus = strchr(text, '+');
	/* A name with an offset means one byte, not the whole variable. */
	if (plus) {
		*plus++ = 0;
		name.has_offset = true;
		if (!number_parse(plus, &name.offset))
			return wm_fail(err, WM_E_RANGE, 0, "\"%s\" is no offset", plus);
	}
	return set_name(query, objects, &name, *spaces, err);
}

/* Cuts `text` at the comma. */
static int set_watch(const struct query *query, const struct objects *objects, char *text,
		     struct mem_bytes **spaces, struct wm_error *err)
{
	char *comma = strchr(text, ',');
	uint64_t bytes = 0;

	if (comma) {
		*comma++ = 0;
		if (!number_parse(comma, &bytes) || !bytes)
			return wm_fail(
				err, WM_E_RANGE, 0,
				"--watch takes ADDR[,LEN], and \"%s\" is no length",
				comma);
	}
	return mem_range_set(query, objects, text, bytes, spaces, err);
}

int mem_range_watch(const struct query *query, const struct objects *objects,
		    struct mem_bytes **spaces, struct wm_error *err)
{
	char *text = strdup(query->values[MEM_WATCH].texts[0]);
	int ret = text ? set_watch(query, objects, text, spaces, err) :
			 wm_fail_nomem(err, "accesses");

	free(text);
	return ret;
}
