// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who looks for what overwrote a variable finds no store when read() did it. The events of
 * system calls have the buffer, and what the call returned is how many bytes came. Calls that
 * fill structs (fstat) or several buffers (readv) are not known here.
 *
 * Example: "read(0, 0x75000, 4) = 4" before instruction 19,325 is an ecall of instruction
 * 19,324 that stored to 0x75000 up to 0x75003.
 */
#include "query/questions/filled.h"

#include <string.h>

#include "kernel/kernel.h"
#include "trace/cursor.h"
#include "trace/trace.h"

/* Calls that return how many bytes they stored, and the argument that says where. */
static const struct {
	const char *name;
	unsigned buffer;
} fillers[] = {
	{ "getcwd", 0 },  { "getdents", 1 }, { "getdents64", 1 }, { "getrandom", 0 },
	{ "pread64", 1 }, { "read", 1 },     { "readlink", 1 },	  { "readlinkat", 2 },
	{ "recv", 1 },	  { "recvfrom", 1 },
};

struct search {
	const struct query *query;
	const struct mem_wanted *wanted;
	struct wm_event call; /* the last one that was begun; n_fields 0: none */
	uint64_t count, last; /* of those that stored there; before which instruction */
	char name[KERNEL_NAME];
};

/* Which argument of a call is the buffer that it fills; -1: none. */
static int buffer_of(const struct search *search, uint64_t number, char *name)
{
	const char *is = kernel_call_name(search->query->source.kernel, number, name);

	for (size_t i = 0; i < sizeof(fillers) / sizeof(*fillers); i++)
		if (!strcmp(is, fillers[i].name)) {
			memmove(name, is, strlen(is) + 1);
			return (int)fillers[i].buffer;
		}
	return -1;
}

static bool is_wanted(const struct search *search, uint32_t space, uint64_t first,
		      uint64_t bytes)
{
	const struct mem_wanted *wanted = search->wanted;
	const struct mem_bytes *of = wanted->spaces ? &wanted->spaces[space] :
						      &wanted->bytes;

	return first <= of->last && first + (bytes - 1) >= of->first &&
	       of->first <= of->last;
}

static void take_return(struct search *search, const struct wm_event *event)
{
	const struct wm_event *call = &search->call;
	int64_t bytes = kernel_signed(search->query->source.kernel, event->fields[1]);
	char name[KERNEL_NAME];
	int buffer;

	if (call->n_fields <= KERNEL_ARGS || call->fields[0] != event->fields[0] ||
	    bytes <= 0)
		return;
	buffer = buffer_of(search, call->fields[0], name);
	if (buffer < 0 || call->space >= search->query->source.trace->space_count ||
	    !is_wanted(search, call->space, call->fields[1 + buffer], (uint64_t)bytes))
		return;
	memcpy(search->name, name, sizeof(name));
	search->last = call->insn_ordinal;
	search->count++;
}

/* An event is before the instruction of its ordinal. */
static int walk(struct search *search, struct wm_cursor *cursor, uint64_t after,
		struct wm_error *err)
{
	struct wm_event event;
	int ret;

	while (!(ret = wm_cursor_next_event(cursor, &event, err)) &&
	       event.insn_ordinal <= search->wanted->to) {
		if (event.kind == WM_EVENT_SYSCALL && event.insn_ordinal > after)
			search->call = event;
		if (event.kind == WM_EVENT_SYSCALL_RET && event.n_fields > 1)
			take_return(search, &event);
		if (event.kind == WM_EVENT_SYSCALL_RET)
			search->call.n_fields = 0;
	}
	return ret == WM_END ? 0 : ret;
}

int filled_warn(const struct query *query, unsigned stream,
		const struct mem_wanted *wanted, uint64_t after, struct wm_error *err)
{
	struct search search = { .query = query, .wanted = wanted };
	uint64_t from = after > wanted->from ? after : wanted->from;
	struct wm_cursor *cursor;
	int ret = wm_cursor_new(&cursor, query->source.trace, stream, err);

	if (ret)
		return ret;
	cursor_select(cursor, wanted->excerpts ? wanted->excerpts + stream : NULL);
	if (from)
		ret = wm_cursor_seek_insn(cursor, from, err);
	if (!ret)
		ret = walk(&search, cursor, from, err);
	wm_cursor_free(cursor);
	if (!ret && search.count)
		listener_warn(query->listener,
			      "thread %u: the kernel stored there%s, which is no access: "
			      "%llu system call%s, the last %s() before instruction %llu",
			      stream, after ? " later" : "",
			      (unsigned long long)search.count,
			      search.count > 1 ? "s" : "", search.name,
			      (unsigned long long)search.last);
	return ret == WM_END ? 0 : ret;
}

int filled_warn_all(const struct query *query, const struct mem_wanted *wanted,
		    struct wm_error *err)
{
	int ret = 0;

	for (unsigned i = 0; !ret && i < query->selection.n; i++)
		ret = filled_warn(query, query->streams[i], wanted, 0, err);
	return ret;
}
