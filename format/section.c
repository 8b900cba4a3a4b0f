// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header of the file, its trailer, and the headers of sections, byte by byte.
 *
 * The checksum of a section covers its payload and, as the seed, its header: a header
 * with a wrong length cannot match. It does not cover the offset, so a section can be
 * copied from file to file as it is stored.
 *
 * Example: a header has type CHNK, flags 1, 80 bytes stored, 200 bytes raw. The hash of
 * these 24 bytes is the seed for the hash of the 80 stored bytes.
 */
#include "format/section.h"

#include <string.h>
#include <xxhash.h>

#define CHECKED 24 /* bytes of a header before its checksum */

bool section_known(uint32_t type)
{
	/*
	 * An enum switch without default: the compiler reports a type that is missing
	 * here.
	 */
	switch ((enum section_type)type) {
	case SECTION_META:
	case SECTION_PROC:
	case SECTION_PEND:
	case SECTION_STRM:
	case SECTION_MODU:
	case SECTION_ENDS:
	case SECTION_BLKS:
	case SECTION_DISA:
	case SECTION_SYMS:
	case SECTION_CODE:
	case SECTION_MADE:
	case SECTION_PATH:
	case SECTION_SITE:
	case SECTION_VALS:
	case SECTION_CHNK:
	case SECTION_EVNT:
	case SECTION_SCHD:
	case SECTION_NOTE:
	case SECTION_TOCS:
		return true;
	}
	return false;
}

void file_header_put(uint8_t bytes[FILE_HEADER_BYTES], uint32_t features)
{
	uint8_t *at = bytes;

	memcpy(at, FILE_MAGIC, 8);
	at = put_u32(at + 8, FILE_VERSION);
	at = put_u32(at, features);
	/* Compatible features, of which there are none, and a reserved field. */
	at = put_u32(at, 0);
	at = put_u32(at, 0);
	put_u64(at, XXH3_64bits(bytes, CHECKED));
}

bool file_header_sound(const uint8_t bytes[FILE_HEADER_BYTES])
{
	struct span span = span_of(bytes + CHECKED, 8);

	return span_u64(&span) == XXH3_64bits(bytes, CHECKED);
}

int file_header_missing(const uint8_t *bytes, size_t n, struct wm_error *err)
{
	size_t magic = strlen(STATE_FILE_MAGIC);
	bool is_state = n >= magic && !memcmp(bytes, STATE_FILE_MAGIC, magic);

	return wm_fail(
		err, WM_E_FORMAT, 0,
		is_state ? "a part of an answer, for waymark merge, that was cut short" :
			   "not a Waymark trace");
}

int file_header_get(const uint8_t bytes[FILE_HEADER_BYTES], uint32_t *features,
		    struct wm_error *err)
{
	struct span span = span_of(bytes, FILE_HEADER_BYTES);
	uint32_t version;

	if (!memcmp(bytes, STATE_FILE_MAGIC, strlen(STATE_FILE_MAGIC)))
		return wm_fail(err, WM_E_FORMAT, 0,
			       "a part of an answer, for waymark merge, and no trace");
	if (memcmp(span_bytes(&span, 8), FILE_MAGIC, 8))
		return wm_fail(err, WM_E_FORMAT, 0, "not a Waymark trace");
	/*
	 * The magic first: a file of another kind is not a damaged trace. Then the
	 * checksum: a flipped bit in the version is damage, not a newer format.
	 */
	version = span_u32(&span);
	*features = span_u32(&span);
	if (!file_header_sound(bytes))
		return wm_fail(err, WM_E_DAMAGED, 0, "the file header is damaged");
	if (version != FILE_VERSION || *features & ~FILE_FEATURES)
		return wm_fail(
			err, WM_E_NEWER, 0,
			"a trace of format %u with features %#x: a newer waymark reads it",
			version, *features);
	return 0;
}

void file_trailer_put(uint8_t bytes[FILE_TRAILER_BYTES], uint64_t toc_off)
{
	/* The complement stands for a checksum. */
	memcpy(put_u64(put_u64(bytes, toc_off), ~toc_off), FILE_END_MAGIC, 8);
}

bool file_trailer_get(const uint8_t bytes[FILE_TRAILER_BYTES], uint64_t *toc_off)
{
	struct span span = span_of(bytes, FILE_TRAILER_BYTES);

	*toc_off = span_u64(&span);
	return span_u64(&span) == ~*toc_off &&
	       !memcmp(span_bytes(&span, 8), FILE_END_MAGIC, 8);
}

uint64_t section_checksum(const uint8_t bytes[SECTION_HEADER_BYTES],
			  const uint8_t *stored, uint64_t stored_bytes)
{
	return XXH3_64bits_withSeed(stored, stored_bytes, XXH3_64bits(bytes, CHECKED));
}

void section_header_put(uint8_t bytes[SECTION_HEADER_BYTES],
			const struct section *section, const uint8_t *stored)
{
	uint8_t *at = bytes;

	at = put_u32(at, section->type);
	at = put_u32(at, section->flags);
	at = put_u64(at, section->stored);
	at = put_u64(at, section->raw);
	put_u64(at, section_checksum(bytes, stored, section->stored));
}

bool section_header_get(const uint8_t bytes[SECTION_HEADER_BYTES],
			struct section *section, uint64_t *checksum)
{
	struct span span = span_of(bytes, SECTION_HEADER_BYTES);

	section->type = span_u32(&span);
	section->flags = span_u32(&span);
	section->stored = span_u64(&span);
	section->raw = span_u64(&span);
	*checksum = span_u64(&span);
	/*
	 * Bounds that readers rely on when they allocate. Compression that does not help
	 * is not stored, so `stored` never exceeds `raw`.
	 */
	return !(section->flags & ~SECTION_ZSTD) && section->raw <= SECTION_RAW_MAX &&
	       section->stored <= section->raw &&
	       (section->flags & SECTION_ZSTD || section->stored == section->raw);
}
