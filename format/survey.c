// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists everything in a file: intact sections, and the damaged places between them.
 *
 * An intact table of contents has where each section is, even when the sections are
 * damaged. Without it, sections are found one after the other, as a reader finds them.
 * After a damaged one, the next is where the damaged one ends by its header, or else at
 * the next place where a known type, possible sizes and a checksum agree.
 *
 * Invariant: pieces are adjacent and in order. A damaged piece extends to the next intact
 * section, so it can stand for several lost ones. Example: of sections A B C D the header
 * of B is overwritten; the pieces are A, then B with the bytes of B, then C and D.
 *
 * A hostile file can have many places that look like large sections. The bytes that are
 * read without success (`vain`) are therefore bounded by the size of the file.
 */
#include "format/survey.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

/*
 * WINDOW: bytes of the file that are searched at a time. VAIN_RATIO: how many times the
 * size of the file may be read in vain.
 */
enum { WINDOW = 1 << 16, VAIN_RATIO = 16 };

static const char too_much[] = "more is compressed into this file than a trace has";

struct search {
	struct survey *survey;
	const struct reader *reader;
	struct buf stored;
	uint64_t vain;	  /* bytes that may still be read without success */
	uint64_t packed;  /* bytes that further sections may still unpack to */
	uint64_t toc_off; /* from the trailer; 0: the last bytes are no trailer */
};

void survey_fini(struct survey *survey)
{
	free(survey->pieces);
	*survey = (struct survey){ 0 };
}

const struct piece *survey_find(const struct survey *survey, uint64_t off)
{
	size_t at = BISECT(survey->count, i, survey->pieces[i].section.off < off);

	return at < survey->count && survey->pieces[at].section.off == off ?
		       &survey->pieces[at] :
		       NULL;
}

static int add(struct search *search, const struct section *section, uint64_t bytes,
	       const char *why, struct wm_error *err)
{
	struct survey *survey = search->survey;

	if (!why && section->flags & SECTION_ZSTD)
		search->packed -= section->raw;
	if (survey->count == survey->allocated) {
		size_t n = survey->allocated * 2 + 64;
		struct piece *grown = reallocarray(survey->pieces, n, sizeof(*grown));

		if (!grown)
			return wm_fail_nomem(err, "the list of sections");
		survey->pieces = grown;
		survey->allocated = n;
	}
	survey->pieces[survey->count++] = (struct piece){ *section, bytes, why };
	return 0;
}

/*
 * Checks the section at `off`. *why is what is wrong with it; NULL: it is intact. The
 * result is negative only when the check itself failed: no memory, or the file cannot be
 * read.
 */
static int check(struct search *search, uint64_t off, struct section *section,
		 const char **why, struct wm_error *err)
{
	struct wm_error fault = { 0 };

	*why = NULL;
	if (!reader_check(search->reader, off, section, &search->stored, &fault)) {
		if (section->flags & SECTION_ZSTD && section->raw > search->packed)
			*why = too_much;
		return 0;
	}
	if (fault.code != WM_E_DAMAGED)
		return wm_fail(err, fault.code, fault.offset, "%s", fault.text);
	/*
	 * The sizes of a plausible header are believed here: they only select the
	 * message.
	 */
	if (section_end(section) > reader_bytes(search->reader))
		*why = "it is cut short";
	else if (!section->type)
		*why = "its header is damaged";
	else
		*why = "it does not match its checksum";
	return 0;
}

/* ---- by the table of contents -------------------------------------------- */

/*
 * Whether there is a trailer at `off`, and the offset of the table of contents that it
 * gives.
 */
static bool is_trailer(const struct reader *reader, uint64_t off, uint64_t *toc_off)
{
	uint8_t trailer[FILE_TRAILER_BYTES];

	return !reader_copy(reader, off, trailer, sizeof(trailer), NULL) &&
	       file_trailer_get(trailer, toc_off);
}

/*
 * The offset in entry `index` of a table of contents. It has count:64, then for each
 * section type:32 0:32 off:64.
 */
static uint64_t listed_off(const struct buf *toc, uint64_t index)
{
	struct span span = span_of(toc->data + 16 + 16 * index, 8);

	return span_u64(&span);
}

static uint32_t listed_type(const struct buf *toc, uint64_t index)
{
	struct span span = span_of(toc->data + 8 + 16 * index, 4);

	return span_u32(&span);
}

