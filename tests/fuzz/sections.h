/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces as fuzz input. A changed byte would get no further than a checksum, a changed
 * length no further than the next section: so repair() makes the checksums right again
 * before the input is used, and mutate_sections() changes sections as sections: what is in
 * them, compressed or not, and their order. Sections whose checksum is 0 stay damaged.
 */
#ifndef TESTS_SECTIONS_H
#define TESTS_SECTIONS_H

#include <zstd.h>

#include "format/chunk.h"
#include "format/pack.h"
#include "format/section.h"
#include "fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed);

enum { PARTS_MAX = 64, PAYLOAD_MAX = 8192, CHECKSUM_AT = 24 };

static inline uint32_t get_u32(const uint8_t *at)
{
	struct span span = span_of(at, 4);

	return span_u32(&span);
}

static inline uint64_t get_u64(const uint8_t *at)
{
	struct span span = span_of(at, 8);

	return span_u64(&span);
}

/* The section at data[off]; false when it does not fit. */
static inline bool part_at(const uint8_t *data, size_t bytes, size_t off,
			   struct section *section)
{
	uint64_t checksum;

	if (bytes - off < SECTION_HEADER_BYTES)
		return false;
	section->off = off;
	return section_header_get(data + off, section, &checksum) &&
	       section->stored <= bytes - off - SECTION_HEADER_BYTES;
}

/* Makes checksums right, from the file header to where sections end. */
static inline void repair(uint8_t *data, size_t bytes)
{
	size_t off = FILE_HEADER_BYTES;
	struct section section;

	if (bytes >= FILE_HEADER_BYTES && get_u32(data + 8) == FILE_VERSION)
		file_header_put(data, get_u32(data + 12) & FILE_FEATURES);
	for (; off < bytes && part_at(data, bytes, off, &section);
	     off = section_end(&section)) {
		uint8_t *header = data + off;

		if (get_u64(header + CHECKSUM_AT))
			put_u64(header + CHECKSUM_AT,
				section_checksum(header, header + SECTION_HEADER_BYTES,
						 section.stored));
	}
}

/* Whether no chunk is so large that one input would take a second. */
static inline bool is_quick(const uint8_t *data, size_t bytes)
{
	enum { CHUNKS = 32, CHUNK_BLOCKS = 1 << 17 };
	unsigned chunks = 0;

	for (size_t i = 0; i + SECTION_HEADER_BYTES + 8 <= bytes; i++)
		if (get_u32(data + i) == SECTION_CHNK &&
		    (++chunks > CHUNKS ||
		     get_u32(data + i + SECTION_HEADER_BYTES + 4) > CHUNK_BLOCKS))
			return false;
	return true;
}

/* ---- mutation ------------------------------------------------------------ */

/* A section taken apart: what it has, uncompressed. */
struct part {
	uint32_t type;
	bool packed, damaged;
	uint64_t old_off, off;
	struct buf payload;
};

struct parts {
	struct part all[PARTS_MAX];
	unsigned n;
	uint64_t seed;
};

static inline uint32_t roll(struct parts *parts, uint32_t sides)
{
	parts->seed = parts->seed * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(parts->seed >> 33) % sides;
}

static inline void take_part(struct parts *parts, const uint8_t *data,
			     const struct section *section)
{
	const uint8_t *stored = data + section->off + SECTION_HEADER_BYTES;
	struct part *part = &parts->all[parts->n];
	size_t raw = section->raw < PAYLOAD_MAX ? section->raw : PAYLOAD_MAX;
	size_t got = 0;

	*part = (struct part){ .type = section->type,
			       .packed = section->flags & SECTION_ZSTD,
			       .damaged = !get_u64(data + section->off + CHECKSUM_AT),
			       .old_off = section->off };
	MUST(buf_reserve(&part->payload, PAYLOAD_MAX));
	if (part->packed)
		got = ZSTD_decompress(part->payload.data, raw, stored, section->stored);
	if (!part->packed || ZSTD_isError(got)) {
		part->packed = false;
		got = section->stored < PAYLOAD_MAX ? section->stored : PAYLOAD_MAX;
		memcpy(part->payload.data, stored, got);
	}
	part->payload.len = got;
	parts->n++;
}

static inline void take_apart(struct parts *parts, const uint8_t *data, size_t bytes)
{
	size_t off = FILE_HEADER_BYTES;
	struct section section;

	while (off < bytes && parts->n < PARTS_MAX &&
	       part_at(data, bytes, off, &section)) {
		if (section.type != SECTION_TOCS)
			take_part(parts, data, &section);
		off = section_end(&section);
	}
}

static inline void mutate_buf(struct buf *buf)
{
	MUST(buf_reserve(buf, PAYLOAD_MAX));
	buf->len = LLVMFuzzerMutate(buf->data, buf->len, PAYLOAD_MAX);
}

