// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Units come and go, and the memory of one becomes another's. They are kept sorted by where
 * they start; each knows how far the ones before it reach, so a search looks back only as
 * far as an address may still be covered.
 *
 * Notes are a traced program's words: what is malformed is an error of the file, and every
 * table is bounded by the bytes it was read from.
 *
 * Example: unit A at [100, 180) told by note 3, B at [120, 200) by note 9. Address 150 is
 * A's up to note 9, then B's; 110 stays A's, whose memory B took: no one asks for it.
 */
#include "managed/units.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"
#include "isa/python.h"
#include "trace/u64map.h"

/* ---- reading ------------------------------------------------------------- */

/*
 * Where things of a unit lie, while the memory that they lie in still grows: offsets in the
 * note's texts, kept in the pointers' place.
 */
struct reading {
	struct units *units;
	const struct runtime_rules *runtime; /* of a note of units or pieces */
	const struct python *python;	     /* as of struct unit */
	bool early;
	struct buf *texts;
	struct span span;
	size_t first; /* the first unit of the note */
	uint32_t space, note;
};

/* Takes of the memory that notes may need. A site has a byte in the file, and many here. */
static bool afford(struct reading *reading, uint64_t bytes)
{
	uint64_t *left = &reading->units->notes.left;

	reading->span.failed |= bytes > *left;
	*left -= reading->span.failed ? 0 : bytes;
	return !reading->span.failed;
}

static const void *at_offset(size_t offset)
{
	return (const void *)(uintptr_t)offset;
}

/* Copies a string, with a NUL, and returns its offset as a pointer. */
static const char *get_text(struct reading *reading)
{
	size_t bytes, offset = reading->texts->len;
	const uint8_t *text = note_string(&reading->span, &bytes);

	buf_put(reading->texts, text, bytes);
	buf_put_u8(reading->texts, 0);
	return at_offset(offset);
}

/* Tables of numbers are aligned for them. */
static void align(struct buf *texts)
{
	while (texts->len % sizeof(uint32_t))
		buf_put_u8(texts, 0);
}

static uint32_t get_u32(struct span *span)
{
	uint64_t value = span_varint(span);

	span->failed |= value > UINT32_MAX;
	return (uint32_t)value;
}

/* Adds what follows to a number, which stays one of 32 bits, or the span fails. */
static void get_step(struct span *span, uint64_t *number)
{
	*number += (uint64_t)unzigzag(span_varint(span));
	span->failed |= *number > UINT32_MAX;
}

static void get_lines(struct reading *reading, struct unit *unit)
{
	uint64_t offset = 0, line = 0;

	unit->n_lines = span_count(&reading->span, UINT32_MAX, 2);
	align(reading->texts);
	unit->lines = at_offset(reading->texts->len);
	for (uint32_t i = 0; i < unit->n_lines && !reading->span.failed; i++) {
		struct unit_line row;

		get_step(&reading->span, &offset);
		get_step(&reading->span, &line);
		row = (struct unit_line){ (uint32_t)offset, (uint32_t)line };
		buf_put(reading->texts, &row, sizeof(row));
	}
}

static void get_handlers(struct reading *reading, struct unit *unit)
{
	unit->n_handlers = span_count(&reading->span, UINT32_MAX, 3);
	align(reading->texts);
	unit->handlers = at_offset(reading->texts->len);
	for (uint32_t i = 0; i < unit->n_handlers && !reading->span.failed; i++) {
		struct unit_handler row;

		row.from = get_u32(&reading->span);
		row.to = get_u32(&reading->span);
		row.target = get_u32(&reading->span);
		buf_put(reading->texts, &row, sizeof(row));
	}
}

/* False: no memory. */
static bool get_unit(struct reading *reading)
{
	struct unit unit = { .space = reading->space,
			     .note = reading->note,
			     .language = reading->runtime->language,
			     .python = reading->python,
			     .gone = UINT32_MAX,
			     .early = reading->early };

	unit.start = span_varint(&reading->span);
	unit.bytes = span_varint(&reading->span);
	unit.name = get_text(reading);
	unit.detail = get_text(reading);
	unit.file = get_text(reading);
	get_lines(reading, &unit);
	get_handlers(reading, &unit);
	reading->span.failed |= unit.bytes > UINT32_MAX ||
				unit.start + unit.bytes < unit.start ||
				unit.bytes > span_left(&reading->span);
	if (reading->span.failed || !afford(reading, sizeof(unit)))
		return true;
	unit.code = span_bytes(&reading->span, unit.bytes);
	return APPEND(reading->units->all, reading->units->n, unit);
}

