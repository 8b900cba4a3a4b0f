// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of code for users of the library: program/'s symbols, functions and lines, under
 * one lock, so that several threads may ask.
 *
 * A question costs a search in tables that were read before. What the lock serialises
 * beyond that is reading a file's tables, once.
 *
 * A frame is put together from two sources. The DWARF lists inlined calls, innermost
 * first, each with the line of its call; the line table has the line of the address
 * itself. So each frame's line comes from one step further in:
 *
 *     square() inlined at a.c:7 into sum(), which is inlined at a.c:20 into main();
 *     the address is of line 3
 *       frames: square a.c:3, sum a.c:7, main a.c:20
 *
 * Invariant: a pointer that is handed out stays valid until wm_names_free(): names and
 * paths are interned, and never moved or freed before.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/sized.h"
#include "program/demangle.h"
#include "program/functions.h"
#include "program/srclines.h"
#include "trace/trace.h"

struct wm_names {
	const struct wm_trace *trace;
	pthread_mutex_t lock;
	struct symbols *symbols;
	struct functions *functions;
	struct srclines *lines;
	/* Names of inlined functions and paths of sources, which outlive the next question. */
	struct interner texts;
	struct interner inlined; /* as in the DWARF */
	char **demangled;	 /* [n_demangled] of inlined, by id - 1 */
	size_t n_demangled;
};

void wm_names_free(struct wm_names *names)
{
	/* Lines and functions refer to symbols, so symbols go last. */
	if (!names)
		return;
	srclines_free(names->lines);
	functions_free(names->functions);
	symbols_free(names->symbols);
	for (size_t i = 0; i < names->n_demangled; i++)
		free(names->demangled[i]);
	free(names->demangled);
	interner_fini(&names->texts);
	interner_fini(&names->inlined);
	pthread_mutex_destroy(&names->lock);
	free(names);
}

int wm_names_new(struct wm_names **out, const struct wm_trace *trace,
		 struct wm_error *err)
{
	struct wm_names *names = calloc(1, sizeof(*names));
	int ret;

	*out = NULL;
	if (!names)
		return wm_fail_nomem(err, "names");
	names->trace = trace;
	names->texts = names->inlined = INTERNER_INIT;
	pthread_mutex_init(&names->lock, NULL);
	/*
	 * Nothing is read here: tables are read when the first address of their file is
	 * asked about.
	 */
	ret = symbols_new(&names->symbols, trace, err);
	if (!ret)
		ret = functions_new(&names->functions, names->symbols, err);
	if (!ret)
		ret = srclines_new(&names->lines, names->symbols, err);
	if (ret)
		wm_names_free(names);
	else
		*out = names;
	return ret;
}

/* ---- functions ----------------------------------------------------------- */

/*
 * Spaces select tables by their index, and the caller's number is not checked elsewhere.
 */
static int check_space(const struct wm_names *names, uint32_t space, struct wm_error *err)
{
	if (space < names->trace->space_count)
		return 0;
	return wm_fail(err, WM_E_RANGE, 0, "there is no space %u", space);
}

/* Where an address is asked about. */
struct question {
	uint32_t space, id;
	uint64_t address;
};

static int find_place(struct wm_names *names, const struct question *about,
		      struct wm_place *place, struct wm_error *err)
{
	const struct function *function;
	struct origin origin;

	/* "" and not NULL without a file, so that a caller can compare it. */
	place->build_id = "";
	place->function = functions_at(names->functions, about->space, about->address,
				       about->id, &place->offset);
	if (!place->function)
		return wm_fail_nomem(err, "names");
	function = functions_get(names->functions, place->function);
	place->name = function->name;
	place->symbol = function->symbol;
	place->module = function->module;
	if (symbols_origin(names->symbols, about->space, about->address, about->id,
			   &origin)) {
		place->file_off = origin.file_off;
		symbols_file(names->symbols, origin.file, &place->build_id);
	}
	return 0;
}

int wm_names_place_sized(struct wm_names *names, uint32_t space, uint64_t address,
			 uint32_t id, struct wm_place *out, size_t bytes,
			 struct wm_error *err)
{
	const struct question about = { space, id, address };
	struct wm_place place = { .function = 0 };
	int ret = check_space(names, space, err);

	if (ret)
		return ret;
	pthread_mutex_lock(&names->lock);
	ret = find_place(names, &about, &place, err);
	pthread_mutex_unlock(&names->lock);
	/* Outside the lock: only the caller's memory is written. */
	if (!ret)
		SIZED_PUT(out, bytes, &place);
	return ret;
}