/* One of the packed strings from `at` on, as if it was never compressed. */
static inline void mutate_packed(struct parts *parts, struct buf *payload, size_t at,
				 unsigned strings)
{
	struct span span = span_of(payload->data + at, payload->len - at);
	struct buf put = BUF_INIT;
	unsigned which = roll(parts, strings);

	buf_put(&put, payload->data, at);
	for (unsigned i = 0; i < strings; i++) {
		struct buf raw = BUF_INIT;

		pack_get(&span, &raw, PAYLOAD_MAX);
		if (i == which)
			mutate_buf(&raw);
		pack_put(&put, raw.data, raw.len, 1);
		buf_fini(&raw);
	}
	buf_fini(payload);
	*payload = put;
}

/* A histogram as good as the chunk's own, of other blocks. */
static inline void lie_about_counts(struct parts *parts, struct buf *payload)
{
	struct span span = span_of(payload->data + CHUNK_HEAD_BYTES,
				   payload->len - CHUNK_HEAD_BYTES);
	uint32_t blocks = get_u32(payload->data + 4), known = get_u32(payload->data + 60);
	uint32_t most = blocks < known ? blocks : known;
	uint32_t n = 1 + roll(parts, most < 8 ? most + !most : 8), id = 0;
	struct buf old = BUF_INIT, raw = BUF_INIT, put = BUF_INIT;

	pack_get(&span, &old, PAYLOAD_MAX);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t room = known - id - (n - i) + 1;
		uint32_t step = 1 + roll(parts, room ? room : 1);

		id += step;
		buf_put_varint(&raw, step);
	}
	for (uint32_t i = 0; i + 1 < n; i++)
		buf_put_varint(&raw, 1);
	buf_put_varint(&raw, blocks - n + 1);
	put_u32(payload->data + CHUNK_HEAD_BYTES - 4, n);
	buf_put(&put, payload->data, CHUNK_HEAD_BYTES);
	pack_put(&put, raw.data, raw.len, 1);
	buf_put(&put, span.at, span_left(&span));
	buf_fini(&old);
	buf_fini(&raw);
	buf_fini(payload);
	*payload = put;
}

/* Where the packed strings of a SYMS, CODE or MADE are: after two strings. */
static inline size_t names_at(const struct buf *payload)
{
	struct span span = span_of(payload->data, payload->len);

	span_bytes(&span, span_varint(&span));
	span_bytes(&span, span_varint(&span));
	return payload->len - span_left(&span);
}

static inline void mutate_part(struct parts *parts, struct part *part)
{
	if (part->type == SECTION_PATH && roll(parts, 4)) /* codes, longs, ..., events */
		mutate_packed(parts, &part->payload, 0, 4);
	else if (part->type == SECTION_CHNK && part->payload.len > CHUNK_HEAD_BYTES &&
		 !roll(parts, 4))
		lie_about_counts(parts, &part->payload);
	else if (part->type == SECTION_CHNK && part->payload.len > CHUNK_HEAD_BYTES &&
		 roll(parts, 2))
		mutate_packed(parts, &part->payload, CHUNK_HEAD_BYTES,
			      2); /* histogram, partials */
	else if ((part->type == SECTION_SYMS || part->type == SECTION_MADE) &&
		 roll(parts, 2))
		mutate_packed(parts, &part->payload, names_at(&part->payload), 1);
	else if (part->type == SECTION_CODE && roll(parts, 2)) /* names, places */
		mutate_packed(parts, &part->payload, names_at(&part->payload), 2);
	else
		mutate_buf(&part->payload);
}

static inline void swap_parts(struct parts *parts, unsigned a, unsigned b)
{
	struct part part = parts->all[a];

	parts->all[a] = parts->all[b];
	parts->all[b] = part;
}

static inline void drop_part(struct parts *parts, unsigned which)
{
	buf_fini(&parts->all[which].payload);
	memmove(&parts->all[which], &parts->all[which + 1],
		(--parts->n - which) * sizeof(*parts->all));
}

static inline void repeat_part(struct parts *parts, unsigned which)
{
	struct part *last = &parts->all[parts->n];

	if (parts->n == PARTS_MAX)
		return;
	*last = parts->all[which];
	last->payload = BUF_INIT;
	MUST(buf_reserve(&last->payload, PAYLOAD_MAX));
	buf_put(&last->payload, parts->all[which].payload.data,
		parts->all[which].payload.len);
	swap_parts(parts, roll(parts, ++parts->n), parts->n - 1);
}