/*
 * The number of sections in the table; 0 when the table cannot be right: the first
 * section must follow the file header, and each must have room for a header before the
 * next.
 */
static uint64_t listed(const struct buf *toc, uint64_t toc_off)
{
	struct span span = span_of(toc->data, toc->len);
	uint64_t count = span_u64(&span), next = FILE_HEADER_BYTES;

	if (span_left(&span) % 16 || span_left(&span) / 16 != count)
		return 0;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t off = listed_off(toc, i);

		if (i ? off < next : off != next)
			return 0;
		next = off + SECTION_HEADER_BYTES;
		/* `next < off`: the sum has overflowed. */
		if (next < off || next > toc_off)
			return 0;
	}
	return count;
}

static int add_listed(struct search *search, const struct buf *toc, uint64_t index,
		      uint64_t end, struct wm_error *err)
{
	uint32_t type = listed_type(toc, index);
	uint64_t off = listed_off(toc, index);
	struct section section;
	const char *why;
	int ret = check(search, off, &section, &why, err);

	if (ret)
		return ret;
	if (!why && (section.type != type || section_end(&section) != end))
		why = "it differs from the table of contents";
	/*
	 * The table's type and the distance to the next section are more reliable than
	 * the header.
	 */
	if (why) {
		section.type = type;
		section.stored = end - off - SECTION_HEADER_BYTES;
	}
	return add(search, &section, end - off, why, err);
}

/* 0; WM_END when there is no usable table; or an error. */
static int by_contents(struct search *search, struct wm_error *err)
{
	const struct reader *reader = search->reader;
	uint64_t off = search->toc_off, count = 0;
	struct buf toc = BUF_INIT;
	struct section section;
	int ret = WM_END;

	if (off && !reader_find(reader, off, SECTION_TOCS, &section, NULL) &&
	    section_end(&section) == reader_bytes(reader) - FILE_TRAILER_BYTES &&
	    !reader_read(reader, &section, &toc, NULL))
		count = listed(&toc, off);
	if (count)
		ret = 0;
	for (uint64_t i = 0; !ret && i < count; i++)
		ret = add_listed(search, &toc, i,
				 i + 1 < count ? listed_off(&toc, i + 1) : off, err);
	buf_fini(&toc);
	return ret;
}

/* ---- without it ---------------------------------------------------------- */

/*
 * Whether an intact section of a known type is at `off`. An intact one of an unknown type
 * would be taken only in sequence: when searching, a type is the first sign of a section.
 */
static int is_section(struct search *search, uint64_t off, struct wm_error *err)
{
	struct section section;
	const char *why;
	int ret = check(search, off, &section, &why, err);

	if (ret)
		return ret;
	if (!why)
		return section_known(section.type);
	/* reader_check() has read the payload, for nothing. */
	if (section.type && section_end(&section) <= reader_bytes(search->reader))
		search->vain -= section.stored < search->vain ? section.stored :
								search->vain;
	return 0;
}

/*
 * Searches for a section from `off` on. *found is the end of the file when there is none.
 */
static int find_section(struct search *search, uint64_t off, uint64_t *found,
			struct wm_error *err)
{
	const struct reader *reader = search->reader;
	uint64_t end = reader_bytes(reader);
	uint8_t window[WINDOW + 3]; /* 3 more: a type may cross the end of the window */
	int ret = 0;

	*found = end;
	for (; off + SECTION_HEADER_BYTES <= end && search->vain; off += WINDOW) {
		uint64_t left = end - off;
		size_t n = left < sizeof(window) ? (size_t)left : sizeof(window);

		ret = reader_copy(reader, off, window, n, err);
		if (ret)
			return ret;
		/*
		 * The type is compared first: that needs no reading, and few places pass.
		 */
		for (size_t i = 0; i + 4 <= n && i < WINDOW && search->vain; i++) {
			struct span type = span_of(window + i, 4);

			if (!section_known(span_u32(&type)))
				continue;
			ret = is_section(search, off + i, err);
			if (ret > 0)
				*found = off + i;
			if (ret)
				return ret < 0 ? ret : 0;
		}
	}
	return 0;
}

/*
 * The next section after a damaged one: where it ends by its header, if a section is
 * there; otherwise the next one that the search finds.
 */
static int find_next(struct search *search, const struct section *damaged, uint64_t *next,
		     struct wm_error *err)
{
	uint64_t end = section_end(damaged), bytes = reader_bytes(search->reader);
	int ret = 0;

