/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A .wmk file is a header, a sequence of sections, and a trailer. A section is a 32-byte
 * header and a payload, perhaps compressed. The header has the payload's length and a
 * checksum, so a file without its end can be read by walking its sections.
 *
 *	file header     magic[8] version:32 incompatible:32 compatible:32 0:32 xxh3:64
 *	section header  type:32 flags:32 stored:64 raw:64 xxh3:64   then `stored` bytes
 *	trailer         toc:64 ~toc:64 magic[8]
 */
#ifndef FORMAT_SECTION_H
#define FORMAT_SECTION_H

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

#define FILE_MAGIC "\211WMK\r\n\032\n"
/* With this begins a file of another kind: query/state_file.c. */
#define STATE_FILE_MAGIC "WMST"
#define FILE_END_MAGIC "WMKEND\r\n"
#define FILE_VERSION 1
/*
 * Incompatible features. SPACES: a chunk may be in another space than its stream began
 * in, and a space need not be a process. A reader without this feature would look up
 * addresses in the wrong files. CODE: sections of blocks may leave code in files. FETCHES:
 * values are foretold as those of an interpreter may be (format/values_fetches.c). WAYS: codes
 * of paths may be of today's automaton (format/model.h). A path says which it is, so a file
 * without such paths may have the feature, too. STEPS: bytecodes that follow from the one before
 * may have no fetch (NOTE_STEPS); a reader that expects them would miss most of a program.
 */
#define FILE_SPACES 1u
#define FILE_CODE 2u
#define FILE_FETCHES 4u
#define FILE_WAYS 8u
#define FILE_STEPS 16u
/* All known ones. */
#define FILE_FEATURES (FILE_SPACES | FILE_CODE | FILE_FETCHES | FILE_WAYS | FILE_STEPS)
#define FILE_HEADER_BYTES 32
#define FILE_TRAILER_BYTES 24
#define SECTION_HEADER_BYTES 32
/* The largest payload, compressed or not: what a reader may have to allocate. */
#define SECTION_RAW_MAX (64u << 20)
/*
 * Bounds on what all compressed sections of a file unpack to: FILE_UNPACKED_MIN, and
 * FILE_UNPACKED_RATIO times the file's size more, but at most FILE_UNPACKED_MAX. A few
 * compressed bytes can unpack to a lot.
 */
#define FILE_UNPACKED_MAX (UINT64_C(2) << 30)
#define FILE_UNPACKED_MIN (UINT64_C(128) << 20)
#define FILE_UNPACKED_RATIO 256

#define SECTION_ZSTD 1u /* flag: the payload is one zstd frame of `raw` bytes */

#define SECTION_TYPE(a, b, c, d) \
	((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum section_type {
	SECTION_META = SECTION_TYPE('M', 'E', 'T', 'A'), /* format/records.h */
	SECTION_PROC = SECTION_TYPE('P', 'R', 'O', 'C'),
	SECTION_PEND = SECTION_TYPE('P', 'E', 'N', 'D'),
	SECTION_STRM = SECTION_TYPE('S', 'T', 'R', 'M'),
	SECTION_MODU = SECTION_TYPE('M', 'O', 'D', 'U'),
	SECTION_SYMS = SECTION_TYPE('S', 'Y', 'M', 'S'), /* format/symtab.h */
	SECTION_CODE = SECTION_TYPE('C', 'O', 'D', 'E'), /* format/codemap.h */
	SECTION_MADE = SECTION_TYPE('M', 'A', 'D', 'E'), /* format/made.h */
	SECTION_ENDS = SECTION_TYPE('E', 'N', 'D', 'S'),
	SECTION_BLKS = SECTION_TYPE('B', 'L', 'K', 'S'), /* format/blocks.h */
	SECTION_DISA = SECTION_TYPE('D', 'I', 'S', 'A'),
	SECTION_PATH = SECTION_TYPE('P', 'A', 'T', 'H'), /* format/chunk.h */
	SECTION_CHNK = SECTION_TYPE('C', 'H', 'N', 'K'),
	SECTION_SITE = SECTION_TYPE('S', 'I', 'T', 'E'), /* format/values.h */
	SECTION_VALS = SECTION_TYPE('V', 'A', 'L', 'S'),
	SECTION_EVNT = SECTION_TYPE('E', 'V', 'N', 'T'), /* format/clock_event.h */
	SECTION_SCHD = SECTION_TYPE('S', 'C', 'H', 'D'), /* format/turn.h */
	SECTION_NOTE = SECTION_TYPE('N', 'O', 'T', 'E'), /* format/note.h */
	SECTION_TOCS =
		SECTION_TYPE('T', 'O', 'C', 'S'), /* count:64 (type:32 0:32 off:64)* */
};

struct section {
	uint32_t type, flags;
	uint64_t stored; /* bytes in the file after the header */
	uint64_t raw;	 /* bytes of the payload when not compressed */
	uint64_t off;	 /* of the header, in the file */
};

/* The offset after a section. */
static inline uint64_t section_end(const struct section *section)
{
	return section->off + SECTION_HEADER_BYTES + section->stored;
}

/* Whether this version knows the type. */
bool section_known(uint32_t type);

/* What a file is that has only these bytes[n], fewer than a header: always WM_E_FORMAT. */
int file_header_missing(const uint8_t *bytes, size_t n, struct wm_error *err);

/*
 * The file header's bytes; `features` are the incompatible ones. get: WM_E_FORMAT for
 * another file, WM_E_NEWER.
 */
void file_header_put(uint8_t bytes[FILE_HEADER_BYTES], uint32_t features);
int file_header_get(const uint8_t bytes[FILE_HEADER_BYTES], uint32_t *features,
		    struct wm_error *err);
/* Whether it matches its checksum. */
bool file_header_sound(const uint8_t bytes[FILE_HEADER_BYTES]);

/* The end of a finished file, and where its table of contents is. */
void file_trailer_put(uint8_t bytes[FILE_TRAILER_BYTES], uint64_t toc_off);
/* False when these bytes are no trailer. */
bool file_trailer_get(const uint8_t bytes[FILE_TRAILER_BYTES], uint64_t *toc_off);

/* The header of a section whose stored payload is given; section->off is not used. */
void section_header_put(uint8_t bytes[SECTION_HEADER_BYTES],
			const struct section *section, const uint8_t *stored);
/* Fills *section (but `off`) and *checksum; false when the sizes cannot be right. */
bool section_header_get(const uint8_t bytes[SECTION_HEADER_BYTES],
			struct section *section, uint64_t *checksum);
/* What the checksum should be, of a header's bytes and its stored payload. */
uint64_t section_checksum(const uint8_t bytes[SECTION_HEADER_BYTES],
			  const uint8_t *stored, uint64_t stored_bytes);

#endif
