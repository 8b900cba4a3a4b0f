// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decides for each instruction of a run whether it is one of two positions, which bound a
 * part of the run.
 *
 * A symbol or a line is looked up in the files of the guest, as `record` does it, and
 * kept as (file, offset in the file): the same file may be mapped at several addresses,
 * and at other ones in the other run. When a file is missing, the symbols and lines
 * that were packed into the trace are used. Example: qsort+8 in a libc.so.6 that is mapped at
 * 0x40000000 and at 0x50000000 is one entry, which both mappings match.
 *
 * Markers are instructions with an encoding of their own. In a trace they are recognised
 * in the block that ran; a log has only addresses, so for logs the blocks of the trace
 * say at which addresses markers are.
 */
#include "query/landing.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/error.h"
#include "isa/marker.h"
#include "program/demangle.h"
#include "program/landmarks.h"
#include "program/packed.h"
#include "program/suggest.h"
#include "trace/trace.h"

/*
 * An instruction to look for: an offset in a file, or for markers (file 0) an address.
 * `bits` are REACH_FROM and REACH_TO: one instruction can be both.
 */
struct spot_at {
	uint32_t file;
	uint32_t bits;
	uint64_t at;
};

struct spots_at {
	struct spot_at *all; /* [n], sorted */
	size_t n;
};

struct landing {
	const struct source *source;
	const struct position *positions[2]; /* from, to */
	struct spots_at code, markers;
	struct landmark_find finds[2];
	enum marker_isa isa;
};

static bool has_kind(const struct landing *landing, enum position_kind kind)
{
	return landing->positions[0]->kind == kind || landing->positions[1]->kind == kind;
}

static bool is_named(const struct position *position)
{
	return position->kind == POSITION_SYMBOL || position->kind == POSITION_LINE;
}

/* ---- sets of places ------------------------------------------------------ */