	*next = end;
	/* By its header it is the last one. */
	if (damaged->type && end == bytes)
		return 0;
	if (damaged->type && end < bytes)
		ret = is_section(search, end, err);
	if (ret)
		return ret < 0 ? ret : 0;
	/* From the next byte: the sizes in the damaged header can be wrong, too. */
	return find_section(search, damaged->off + 1, next, err);
}

/*
 * Whether the bytes at `off`, which are no section, are the end of the file: a table of
 * contents or a trailer, perhaps damaged.
 */
static bool is_end(const struct search *search, uint64_t off, bool behind_contents)
{
	uint64_t toc_off;

	if (off == search->toc_off)
		return true;
	return behind_contents &&
	       (is_trailer(search->reader, off, &toc_off) ||
		reader_bytes(search->reader) - off <= FILE_TRAILER_BYTES);
}

/* Adds the piece at *off and moves *off to its end. WM_END: the file ends here. */
static int add_next(struct search *search, uint64_t *off, bool *contents,
		    struct wm_error *err)
{
	struct section section;
	const char *why;
	uint64_t next;
	int ret = check(search, *off, &section, &why, err);

	if (ret)
		return ret;
	if (!why) {
		/* The table is not a piece; what follows it is the trailer. */
		*contents = section.type == SECTION_TOCS;
		*off = section_end(&section);
		if (*contents)
			return 0;
		return add(search, &section, *off - section.off, NULL, err);
	}
	if (is_end(search, *off, *contents))
		return WM_END;
	ret = find_next(search, &section, &next, err);
	if (ret)
		return ret;
	/* A damaged table of contents at the end of the file is no lost section. */
	if (section.type == SECTION_TOCS && next == reader_bytes(search->reader))
		return WM_END;
	*contents = false;
	ret = add(search, &section, next - *off, why, err);
	*off = next;
	return ret;
}

static int by_walking(struct search *search, struct wm_error *err)
{
	uint64_t off = FILE_HEADER_BYTES;
	bool contents = false;
	int ret = 0;

	while (!ret && off < reader_bytes(search->reader))
		ret = add_next(search, &off, &contents, err);
	search->survey->end =
		ret == WM_END || contents ?
			"its end is damaged" :
			"its end is missing: the recorder was stopped, or the "
			"file was cut";
	return ret < 0 ? ret : 0;
}

/*
 * A header with a valid checksum is believed. A damaged one does not show whether the
 * file is a trace at all: the magic decides, or else an intact first section.
 */
static int check_header(struct search *search, struct wm_error *err)
{
	uint8_t header[FILE_HEADER_BYTES];
	int ret = reader_copy(search->reader, 0, header, sizeof(header), err);

	if (ret)
		return ret == WM_E_DAMAGED ? reader_no_header(search->reader, err) : ret;
	ret = file_header_get(header, &search->survey->features, err);
	if (!ret || file_header_sound(header))
		return ret;
	if (memcmp(header, FILE_MAGIC, 8)) {
		int found = is_section(search, FILE_HEADER_BYTES, err);

		if (found < 1)
			return found ? found : ret;
	}
	/* All known ones: the real ones are lost with the header. */
	search->survey->features = FILE_FEATURES;
	search->survey->header = "its header is damaged";
	return 0;
}

static bool has_sections(const struct survey *survey)
{
	for (size_t i = 0; i < survey->count; i++)
		if (!survey->pieces[i].why)
			return true;
	return false;
}

int survey_file(struct survey *survey, const struct reader *reader, struct wm_error *err)
{
	uint64_t bytes = reader_bytes(reader);
	struct search search = {
		.survey = survey,
		.reader = reader,
		.vain = SECTION_RAW_MAX + VAIN_RATIO * bytes,
		.packed = reader_memory_max(reader),
	};
	int ret;

	*survey = (struct survey){ 0 };
	/* Short files are damaged traces, too, or none: check_header() decides. */
	if (bytes < FILE_TRAILER_BYTES ||
	    !is_trailer(reader, bytes - FILE_TRAILER_BYTES, &search.toc_off))
		search.toc_off = 0;
	ret = check_header(&search, err);
	if (!ret)
		ret = by_contents(&search, err);
	if (ret == WM_END)
		ret = by_walking(&search, err);
	if (!ret && !has_sections(survey))
		ret = wm_fail(err, WM_E_DAMAGED, FILE_HEADER_BYTES,
			      "nothing in the file is intact");
	buf_fini(&search.stored);
	return ret;
}
