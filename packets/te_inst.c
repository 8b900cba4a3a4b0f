// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packs the fields of E-Trace packets into bytes, and reads them back. One function names
 * the fields of each format, and goes through them to write as to read, so that they
 * cannot differ.
 *
 * Fields are packed from the lowest bit on. What is above the last one repeats its
 * highest bit, and then bytes at the end that only repeat the highest bit of the byte
 * before are left out ("sign-based compression"). That is why the fields after an address
 * are each written as equal to the bit before: they cost nothing.
 *
 * Example: format 2, address -2 (so -1 without its lowest bit): 10 and sixty-six ones are
 * the byte fe.
 */
#include "packets/te_inst.h"

#include <string.h>

/*
 * ROOM: more than the longest packet, a trap with time and context: 238 bits, and 286 with a
 * time of 112 bits, as a hostile packet of support may have it. A payload that is read has
 * at most TE_PAYLOAD_MOST bytes, so there are bits for all fields of any format.
 */
enum { ROOM = 40, FORMAT_BITS = 2, BRANCHES_BITS = 5, PRIVILEGE_BITS = 2 };
enum { ECAUSE_BITS = 6, QUAL_BITS = 2, MODE_BITS = 2, COUNT_BITS = 32, IRETS_BITS = 8 };
/* Of the first byte of a structure; see te_inst.h. */
enum { LENGTH = 0x1f, EXTEND = 0x80, TIMESTAMP_BYTES = 8 };

struct bits {
	uint8_t bytes[ROOM];
	unsigned at; /* the next bit */
	bool reads;  /* else writes */
};

static bool bit_at(const struct bits *bits, unsigned at)
{
	return bits->bytes[at / 8] >> at % 8 & 1;
}

/* The next field: written from *value, or read into it. */
static void field(struct bits *bits, uint64_t *value, unsigned width)
{
	uint64_t got = 0;

	for (unsigned i = 0; i < width; i++, bits->at++) {
		if (bits->reads)
			got |= (uint64_t)bit_at(bits, bits->at) << i;
		else if (*value >> i & 1)
			bits->bytes[bits->at / 8] |= (uint8_t)(1u << bits->at % 8);
	}
	if (bits->reads)
		*value = got;
}

/* As field(), for a number of at most 8 bits. */
static void small(struct bits *bits, uint8_t *value, unsigned width)
{
	uint64_t wide = *value;

	field(bits, &wide, width);
	*value = (uint8_t)wide;
}

static void flag(struct bits *bits, bool *value)
{
	uint64_t wide = *value;

	field(bits, &wide, 1);
	*value = wide;
}

/* A bit that is set by differing from the bit before it. */
static void differs(struct bits *bits, bool *value)
{
	bool before = bit_at(bits, bits->at - 1), bit = before ^ *value;

	flag(bits, &bit);
	*value = bit ^ before;
}

/*
 * An address without its lowest bit, which is always 0; `sign`: it may be below 0, so
 * what is read is extended from xlen - 1 bits to 64.
 */
static void address(struct bits *bits, uint64_t *value, unsigned xlen, bool sign)
{
	uint64_t half = (uint64_t)((int64_t)*value >> 1);

	field(bits, &half, xlen - 1);
	if (!bits->reads)
		return;
	if (sign)
		half = (uint64_t)((int64_t)(half << (65 - xlen)) >> (65 - xlen));
	*value = half << 1;
}

/*
 * A map has one of five sizes, the least that holds the branches. 0 branches stand for a
 * full map of 31.
 */
static unsigned map_bits(unsigned branches)
{
	static const uint8_t sizes[] = { 1, 3, 7, 15, 31 };
	unsigned i = 0;

	while (branches > sizes[i])
		i++;
	return branches ? sizes[i] : TE_BRANCHES_MOST;
}

