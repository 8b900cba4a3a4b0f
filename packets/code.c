// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds instructions by address for the decoders of packets.
 *
 * Instructions are decoded once, when control first comes to them: programs have far more
 * code than they run. A map finds them again. Nothing is stored for an address without
 * code, so a hostile trace cannot make the map larger than the program.
 *
 * Example: a loop of 3 instructions that runs a million times decodes 3 words, and looks
 * up three million addresses in the map.
 */
#include "packets/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"

int packet_code_init(struct packet_code *code, unsigned xlen, struct wm_error *err)
{
	*code = (struct packet_code){ .xlen = xlen };
	return u64map_init(&code->known) ? wm_fail_nomem(err, "code") : 0;
}

void packet_code_fini(struct packet_code *code)
{
	for (size_t i = 0; i < code->n; i++)
		free(code->segments[i].data);
	free(code->segments);
	free(code->insns);
	u64map_fini(&code->known);
}

int packet_code_segment(struct packet_code *code, uint64_t start, uint8_t *data,
			size_t bytes, struct wm_error *err)
{
	struct packet_segment segment = { start, bytes, data };

	if (APPEND(code->segments, code->n, segment))
		return 0;
	free(data);
	return wm_fail_nomem(err, "code");
}

int packet_code_add(struct packet_code *code, uint64_t address, uint32_t word,
		    struct wm_error *err)
{
	/*
	 * Code of a trace comes block by block: a later block at the same address
	 * replaces an earlier one.
	 */
	struct packet_insn insn = packet_insn(word, code->xlen, address);
	uint32_t *place = u64map_at(&code->known, address);

	if (place && *place) {
		code->insns[*place - 1] = insn;
		return 0;
	}
	if (!place || !APPEND(code->insns, code->n_insns, insn))
		return wm_fail_nomem(err, "code");
	*place = code->n_insns;
	return 0;
}

/*
 * The word of the instruction at an address: its low half says whether there is a high
 * one. False when it is not all in the segment.
 */
static bool read_word(const struct packet_segment *segment, uint64_t address,
		      uint32_t *word)
{
	/* Wraps for an address below the segment, and then is too large. */
	uint64_t at = address - segment->start;
	const uint8_t *bytes;

	if (at >= segment->bytes || segment->bytes - at < 2)
		return false;
	bytes = segment->data + at;
	*word = bytes[0] | (uint32_t)bytes[1] << 8;
	if ((*word & 3) != 3)
		return true;
	if (segment->bytes - at < 4)
		return false;
	*word |= (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
	return true;
}

const struct packet_insn *packet_code_at(struct packet_code *code, uint64_t address)
{
	uint32_t id = u64map_get(&code->known, address), word;

	/*
	 * A program has few segments, and this search is done once for each instruction.
	 */
	for (size_t i = 0; !id && i < code->n; i++)
		if (read_word(&code->segments[i], address, &word)) {
			if (packet_code_add(code, address, word, NULL))
				return NULL;
			id = code->n_insns;
		}
	return id ? &code->insns[id - 1] : NULL;
}