static int by_offset(const void *one, const void *other)
{
	const struct unit_line *a = one, *b = other;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* The note's texts do not move any more. */
static void settle(struct reading *reading)
{
	char *base = (char *)reading->texts->data;

	for (size_t i = reading->first; i < reading->units->n; i++) {
		struct unit *unit = &reading->units->all[i];

		unit->name = base + (uintptr_t)unit->name;
		unit->detail = base + (uintptr_t)unit->detail;
		unit->file = base + (uintptr_t)unit->file;
		unit->lines = (void *)(base + (uintptr_t)unit->lines);
		unit->handlers = (void *)(base + (uintptr_t)unit->handlers);
		if (unit->n_lines)
			qsort((void *)(uintptr_t)unit->lines, unit->n_lines,
			      sizeof(*unit->lines), by_offset);
	}
}

static bool get_units(struct reading *reading)
{
	bool good = true;

	while (good && span_left(&reading->span) && !reading->span.failed)
		good = get_unit(reading);
	good &= !reading->texts->failed;
	if (good)
		settle(reading);
	return good;
}

static bool get_pieces(struct reading *reading)
{
	struct units *units = reading->units;
	size_t first = units->n_pieces;
	uint64_t start = 0;
	bool good = true;

	while (good && span_left(&reading->span) && !reading->span.failed) {
		struct piece piece = { .space = reading->space };

		piece.start = start += span_varint(&reading->span);
		piece.bytes = span_varint(&reading->span);
		piece.opcode = (int32_t)unzigzag(span_varint(&reading->span));
		piece.name = get_text(reading);
		if (!afford(reading, sizeof(piece)))
			break;
		good = APPEND(units->pieces, units->n_pieces, piece);
	}
	good &= !reading->texts->failed;
	for (size_t i = first; good && i < units->n_pieces; i++) {
		struct piece *piece = &units->pieces[i];

		piece->name = (const char *)reading->texts->data + (uintptr_t)piece->name;
		piece->role = runtime_role(reading->runtime, piece->name, piece->opcode);
	}
	return good;
}

static bool get_sites(struct reading *reading)
{
	struct units *units = reading->units;
	uint64_t address = 0;
	bool good = true;

	while (good && span_left(&reading->span) && !reading->span.failed) {
		address += span_varint(&reading->span);
		if (!afford(reading, sizeof(struct unit_site)))
			break;
		good = APPEND(units->sites, units->n_sites,
			      ((struct unit_site){ reading->space, address }));
	}
	return good;
}

/*
 * What the notes up to one said of each space. They are looked at once: a program may make a million
 * units, each with a note of its own.
 */
struct said {
	struct u64map runtimes; /* one more than the index of the last note of a runtime */
	struct u64map units;	/* not 0: there was a note of units */
};

/* What runs in a space: by the last note that says so. */
static void find_runtime(struct reading *reading, const struct said *said)
{
	uint32_t last = u64map_get(&said->runtimes, reading->space);
	const uint8_t *name = NULL, *version = NULL;
	size_t name_bytes = 0, version_bytes = 0;

	if (last) {
		const struct trace_note *note = &reading->units->notes.notes[last - 1];
		struct span span = span_of(note->data, note->bytes);

		name = note_string(&span, &name_bytes);
		version = note_string(&span, &version_bytes);
	}
	reading->runtime = runtime_find(name, name_bytes);
	reading->python = reading->runtime->language == UNIT_PYTHON ?
				  python_find(version, version_bytes) :
				  NULL;
}

/*
 * Whether units of that note were there before. A runtime that is not late tells all it has
 * with its first note of units.
 */
static bool is_early(const struct reading *reading, const struct said *said)
{
	return reading->runtime->is_late || !u64map_get(&said->units, reading->space);
}

/* False: no memory. */
static bool note_said(struct said *said, const struct trace_note *note, uint32_t index)
{
	struct u64map *map = note->kind == NOTE_RUNTIME ? &said->runtimes :
			     note->kind == NOTE_UNIT	? &said->units :
							  NULL;
	uint32_t *last = map ? u64map_at(map, note->space) : NULL;

	if (last)
		*last = index + 1;
	return !map || last;
}

static int read_note(struct units *units, struct said *said, uint32_t index,
		     struct wm_error *err)
{
	const struct trace_note *note = &units->notes.notes[index];
	struct reading reading = { .units = units,
				   .texts = &units->texts[index],
				   .span = span_of(note->data, note->bytes),
				   .first = units->n,
				   .space = note->space,
				   .note = index };
	bool good = true;

	if (note->kind == NOTE_UNIT || note->kind == NOTE_DISPATCH)
		find_runtime(&reading, said);
	if (note->kind == NOTE_UNIT) {
		reading.early = is_early(&reading, said);
		good = get_units(&reading);
	}
	if (note->kind == NOTE_DISPATCH)
		good = get_pieces(&reading);
	if (note->kind == NOTE_SITES)
		good = get_sites(&reading);
	units->step |= note->kind == NOTE_STEPS;
	if (!good || !note_said(said, note, index))
		return wm_fail_nomem(err, "methods");
	return reading.span.failed ?
		       wm_fail(err, WM_E_DAMAGED, 0,
			       "a note about methods is malformed, or has more "
			       "than a file of this size may") :
		       0;
}

/* ---- order --------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_start(const void *one, const void *other)
{
	const struct unit *a = one, *b = other;
	int order = compare(a->space, b->space);

	order = order ? order : compare(a->start, b->start);
	return order ? order : compare(a->note, b->note);
}

static int piece_by_start(const void *one, const void *other)
{
	const struct piece *a = one, *b = other;
	int order = compare(a->space, b->space);

	return order ? order : compare(a->start, b->start);
}

static int site_by_address(const void *one, const void *other)
{
	const struct unit_site *a = one, *b = other;
	int order = compare(a->space, b->space);

	return order ? order : compare(a->address, b->address);
}

/* Of sorted units: how far they reach, and which are alone. */
static void compare_neighbours(struct units *units)
{
	uint64_t reach = 0;

	for (size_t i = 0; i < units->n; i++) {
		struct unit *unit = &units->all[i];
		uint64_t end = unit->start + unit->bytes;
		bool is_first = !i || unit[-1].space != unit->space;
		bool is_last = i + 1 == units->n || unit[1].space != unit->space;

		unit->alone = (is_first || reach <= unit->start) &&
			      (is_last || end <= unit[1].start);
		if (is_first || end > reach)
			reach = end;
		unit->reach = reach;
	}
}

static void sort_all(struct units *units)
{
	if (units->n)
		qsort(units->all, units->n, sizeof(*units->all), by_start);
	compare_neighbours(units);
	if (units->n_pieces)
		qsort(units->pieces, units->n_pieces, sizeof(*units->pieces),
		      piece_by_start);
	if (units->n_sites)
		qsort(units->sites, units->n_sites, sizeof(*units->sites),
		      site_by_address);
}

/* The unit that starts there, of those told before a note; NULL: none. */
static struct unit *find_start(const struct units *units, uint32_t space, uint64_t start,
			       uint32_t note)
{
	struct unit *all = units->all;
	size_t i = BISECT(units->n, k,
			  all[k].space < space ||
				  (all[k].space == space &&
				   (all[k].start < start ||
				    (all[k].start == start && all[k].note < note))));

	if (!i || all[i - 1].space != space || all[i - 1].start != start)
		return NULL;
	return &all[i - 1];
}

/* Units whose end a note reports. What is malformed in such a note ends it. */
static void read_ends(struct units *units)
{
	for (uint32_t i = 0; i < units->notes.n; i++) {
		const struct trace_note *note = &units->notes.notes[i];
		struct span span = span_of(note->data, note->bytes);

		while (note->kind == NOTE_UNIT_GONE && span_left(&span) && !span.failed) {
			struct unit *unit =
				find_start(units, note->space, span_varint(&span), i);

			if (unit && !span.failed && unit->gone == UINT32_MAX)
				unit->gone = i;
		}
	}
}

static int read_notes(struct units *units, struct wm_error *err)
{
	struct said said = { .runtimes = { .cells = NULL } };
	int ret = u64map_init(&said.runtimes) | u64map_init(&said.units) ?
			  wm_fail_nomem(err, "methods") :
			  0;

	for (uint32_t i = 0; !ret && i < units->notes.n; i++)
		ret = read_note(units, &said, i, err);
	u64map_fini(&said.runtimes);
	u64map_fini(&said.units);
	return ret;
}

int units_take(struct units *units, struct wm_error *err)
{
	int ret;

	units->texts = calloc(units->notes.n, sizeof(*units->texts));
	if (!units->texts)
		return wm_fail_nomem(err, "methods");
	units->n_texts = units->notes.n;
	ret = read_notes(units, err);
	sort_all(units);
	read_ends(units);
	return ret;
}

int units_read(struct units *units, const struct wm_trace *trace, struct wm_error *err)
{
	int ret;

	*units = (struct units){ .n = 0 };
	ret = notes_trace_read(&units->notes, trace, err);
	if (!ret && units->notes.n)
		ret = units_take(units, err);
	if (!ret && units->notes.n)
		ret = compiled_read(&units->compiled, &units->notes, trace, err);
	return ret;
}

void units_fini(struct units *units)
{
	for (size_t i = 0; i < units->n_texts; i++)
		buf_fini(&units->texts[i]);
	free(units->texts);
	free(units->all);
	free(units->pieces);
	free(units->sites);
	compiled_fini(&units->compiled);
	notes_trace_fini(&units->notes);
	*units = (struct units){ .n = 0 };
}

/* ---- questions ----------------------------------------------------------- */

static bool holds(uint64_t start, uint64_t bytes, uint64_t address)
{
	return address - start < bytes;
}

/* Whether `unit` is a better answer than `best`, both holding the address. */
static bool is_better(const struct unit *unit, const struct unit *best, size_t notes)
{
	if (!best)
		return true;
	if (unit->note < notes)
		return best->note >= notes || unit->note > best->note;
	return best->note >= notes && unit->note < best->note;
}

static bool is_there(const struct unit *unit, size_t notes)
{
	return unit->gone >= notes && (unit->note < notes || unit->early);
}

const struct unit *units_find(const struct units *units, uint32_t space, uint64_t address,
			      size_t notes)
{
	const struct unit *all = units->all, *best = NULL;
	size_t i = BISECT(units->n, k,
			  all[k].space < space ||
				  (all[k].space == space && all[k].start <= address));

	for (; i-- && all[i].space == space && all[i].reach > address;)
		if (holds(all[i].start, all[i].bytes, address) &&
		    is_there(&all[i], notes) && is_better(&all[i], best, notes))
			best = &all[i];
	return best;
}

const struct unit *units_find_near(const struct units *units, uint32_t space,
				   uint64_t address, size_t notes,
				   const struct unit *near)
{
	if (near && near->alone && near->space == space &&
	    holds(near->start, near->bytes, address) && is_there(near, notes))
		return near;
	return units_find(units, space, address, notes);
}

const struct piece *units_piece(const struct units *units, uint32_t space,
				uint64_t address)
{
	const struct piece *all = units->pieces;
	size_t i = BISECT(units->n_pieces, k,
			  all[k].space < space ||
				  (all[k].space == space && all[k].start <= address));

	if (!i || all[i - 1].space != space)
		return NULL;
	return holds(all[i - 1].start, all[i - 1].bytes, address) ? &all[i - 1] : NULL;
}

bool units_has_pieces(const struct units *units, uint32_t space)
{
	size_t i = BISECT(units->n_pieces, k, units->pieces[k].space < space);

	return i < units->n_pieces && units->pieces[i].space == space;
}

bool units_is_site(const struct units *units, uint32_t space, uint64_t address)
{
	const struct unit_site *all = units->sites;
	size_t i = BISECT(units->n_sites, k,
			  all[k].space < space ||
				  (all[k].space == space && all[k].address < address));

	return i < units->n_sites && all[i].space == space && all[i].address == address;
}
