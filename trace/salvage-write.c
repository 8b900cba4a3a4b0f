// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes the new file, and describes in words what was lost.
 *
 * Sections are copied as they are stored. A chunk is changed only in the offset of its
 * path, when the path has moved. What was lost is recorded twice: for programs by chunks
 * without a path, for people in a META ("lost") and in ENDS.
 *
 * Invariant: the prefix of a file is the part that the plan leaves where it is. Example:
 * only the trailer is lost; all sections stay at their offsets, the prefix is the whole
 * file, and a resumed writer appends just the end.
 */
#include "trace/salvage-write.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "format/values_strings.h"
#include "trace/salvage-fill.h"

enum {
	LINE_BYTES = 200,
	LINES_MAX = 100,      /* of each kind, in META "lost" */
	BEFORE_MAX = 1 << 16, /* bytes of an earlier recovery's lines */
	LEVEL = 3,	      /* zstd, of sections that are compressed again */
};

bool salvage_is_whole(const struct salvage *salvage)
{
	return !salvage->header && !salvage->end && !salvage->place_count &&
	       salvage->ended;
}

/*
 * Whether the recorder's own ENDS stays: nothing is lost. Otherwise a new one says what
 * is.
 */
static bool keeps_end(const struct salvage *salvage)
{
	return salvage->ended && !salvage->place_count;
}

static bool is_kept(const struct salvage *salvage, const struct step *step)
{
	/* A path without a kept chunk would only take space. */
	if (step->kind == STEP_PATH)
		return step->users > 0;
	if (step->kind == STEP_VALUES)
		return salvage->work->steps[step->path].users > 0;
	return step->kind != STEP_COPY || step->piece->section.type != SECTION_ENDS ||
	       keeps_end(salvage);
}

/* ---- what stays where it is ---------------------------------------------- */

/* Whether the step's section can stay unchanged at `off` of the old file. */
static bool is_in_place(const struct step *step, uint64_t off)
{
	return step->kind != STEP_MADE && step->piece->section.off == off &&
	       (step->kind != STEP_CHUNK || step->same);
}

uint64_t salvage_prefix(const struct salvage *salvage)
{
	const struct salvage_work *work = salvage->work;
	/*
	 * The sections of a whole prefix follow each other without holes, from the
	 * header's end on.
	 */
	uint64_t off = FILE_HEADER_BYTES;

	/* The header itself must be rewritten. */
	if (salvage->header)
		return 0;
	for (size_t i = 0; i < work->step_count; i++) {
		const struct step *step = &work->steps[i];

		if (!is_kept(salvage, step))
			continue;
		if (!is_in_place(step, off))
			return 0;
		/*
		 * A section that is not kept leaves a hole here, so the next one is not
		 * in place.
		 */
		off += step->piece->bytes;
	}
	return off;
}

/* ---- words --------------------------------------------------------------- */

static void describe_type(const struct salvage_place *place, char text[40])
{
	char name[5] = { 0 };

	/*
	 * The four bytes of a type are its name, the lowest first: 0x4b4e4843 is "CHNK".
	 * Types come from the file, and the text goes to a terminal.
	 */
	for (unsigned i = 0; i < 4; i++) {
		name[i] = (char)(place->section.type >> 8 * i);
		if (name[i] <= ' ' || name[i] > '~')
			name[i] = '?';
	}
	snprintf(text, 40, "%s%s", place->section.type ? name : "of an unknown type",
		 place->section.type && salvage_has_more(place) ? " and more" : "");
}

void salvage_describe_place(const struct salvage *salvage, size_t index, char *text,
			    size_t size)
{
	const struct salvage_place *place = &salvage->places[index];
	uint64_t whole = section_end(&place->section) - place->section.off;
	char type[40], of[40] = "";

	describe_type(place, type);
	/* The header claims more bytes than there are: the section was cut short. */
	if (whole > place->bytes && place->section.type)
		snprintf(of, sizeof(of), " of %" PRIu64, whole);
	snprintf(text, size,
		 "section %zu, %s, at byte %" PRIu64 " (%" PRIu64 "%s bytes): %s",
		 place->ordinal, type, place->section.off, place->bytes, of, place->why);
}

void salvage_describe_ids(const struct salvage_ids *ids, char *text, size_t size)
{
	snprintf(text, size, "the definitions of blocks %u to %u", ids->first, ids->last);
}

void salvage_describe_loss(const struct salvage_loss *loss, char *text, size_t size)
{
	char insns[60] = "no instruction";

	/*
	 * Ordinals are printed as first and last, both included, as --from takes the
	 * first.
	 */
	if (loss->insns)
		snprintf(insns, sizeof(insns), "instructions %" PRIu64 " to %" PRIu64,
			 loss->first_insn, loss->first_insn + loss->insns - 1);
	snprintf(text, size, "thread %u, chunk %u: blocks %" PRIu64 " to %" PRIu64 ", %s",
		 loss->stream, loss->chunk, loss->first_block,
		 loss->first_block + loss->blocks - 1, insns);
}