/* The count of returns; without irreport it repeats the bit before it, too. */
static void irets(struct bits *bits, struct te_inst *inst, const struct te_widths *widths)
{
	uint8_t sign = bit_at(bits, bits->at - 1) ? 0xff : 0, value;

	differs(bits, &inst->irreport);
	if (!widths->options.implicit_return)
		return;
	value = inst->irreport ? inst->irets : sign;
	small(bits, &value, IRETS_BITS);
	inst->irets = inst->irreport ? value : 0;
}

/* A differential address and what follows it. */
static void tail(struct bits *bits, struct te_inst *inst, const struct te_widths *widths)
{
	address(bits, &inst->address, widths->xlen, true);
	differs(bits, &inst->notify);
	differs(bits, &inst->updiscon);
	irets(bits, inst, widths);
}

/* A target by its place in the cache, with the branches before it. */
static void format_0_index(struct bits *bits, struct te_inst *inst,
			   const struct te_widths *widths)
{
	uint64_t map = inst->branch_map;

	small(bits, &inst->index, widths->options.cache_size);
	small(bits, &inst->branches, BRANCHES_BITS);
	if (inst->branches)
		field(bits, &map, map_bits(inst->branches));
	inst->branch_map = (uint32_t)map;
	irets(bits, inst, widths);
}

static void format_0_count(struct bits *bits, struct te_inst *inst,
			   const struct te_widths *widths)
{
	uint64_t count = inst->branch_count;

	field(bits, &count, COUNT_BITS);
	inst->branch_count = (uint32_t)count;
	small(bits, &inst->branch_fmt, FORMAT_BITS);
	if (inst->branch_fmt != TE_NO_ADDRESS)
		tail(bits, inst, widths);
}

static void format_0(struct bits *bits, struct te_inst *inst,
		     const struct te_widths *widths)
{
	if (widths->options.f0s_width)
		small(bits, &inst->subformat, widths->options.f0s_width);
	else
		inst->subformat = widths->options.branch_predictor ? TE_COUNT : TE_INDEX;
	if (inst->subformat == TE_INDEX)
		format_0_index(bits, inst, widths);
	else
		format_0_count(bits, inst, widths);
}

static void formats_1_and_2(struct bits *bits, struct te_inst *inst,
			    const struct te_widths *widths)
{
	uint64_t map = inst->branch_map;
	uint8_t branches = inst->full ? 0 : inst->branches;

	if (inst->format == TE_BRANCHES) {
		small(bits, &branches, BRANCHES_BITS);
		field(bits, &map, map_bits(branches));
		inst->branch_map = (uint32_t)map;
		inst->full = !branches;
		inst->branches = branches ? branches : TE_BRANCHES_MOST;
		/* A full map has no address: decoding continues with the next packet. */
		if (inst->full)
			return;
	}
	tail(bits, inst, widths);
}

static void options(struct bits *bits, struct te_options *options)
{
	flag(bits, &options->sijump);
	flag(bits, &options->implicit_return);
	flag(bits, &options->branch_predictor);
	flag(bits, &options->jump_target_cache);
	flag(bits, &options->implicit_except);
	flag(bits, &options->full_iaddress);
	flag(bits, &options->resync_disabled);
	flag(bits, &options->iret_ext);
	small(bits, &options->time_width, 3);
	small(bits, &options->f0s_width, 2);
	small(bits, &options->return_stack_size, 3);
	small(bits, &options->call_counter_size, 4);
	small(bits, &options->bpred_size, 3);
	small(bits, &options->cache_size, 3);
}

/* The fields of the data trace follow, all of them 0: no data is traced. */
static void support(struct bits *bits, struct te_inst *inst)
{
	bool denable = false;

	flag(bits, &inst->ienable);
	small(bits, &inst->encoder_mode, MODE_BITS);
	small(bits, &inst->qual_status, QUAL_BITS);
	options(bits, &inst->options);
	flag(bits, &denable);
}

static void time_and_context(struct bits *bits, struct te_inst *inst,
			     const struct te_widths *widths)
{
	unsigned width = widths->options.time_width * TE_TIME_UNIT;
	uint64_t context = inst->context, beyond = 0;

	field(bits, &inst->time, width < 64 ? width : 64);
	field(bits, &beyond, width < 64 ? 0 : width - 64);
	field(bits, &context, widths->context_bits);
	inst->context = (uint32_t)context;
}