static inline void mutate_list(struct parts *parts)
{
	static const uint32_t types[] = { SECTION_META, SECTION_PROC, SECTION_PEND,
					  SECTION_STRM, SECTION_MODU, SECTION_ENDS,
					  SECTION_BLKS, SECTION_DISA, SECTION_SYMS,
					  SECTION_CODE, SECTION_PATH, SECTION_CHNK,
					  SECTION_MADE };
	unsigned which = roll(parts, parts->n);

	switch (roll(parts, 12)) {
	case 0:
		drop_part(parts, which);
		break;
	case 1:
		repeat_part(parts, which);
		break;
	case 2:
		swap_parts(parts, which, roll(parts, parts->n));
		break;
	case 3:
		parts->all[which].damaged ^= true;
		break;
	case 4:
		parts->all[which].packed ^= true;
		break;
	case 5:
		parts->all[which].type = types[roll(parts, sizeof(types) / 4)];
		break;
	default:
		mutate_part(parts, &parts->all[which]);
	}
}

static inline void put_part(struct buf *file, const struct part *part)
{
	size_t bound = ZSTD_compressBound(part->payload.len), packed = 0;
	struct section section = { .type = part->type, .raw = part->payload.len };
	const uint8_t *stored = part->payload.data;
	uint8_t header[SECTION_HEADER_BYTES], *room = malloc(bound);

	MUST(room);
	if (part->packed)
		packed = ZSTD_compress(room, bound, stored, section.raw, 1);
	section.stored = section.raw;
	if (packed && packed <= section.raw) {
		section.flags = SECTION_ZSTD;
		section.stored = packed;
		stored = room;
	}
	section_header_put(header, &section, stored);
	if (part->damaged)
		memset(header + CHECKSUM_AT, 0, 8);
	buf_put(file, header, sizeof(header));
	buf_put(file, stored, section.stored);
	free(room);
}

/* Chunks follow their paths, in all copies, to where these are now. */
static inline void move_path(struct parts *parts, struct part *chunk)
{
	uint8_t *field;
	uint64_t off;

	if (chunk->type != SECTION_CHNK || chunk->payload.len < CHUNK_HEAD_BYTES)
		return;
	field = chunk->payload.data + CHUNK_PATH_OFF_AT;
	off = get_u64(field);
	for (unsigned i = 0; i < parts->n; i++)
		if (off && parts->all[i].old_off == off)
			put_u64(field, parts->all[i].off);
}

/* Chunks follow each other, however many instructions they say they have. */
static inline void line_up(struct parts *parts)
{
	enum { STREAMS = 8 };
	uint64_t blocks[STREAMS] = { 0 }, insns[STREAMS] = { 0 };

	for (unsigned i = 0; i < parts->n; i++) {
		uint8_t *head = parts->all[i].payload.data;
		uint32_t stream;

		if (parts->all[i].type != SECTION_CHNK ||
		    parts->all[i].payload.len < CHUNK_HEAD_BYTES)
			continue;
		stream = get_u32(head) % STREAMS;
		put_u64(head + 16, blocks[stream]);
		put_u64(head + 24, insns[stream]);
		blocks[stream] += get_u32(head + 4);
		insns[stream] += get_u64(head + 8);
	}
}

static inline void put_contents(struct buf *file, const struct parts *parts)
{
	struct part contents = { .type = SECTION_TOCS };
	uint8_t trailer[FILE_TRAILER_BYTES];

	buf_put_u64(&contents.payload, parts->n);
	for (unsigned i = 0; i < parts->n; i++) {
		buf_put_u64(&contents.payload, parts->all[i].type);
		buf_put_u64(&contents.payload, parts->all[i].off);
	}
	file_trailer_put(trailer, file->len);
	put_part(file, &contents);
	buf_put(file, trailer, sizeof(trailer));
	buf_fini(&contents.payload);
}

static inline void put_together(struct parts *parts, struct buf *file)
{
	uint8_t header[FILE_HEADER_BYTES];

	file_header_put(header, FILE_FEATURES);
	buf_put(file, header, sizeof(header));
	if (roll(parts, 2))
		line_up(parts);
	for (unsigned i = 0; i < parts->n; i++) {
		parts->all[i].off = file->len;
		move_path(parts, &parts->all[i]);
		put_part(file, &parts->all[i]);
	}
	if (roll(parts, 4))
		put_contents(file, parts);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t most, unsigned seed)
{
	struct parts parts = { .seed = seed };
	struct buf file = BUF_INIT;

	if (roll(&parts, 8) == 0)
		return LLVMFuzzerMutate(data, bytes, most);
	take_apart(&parts, data, bytes);
	if (!parts.n)
		return LLVMFuzzerMutate(data, bytes, most);
	for (unsigned times = 1 + roll(&parts, 3); times > 0 && parts.n; times--)
		mutate_list(&parts);
	put_together(&parts, &file);
	while (parts.n)
		drop_part(&parts, parts.n - 1);
	MUST(!file.failed);
	bytes = file.len < most ? file.len : most;
	memcpy(data, file.data, bytes);
	buf_fini(&file);
	return bytes;
}

#endif