/* Appends to text[size]. */
__attribute__((format(printf, 3, 4))) static void say(char *text, size_t size,
						      const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

/* The reason in ENDS: why the new file has less than what ran. */
static void describe_cut(const struct salvage *salvage, char *text, size_t size)
{
	uint64_t blocks = 0;

	/* Losses of threads, not of sections: a section of names has no blocks. */
	for (size_t i = 0; i < salvage->loss_count; i++)
		blocks += salvage->losses[i].blocks;
	*text = 0;
	if (salvage->cut)
		say(text, size, "%s; ", salvage->cut);
	if (!salvage->ended)
		say(text, size, "%s; ",
		    salvage->end ? salvage->end :
				   "there is no record of how the recording ended");
	say(text, size, "recovered");
	if (salvage->place_count)
		say(text, size, " without %zu damaged section%s", salvage->place_count,
		    salvage->place_count == 1 ? "" : "s");
	if (blocks)
		say(text, size, ", %" PRIu64 " blocks are lost", blocks);
}

static void put_line(struct buf *lines, const char *text)
{
	if (lines->len)
		buf_put(lines, "\n", 1);
	buf_put(lines, text, strlen(text));
}

/* A line for each loss, as far as known, after the lines of an earlier recovery. */
static void put_lines(struct buf *lines, const struct salvage *salvage)
{
	/* A file may be recovered twice; lines of the first time stay, within a bound. */
	const char *before = wm_trace_meta(salvage->work->trace, "lost");
	char text[LINE_BYTES];

	if (before && strlen(before) < BEFORE_MAX)
		put_line(lines, before);
	for (size_t i = 0; i < salvage->place_count && i < LINES_MAX; i++) {
		salvage_describe_place(salvage, i, text, sizeof(text));
		put_line(lines, text);
	}
	for (size_t i = 0; i < salvage->ids_count && i < LINES_MAX; i++) {
		salvage_describe_ids(&salvage->ids[i], text, sizeof(text));
		put_line(lines, text);
	}
	for (size_t i = 0; i < salvage->loss_count && i < LINES_MAX; i++) {
		salvage_describe_loss(&salvage->losses[i], text, sizeof(text));
		put_line(lines, text);
	}
	buf_put_u8(lines, 0);
}

/* ---- sections ------------------------------------------------------------ */

/* Copies a section of the old file as it is stored, and checks it again. */
static int copy(const struct reader *reader, struct writer *writer, struct step *step,
		struct wm_error *err)
{
	struct buf stored = BUF_INIT;
	struct section section;
	int ret = reader_check(reader, step->piece->section.off, &section, &stored, err);

	if (!ret)
		ret = writer_put_stored(writer, &section, &stored, &step->off, err);
	buf_fini(&stored);
	return ret;
}

/* A CHNK or a VALS, whose path's offset is `at` bytes from the payload's start. */
static int put_with_path(const struct salvage_work *work, struct writer *writer,
			 struct step *step, size_t at, struct wm_error *err)
{
	const struct section *section = &step->piece->section;
	/* A path that moved has a new offset, which the chunk must name. */
	uint64_t path_off = step->path == NO_STEP ? 0 : work->steps[step->path].off;
	struct buf payload = BUF_INIT;
	struct span old;
	int ret = reader_read(work->trace->reader, section, &payload, err);

	if (!ret) {
		old = span_of(payload.data + at, sizeof(path_off));
		/* Unchanged: copied as it is stored, without compressing it again. */
		if (span_u64(&old) == path_off)
			ret = copy(work->trace->reader, writer, step, err);
		else {
			put_u64(payload.data + at, path_off);
			ret = writer_put(writer, section->type, &payload,
					 section->flags & SECTION_ZSTD ? LEVEL : 0,
					 &step->off, err);
		}
	}
	buf_fini(&payload);
	return ret;
}

static int put_step(const struct salvage_work *work, struct writer *writer,
		    struct step *step, struct wm_error *err)
{
	switch (step->kind) {
	case STEP_CHUNK:
		return put_with_path(work, writer, step, CHUNK_PATH_OFF_AT, err);
	case STEP_VALUES:
		return put_with_path(work, writer, step, VALS_PATH_OFF_AT, err);
	case STEP_MADE:
		return writer_put(writer, step->type, &step->made, LEVEL, &step->off,
				  err);
	default:
		return copy(work->trace->reader, writer, step, err);
	}
}

static int put_end(const struct salvage *salvage, struct writer *writer,
		   struct wm_error *err)
{
	struct buf payload = BUF_INIT, lines = BUF_INIT;
	char cut[4 * LINE_BYTES];
	int ret = 0;

	/*
	 * Only damaged places make a "lost" fact; a missing end alone is stated in ENDS.
	 */
	if (salvage->place_count) {
		put_lines(&lines, salvage);
		/* A fact is a text that ends with a NUL, which put_lines() has added. */
		if (!lines.failed)
			meta_put(&payload, "lost", (const char *)lines.data);
		payload.failed |= lines.failed;
		ret = writer_put(writer, SECTION_META, &payload, 0, NULL, err);
		payload.len = 0;
	}
	if (!ret) {
		describe_cut(salvage, cut, sizeof(cut));
		end_put(&payload, cut);
		ret = writer_put(writer, SECTION_ENDS, &payload, 0, NULL, err);
	}
	buf_fini(&lines);
	buf_fini(&payload);
	return ret;
}

int salvage_write(struct salvage *salvage, struct writer *writer, bool resumed,
		  struct wm_error *err)
{
	struct salvage_work *work = salvage->work;
	int ret = 0;

	if (!resumed)
		ret = writer_set_features(writer, salvage->features, err);
	for (size_t i = 0; !ret && i < work->step_count; i++) {
		struct step *step = &work->steps[i];

		if (!is_kept(salvage, step))
			continue;
		/* In place: the section is where it belongs, and is only listed. */
		if (resumed)
			ret = writer_keep(writer, &step->piece->section, err);
		else
			ret = put_step(work, writer, step, err);
	}
	/* Cuts off what is after the prefix, before the new end is written. */
	if (!ret && resumed)
		ret = writer_cut(writer, err);
	if (!ret && !keeps_end(salvage))
		ret = put_end(salvage, writer, err);
	return ret;
}
