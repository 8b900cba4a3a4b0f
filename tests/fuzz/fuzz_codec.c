// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The codec. The first byte decides: bytes as a sequence of ids, which must come back; or
 * as the strings of a chunk, of which a decoder may make what it likes, within bounds.
 */
#include "format/codec.h"
#include "fuzz.h"
#include "tests/unit/whole.h"

enum { IDS = 1 << 16, KNOWN = 5000 };

static struct decoder *decoder;
static struct encoder *encoders[3];
static const uint32_t capacities[3] = { 16, 100, IDS };

/* Each byte is a few ids, so that short inputs make long sequences. */
static size_t make_ids(struct input *input, uint32_t *ids)
{
	size_t n = 0;

	while (input->at < input->end && n < IDS - 300) {
		uint8_t byte = take(input);

		if (byte < 64) { /* one of few blocks */
			ids[n++] = 1 + byte;
		} else if (byte < 128) { /* again what was there */
			size_t back = 1 + take(input) % 64u, length = 1 + byte % 64u;

			for (; length-- > 0; n++)
				ids[n] = back <= n ? ids[n - back] : 1;
		} else if (byte < 192) { /* blocks in a row */
			uint32_t from = 1 + 16u * take(input);

			for (unsigned i = 0; i < byte % 64u; i++)
				ids[n++] = from + i;
		} else if (byte < 255) { /* any block */
			ids[n++] = 1 + (byte % 64u * 256 + take(input)) % KNOWN;
		} else { /* no block: refused */
			ids[n++] = take_u32(input);
		}
	}
	return n;
}

static void check_chunk(struct encoder *encoder, const uint32_t *ids)
{
	const uint32_t *got;
	struct wm_error err;
	struct codes codes;

	encoder_finish(encoder, &codes);
	MUST(codes.blocks == encoder_blocks(encoder));
	MUST(decode_whole(decoder, &codes, KNOWN, &got, &err) == 0);
	MUST(!memcmp(got, ids, codes.blocks * sizeof(*ids)));
}

static void round_trip(struct input *input)
{
	static uint32_t ids[IDS];
	unsigned which = take(input) % 3;
	size_t piece = 1 + (size_t)take(input) * take(input);
	size_t n = make_ids(input, ids), first = 0, done = 0;
	struct encoder *encoder = encoders[which];

	if (n > 40u * capacities[which])
		n = 40u * capacities[which];
	encoder_reset(encoder);
	while (done < n) {
		size_t part = n - done < piece ? n - done : piece;
		size_t got = encoder_feed(encoder, ids + done, part);

		for (size_t i = 0; i < got; i++)
			MUST(ids[done + i] - 1 < KNOWN);
		done += got;
		if (got < part && !encoder_full(encoder)) {
			MUST(ids[done] - 1 >= KNOWN);
			break;
		}
		if (encoder_full(encoder)) {
			check_chunk(encoder, ids + first);
			encoder_reset(encoder);
			first = done;
		}
	}
	check_chunk(encoder, ids + first);
}

/* A copy of the next n bytes that ends where it ends. */
static uint8_t *take_string(struct input *input, size_t n, size_t *length)
{
	uint8_t *string = malloc(n ? n : 1);

	MUST(string);
	*length = take_bytes(input, string, n);
	return string;
}

static void decode(struct input *input)
{
	uint32_t word = take_u32(input), known = word & 0xffff;
	struct codes codes = { .blocks = take_u32(input) & 0x3ffff,
			       .highest = take_u32(input) & 0x1ffff,
			       .ways = word >> 16 & 1 };
	uint8_t long_part = take(input), escape_part = take(input);
	size_t left = (size_t)(input->end - input->at);
	const uint32_t *ids;
	struct wm_error err;
	uint8_t *strings[3];

	strings[0] = take_string(input, left * long_part / 256, &codes.longs_len);
	strings[1] = take_string(input, left * escape_part / 256, &codes.escapes_len);
	strings[2] = take_string(input, left, &codes.codes_len);
	codes.longs = strings[0];
	codes.escapes = strings[1];
	codes.codes = strings[2];
	if (!decode_whole(decoder, &codes, known, &ids, &err))
		for (uint32_t i = 0; i < codes.blocks; i++)
			MUST(ids[i] - 1 < known);
	else
		MUST(err.code == WM_E_DAMAGED);
	for (unsigned i = 0; i < 3; i++)
		free(strings[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct input input = { data, data + bytes };

	watch_cpu();
	for (unsigned i = 0; !decoder && i < 3; i++) {
		encoders[i] = encoder_new(capacities[i]);
		MUST(encoders[i] && encoder_know(encoders[i], KNOWN) == 0);
	}
	if (!decoder)
		decoder = decoder_new();
	if (take(&input) % 2)
		round_trip(&input);
	else
		decode(&input);
	return 0;
}