static int by_place(const void *a, const void *b)
{
	const struct spot_at *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/*
 * Sorts the places and joins those that are equal, so that bsearch() finds all bits at
 * once.
 */
static void put_in_order(struct spots_at *spots)
{
	size_t n = 0;

	if (spots->n)
		qsort(spots->all, spots->n, sizeof(*spots->all), by_place);
	for (size_t i = 0; i < spots->n; i++) {
		if (n && !by_place(&spots->all[n - 1], &spots->all[i]))
			spots->all[n - 1].bits |= spots->all[i].bits;
		else
			spots->all[n++] = spots->all[i];
	}
	spots->n = n;
}

/* Called for each instruction of a run, hence the binary search. */
static unsigned find_in(const struct spots_at *spots, uint32_t file, uint64_t at)
{
	struct spot_at key = { .file = file, .at = at };
	const struct spot_at *found =
		spots->n ? bsearch(&key, spots->all, spots->n, sizeof(key), by_place) :
			   NULL;

	return found ? found->bits : 0;
}

static bool add(struct spots_at *spots, uint32_t file, uint64_t at, unsigned bits)
{
	struct spot_at spot = { file, bits, at };

	return APPEND(spots->all, spots->n, spot);
}

/* ---- names --------------------------------------------------------------- */

/* A landmark is what the recorder calls such a place. */
static struct landmark landmark_of(const struct position *position,
				   enum order_sense sense)
{
	return (struct landmark){
		.kind = position->kind == POSITION_LINE ? LANDMARK_LINE : LANDMARK_SYMBOL,
		.module = position->module,
		.name = position->name,
		.value = position->value,
		.sense = sense,
	};
}

/* Adds what was found in one file to what was found in all. */
static void add_find(struct landmark_find *all, const struct landmark_find *find)
{
	all->places += find->places;
	all->bytes |= find->bytes;
	all->source |= find->source;
	if (find->below > all->below)
		all->below = find->below;
	if (find->above && (!all->above || find->above < all->above))
		all->above = find->above;
	if (find->near_edits &&
	    (!all->near_edits || find->near_edits < all->near_edits)) {
		all->near_edits = find->near_edits;
		strcpy(all->near, find->near);
	}
}

/* What the trace has of the lines of a file that is not there. */
static bool find_packed_lines(struct landing *landing, uint32_t file,
			      const struct landmark *landmarks, unsigned n,
			      struct landmark_find *finds, struct order_place **places,
			      size_t *n_places)
{
	struct symbols *symbols = landing->source->symbols;
	struct interner sources = INTERNER_INIT;
	struct packed *packed = n ? symbols_packed(symbols, file, &sources) : NULL;
	const char *build_id;
	bool good = true;

	*places = NULL;
	*n_places = 0;
	if (packed)
		good = landmarks_find_lines(landmarks, n, packed, &sources,
					    symbols_file(symbols, file, &build_id), finds,
					    places, n_places);
	packed_free(packed);
	interner_fini(&sources);
	return good;
}

/*
 * Searches a file for both positions at once: reading debugging information is expensive.
 * `of` maps the landmarks back to the positions they came from. Without the file (`fd` is -1)
 * only lines are searched for.
 */
static bool find_in_file(struct landing *landing, uint32_t file, int fd, const char *path,
			 const char *build_id)
{
	struct landmark landmarks[2];
	struct landmark_find finds[2] = { { .places = 0 } };
	unsigned of[2], n = 0;
	struct order_place *places;
	size_t n_places;
	bool good;

	for (unsigned i = 0; i < 2; i++)
		if (fd < 0 ? landing->positions[i]->kind == POSITION_LINE :
			     is_named(landing->positions[i])) {
			landmarks[n] = landmark_of(landing->positions[i],
						   i ? ORDER_TO : ORDER_FROM);
			of[n++] = i;
		}
	good = fd < 0 ? find_packed_lines(landing, file, landmarks, n, finds, &places,
					  &n_places) :
			landmarks_find(landmarks, n, fd, path, build_id, finds, &places,
				       &n_places);
	for (size_t i = 0; good && i < n_places; i++)
		good = add(&landing->code, file, places[i].start,
			   places[i].sense == ORDER_TO ? REACH_TO : REACH_FROM);
	free(places);
	for (unsigned i = 0; i < n; i++) {
		/*
		 * Sums over all files: a symbol may be in several, and check_found()
		 * needs one.
		 */
		add_find(&landing->finds[of[i]], &finds[i]);
	}
	return good;
}

/*
 * Searches the names that the trace has of a file that is not there. The offset must be within the symbol, as it must in the file.
 */
static bool find_packed(struct landing *landing, unsigned index, uint32_t file,
			const char *path)
{
	const struct position *position = landing->positions[index];
	struct symbol_range range;
	bool good = true;

	if (position->kind != POSITION_SYMBOL ||
	    (position->module && !landmarks_fit_file(position->module, path)))
		return true;
	for (uint32_t i = 0;
	     good && symbols_at(landing->source->symbols, file, i, &range); i++) {
		if (demangle_names(range.name, position->name) &&
		    position->value < range.end - range.start) {
			good = add(&landing->code, file, range.start + position->value,
				   index ? REACH_TO : REACH_FROM);
			landing->finds[index].places++;
		}
	}
	return good;
}

/*
 * symbols_open() refuses a file that changed since the recording: its offsets would be
 * wrong.
 */
static int find_names(struct landing *landing, struct wm_error *err)
{
	struct symbols *symbols = landing->source->symbols;
	bool good = true;

	if (!is_named(landing->positions[0]) && !is_named(landing->positions[1]))
		return 0;
	for (uint32_t file = 0; good && file < symbols_files(symbols); file++) {
		const char *build_id, *path = symbols_file(symbols, file, &build_id);
		int fd = symbols_open(symbols, file);

		good = find_in_file(landing, file, fd, path, build_id);
		if (fd >= 0)
			close(fd);
		else if (good)
			good = find_packed(landing, 0, file, path) &&
			       find_packed(landing, 1, file, path);
	}
	put_in_order(&landing->code);
	return good ? 0 : wm_fail_nomem(err, "places");
}

/* The advice is about the file, then about its lines. */
static int no_line(const struct position *position, const struct landmark_find *find,
		   struct wm_error *err)
{
	unsigned long long line = position->value;

	if (find->source && (find->below || find->above))
		return wm_fail(
			err, WM_E_RANGE, 0,
			"%.80s has no code in line %llu; the nearest line with code "
			"%s %u",
			position->name, line, find->below ? "before is" : "after is",
			find->below ? find->below : find->above);
	if (*find->near)
		return wm_fail(err, WM_E_RANGE, 0,
			       "no code of the run is known to come from %.80s; did you "
			       "mean \"%s\"?",
			       position->name, find->near);
	return wm_fail(err, WM_E_RANGE, 0,
		       "no code of the run is known to come from line %llu of %.80s; was "
		       "it compiled with -g?",
		       line, position->name);
}

/* A position that no file has is an error with the most likely reason. */
static int check_found(const struct landing *landing, unsigned index,
		       struct wm_error *err)
{
	const struct position *position = landing->positions[index];
	const struct landmark_find *find = &landing->finds[index];
	unsigned long long value = position->value;
	char near[SUGGEST_TEXT];

	if (!is_named(position) || find->places)
		return 0;
	if (position->kind == POSITION_LINE)
		return no_line(position, find, err);
	if (find->bytes)
		return wm_fail(err, WM_E_RANGE, 0,
			       "%.60s has %llu bytes: byte %llu is after its end",
			       position->name, (unsigned long long)find->bytes, value);
	return wm_fail(err, WM_E_RANGE, 0, "no file of the run has a symbol \"%.60s\"%s",
		       position->name,
		       suggest_function(near, landing->source->symbols, position->name));
}

/* ---- markers ------------------------------------------------------------- */

/* A begin is bounded by points and begins, an end by points and ends, as in scope.c. */
static unsigned marker_bits(const struct landing *landing, const uint8_t *code,
			    unsigned size)
{
	struct marker marker;
	unsigned bits = 0;

	if (!marker_find(landing->isa, code, size, &marker))
		return 0;
	for (unsigned i = 0; i < 2; i++) {
		const struct position *position = landing->positions[i];
		/* The kind that does not match this bound. */
		uint32_t other = i ? WM_MARKER_BEGIN : WM_MARKER_END;

		if (position->kind == POSITION_MARKER && position->value == marker.id &&
		    marker.what != other)
			bits |= i ? REACH_TO : REACH_FROM;
	}
	return bits;
}

/*
 * Scans all blocks once; needed for logs only, but cheap: a trace has far fewer blocks
 * than executions.
 */
static int find_markers(struct landing *landing, struct wm_error *err)
{
	struct wm_block block;
	bool good = true;

	if (!has_kind(landing, POSITION_MARKER))
		return 0;
	for (uint32_t id = 1; good && !wm_trace_block(landing->source->trace, id, &block);
	     id++)
		for (uint32_t i = 0, off = 0; good && i < block.insns;
		     off += block.sizes[i++]) {
			unsigned bits =
				marker_bits(landing, block.code + off, block.sizes[i]);

			good = !bits ||
			       add(&landing->markers, 0, block.address + off, bits);
		}
	put_in_order(&landing->markers);
	return good ? 0 : wm_fail_nomem(err, "places");
}

/*
 * The marker at an address of a block that ran, which is certain: another block may have
 * had other code at the same address.
 */
static unsigned marker_in(const struct landing *landing, uint32_t id, uint64_t address)
{
	struct wm_block block;
	uint32_t i = 0, off = 0;

	if (wm_trace_block(landing->source->trace, id, &block))
		return 0;
	while (i < block.insns && block.address + off < address)
		off += block.sizes[i++];
	return i < block.insns && block.address + off == address ?
		       marker_bits(landing, block.code + off, block.sizes[i]) :
		       0;
}

/* ---- all of it ----------------------------------------------------------- */

int landing_new(struct landing **out, const struct source *source,
		const struct position *from, const struct position *to,
		struct wm_error *err)
{
	struct landing *landing = calloc(1, sizeof(*landing));
	const char *isa = wm_trace_meta(source->trace, "guest-isa");
	int ret;

	*out = landing;
	if (!landing)
		return wm_fail_nomem(err, "places");
	landing->source = source;
	landing->positions[0] = from;
	landing->positions[1] = to;
	landing->isa = isa ? marker_isa(isa) : MARKER_NONE;
	/*
	 * The blocks are read here, where an error can be reported: landing_at() returns
	 * none.
	 */
	ret = trace_load(source->trace, err);
	if (!ret)
		ret = find_names(landing, err);
	for (unsigned i = 0; !ret && i < 2; i++)
		ret = check_found(landing, i, err);
	if (!ret)
		ret = find_markers(landing, err);
	if (ret) {
		landing_free(landing);
		*out = NULL;
	}
	return ret;
}

void landing_free(struct landing *landing)
{
	if (!landing)
		return;
	free(landing->code.all);
	free(landing->markers.all);
	free(landing);
}

/* Addresses, files and markers are tested in this order of cost. */
unsigned landing_at(const struct landing *landing, uint32_t space, uint32_t id,
		    uint64_t address)
{
	const struct position *from = landing->positions[0], *to = landing->positions[1];
	struct origin origin;
	unsigned bits = 0;

	if (from->kind == POSITION_ADDRESS && from->value == address)
		bits |= REACH_FROM;
	if (to->kind == POSITION_ADDRESS && to->value == address)
		bits |= REACH_TO;
	if (landing->code.n &&
	    symbols_origin(landing->source->symbols, space, address, id, &origin))
		bits |= find_in(&landing->code, origin.file, origin.file_off);
	if (landing->markers.n)
		bits |= id ? marker_in(landing, id, address) :
			     find_in(&landing->markers, 0, address);
	return bits;
}