uint32_t wm_names_functions(struct wm_names *names)
{
	uint32_t n;

	pthread_mutex_lock(&names->lock);
	n = functions_count(names->functions);
	pthread_mutex_unlock(&names->lock);
	return n;
}

int wm_names_function_sized(struct wm_names *names, uint32_t number,
			    struct wm_function *out, size_t bytes)
{
	struct wm_function function = { .name = NULL };
	bool found;

	pthread_mutex_lock(&names->lock);
	/*
	 * Functions are numbered in the order in which they are met; new ones may come
	 * meanwhile.
	 */
	found = number && number <= functions_count(names->functions);
	if (found) {
		const struct function *is = functions_get(names->functions, number);

		function = (struct wm_function){ is->name, is->symbol, is->module,
						 is->start };
	}
	pthread_mutex_unlock(&names->lock);
	if (!found)
		return WM_E_RANGE;
	SIZED_PUT(out, bytes, &function);
	return 0;
}

/* ---- frames -------------------------------------------------------------- */

/* A copy of a text that lives as long as `names`; NULL: no memory. */
static const char *keep(struct wm_names *names, const char *text)
{
	uint64_t address;
	uint32_t bytes;
	bool fresh;
	uint32_t id = intern(&names->texts, 0, (const uint8_t *)text,
			     (uint32_t)strlen(text) + 1, &fresh);

	return id ? (const char *)intern_code(&names->texts, id, &address, &bytes) : NULL;
}

/* The same of an inlined function's symbol, demangled. */
static const char *keep_name(struct wm_names *names, const char *symbol)
{
	bool fresh;
	uint32_t id = intern(&names->inlined, 0, (const uint8_t *)symbol,
			     (uint32_t)strlen(symbol) + 1, &fresh);

	/* Ids count from 1; a new one has no demangled name yet. */
	while (names->n_demangled < id) {
		char *unknown = NULL;

		if (!APPEND(names->demangled, names->n_demangled, unknown))
			return NULL;
	}
	/* Demangled once, and kept in place of the mangled name that the DWARF has. */
	if (id && !names->demangled[id - 1])
		names->demangled[id - 1] = demangle(symbol);
	return id ? names->demangled[id - 1] : NULL;
}

static bool set_line(struct wm_names *names, struct wm_frame *frame,
		     const struct srcline *line)
{
	/* Without a line the frame has NULL and 0. */
	if (!line->source)
		return true;
	frame->source = keep(names, srclines_path(names->lines, line->source));
	frame->line = line->number;
	return frame->source;
}

/* The frames of an address, from the innermost; how many, or 0 without memory. */
static size_t find_frames(struct wm_names *names, const struct question *about,
			  struct wm_frame frames[SRCFRAMES_MAX + 1])
{
	uint32_t function = functions_at(names->functions, about->space, about->address,
					 about->id, NULL);
	struct srcframe inlined[SRCFRAMES_MAX];
	struct srcline line = { .source = 0 };
	struct origin origin;
	size_t n = 0;
	bool kept = function;

	/* Code without a file has one frame, that of its function. */
	if (symbols_origin(names->symbols, about->space, about->address, about->id,
			   &origin)) {
		srclines_at(names->lines, &origin, &line);
		n = srclines_frames(names->lines, &origin, inlined, SRCFRAMES_MAX);
	}
	for (size_t i = 0; kept && i <= n; i++) {
		frames[i] = (struct wm_frame){ .inlined = i < n };
		/*
		 * The address's own line for the innermost frame, then each call's line
		 * for the frame around it.
		 */
		kept = set_line(names, &frames[i], i ? &inlined[i - 1].call : &line);
		if (kept && i < n)
			frames[i].function = keep_name(names, inlined[i].function);
		else if (kept)
			frames[i].function =
				functions_get(names->functions, function)->name;
		kept = kept && frames[i].function;
	}
	return kept ? n + 1 : 0;
}

int wm_names_frames_sized(struct wm_names *names, uint32_t space, uint64_t address,
			  uint32_t id, struct wm_frame *out, size_t bytes, size_t room,
			  size_t *n, struct wm_error *err)
{
	const struct question about = { space, id, address };
	struct wm_frame frames[SRCFRAMES_MAX + 1];
	int ret = check_space(names, space, err);

	*n = 0;
	if (ret)
		return ret;
	pthread_mutex_lock(&names->lock);
	*n = find_frames(names, &about, frames);
	pthread_mutex_unlock(&names->lock);
	/*
	 * *n is the number of frames there are, even when the caller has room for fewer.
	 */
	for (size_t i = 0; i < *n && i < room; i++)
		SIZED_PUT((char *)out + i * bytes, bytes, &frames[i]);
	return *n ? 0 : wm_fail_nomem(err, "names");
}