static void format_3(struct bits *bits, struct te_inst *inst,
		     const struct te_widths *widths)
{
	small(bits, &inst->subformat, FORMAT_BITS);
	if (inst->subformat == TE_SUPPORT) {
		support(bits, inst);
		return;
	}
	/* Only packets with an address have a branch at it. */
	if (inst->subformat != TE_CONTEXT)
		flag(bits, &inst->branch);
	small(bits, &inst->privilege, PRIVILEGE_BITS);
	time_and_context(bits, inst, widths);
	if (inst->subformat == TE_CONTEXT)
		return;
	if (inst->subformat == TE_TRAP) {
		small(bits, &inst->ecause, ECAUSE_BITS);
		flag(bits, &inst->interrupt);
		flag(bits, &inst->thaddr);
	}
	/* All of the address. That of a 32-bit hart is not extended. */
	address(bits, &inst->address, widths->xlen, widths->xlen == 64);
	if (inst->subformat == TE_TRAP && !inst->interrupt)
		field(bits, &inst->tval, widths->xlen);
}

static void all(struct bits *bits, struct te_inst *inst, const struct te_widths *widths)
{
	small(bits, &inst->format, FORMAT_BITS);
	if (inst->format == TE_SYNC)
		format_3(bits, inst, widths);
	else if (inst->format == TE_EXTENSION)
		format_0(bits, inst, widths);
	else
		formats_1_and_2(bits, inst, widths);
}

/*
 * How many bytes are left without those that repeat the sign of the one before. First the
 * sign fills the last byte.
 */
static unsigned compressed(struct bits *bits)
{
	unsigned n = (bits->at + 7) / 8;

	if (bits->at % 8 && bit_at(bits, bits->at - 1))
		bits->bytes[n - 1] |= (uint8_t)(0xff << bits->at % 8);
	while (n > 1 && bits->bytes[n - 1] == (bits->bytes[n - 2] & 0x80 ? 0xff : 0))
		n--;
	return n;
}

void te_put(struct buf *out, const struct te_inst *inst, const struct te_widths *widths,
	    uint32_t hart, unsigned source_bytes)
{
	struct bits bits = { .at = 0 };
	struct te_inst copy = *inst;
	unsigned n;

	all(&bits, &copy, widths);
	n = compressed(&bits);
	/* n fits into the 5 bits of the length: at most 26 bytes. */
	buf_put_u8(out, (uint8_t)n);
	for (unsigned i = 0; i < source_bytes; i++)
		buf_put_u8(out, (uint8_t)(hart >> 8 * i));
	buf_put(out, bits.bytes, n);
}

bool te_next(const uint8_t *data, size_t bytes, unsigned source_bytes, size_t *at,
	     struct te_span *span)
{
	uint8_t head = data[*at];
	size_t before = 1 + source_bytes + (head & EXTEND ? TIMESTAMP_BYTES : 0);

	*span = (struct te_span){ .bytes = head & LENGTH };
	/* Length 0 is idle time or alignment: this byte alone. */
	if (!span->bytes) {
		++*at;
		return true;
	}
	if (bytes - *at < before + span->bytes)
		return false;
	for (unsigned i = 0; i < source_bytes; i++)
		span->hart |= (uint32_t)data[*at + 1 + i] << 8 * i;
	span->at = *at + before;
	*at = span->at + span->bytes;
	return true;
}

void te_get(const uint8_t *payload, size_t bytes, const struct te_widths *widths,
	    struct te_inst *inst)
{
	struct bits bits = { .reads = true };

	memcpy(bits.bytes, payload, bytes);
	/* Undoes the compression: bytes that were left out repeat the sign. */
	memset(bits.bytes + bytes, payload[bytes - 1] & 0x80 ? 0xff : 0, ROOM - bytes);
	*inst = (struct te_inst){ .format = 0 };
	all(&bits, inst, widths);
}
