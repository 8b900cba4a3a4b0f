// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packs the fields of N-Trace messages into bytes, and reads them back. One table has the
 * fields of each message, and both directions follow it, so that they cannot differ. The
 * source follows every code. A timestamp may follow the last field of any message: it is
 * there when the message has one field more.
 *
 * Addresses have the bits 1 to xlen - 1. With the virtual addresses optimization those at
 * the top that are equal are left out, and the highest bit of the last MDO stands for them:
 * ffffffff800031f4 takes 6 bytes instead of 11.
 *
 * Example: DirectBranch of source 1 (8 bits) with I-CNT 5: code 3 is the byte 0c; then
 * come the bits of 01 and 101, in MDOs 000001, 010100: bytes 04 (MSEO 0) and 53 (MSEO 3).
 */
#include "packets/nexus.h"

#include <string.h>

/* An idle byte has MSEO 3 after a message that has ended: no message begins so. */
enum { MDO_BITS = 6, TCODE_BITS = 6, IDLE = 0xff };
enum { MSEO_GOES_ON = 0, MSEO_FIELD_ENDS = 1, MSEO_RESERVED = 2, MSEO_ENDS = 3 };
enum { FIELDS_MOST = 5, WIDTH_MOST = 64 };

#define VARIABLE 0

struct layout {
	uint8_t tcode, n;
	struct {
		uint8_t field, bits; /* bits: of a fixed field, or VARIABLE */
	} fields[FIELDS_MOST];
};

/*
 * Fields that several messages have: { field, bits }. SYNC and B-TYPE have fixed widths;
 * the others end with their byte.
 */
#define SYNC                  \
	{                     \
		NEXUS_SYNC, 4 \
	}
#define B_TYPE                  \
	{                       \
		NEXUS_B_TYPE, 2 \
	}
#define I_CNT                         \
	{                             \
		NEXUS_I_CNT, VARIABLE \
	}
#define F_ADDR                         \
	{                              \
		NEXUS_F_ADDR, VARIABLE \
	}
#define U_ADDR                         \
	{                              \
		NEXUS_U_ADDR, VARIABLE \
	}
#define HIST                         \
	{                            \
		NEXUS_HIST, VARIABLE \
	}

static const struct layout layouts[] = {
	{ NEXUS_OWNERSHIP, 1, { { NEXUS_PROCESS, VARIABLE } } },
	{ NEXUS_DIRECT_BRANCH, 1, { I_CNT } },
	{ NEXUS_INDIRECT_BRANCH, 3, { B_TYPE, I_CNT, U_ADDR } },
	{ NEXUS_ERROR, 2, { { NEXUS_ETYPE, 4 }, { NEXUS_ECODE, VARIABLE } } },
	{ NEXUS_PROG_TRACE_SYNC, 3, { SYNC, I_CNT, F_ADDR } },
	{ NEXUS_DIRECT_BRANCH_SYNC, 3, { SYNC, I_CNT, F_ADDR } },
	{ NEXUS_INDIRECT_BRANCH_SYNC, 4, { SYNC, B_TYPE, I_CNT, F_ADDR } },
	{ NEXUS_RESOURCE_FULL,
	  3,
	  { { NEXUS_RCODE, 4 }, { NEXUS_RDATA, VARIABLE }, { NEXUS_HREPEAT, VARIABLE } } },
	{ NEXUS_INDIRECT_BRANCH_HIST, 4, { B_TYPE, I_CNT, U_ADDR, HIST } },
	{ NEXUS_INDIRECT_BRANCH_HIST_SYNC, 5, { SYNC, B_TYPE, I_CNT, F_ADDR, HIST } },
	{ NEXUS_REPEAT_BRANCH, 1, { { NEXUS_B_CNT, VARIABLE } } },
	{ NEXUS_PROG_TRACE_CORRELATION,
	  4,
	  { { NEXUS_EVCODE, 4 }, { NEXUS_CDF, 2 }, I_CNT, HIST } },
};

static const struct layout *layout_of(unsigned tcode)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].tcode == tcode)
			return &layouts[i];
	return NULL;
}

/*
 * How many of the layout's fields a message has: a correlation has its last one, the
 * history, only if CDF is not 0, and a full resource its count only for RCODE 2.
 */
static unsigned fields_of(const struct layout *layout, const uint64_t *fields)
{
	bool no_history = layout->tcode == NEXUS_PROG_TRACE_CORRELATION &&
			  !fields[NEXUS_CDF];
	bool no_count = layout->tcode == NEXUS_RESOURCE_FULL &&
			fields[NEXUS_RCODE] != NEXUS_R_REPEATED;

	return layout->n - (no_history || no_count);
}

static bool is_address(enum nexus_field field)
{
	return field == NEXUS_F_ADDR || field == NEXUS_U_ADDR;
}

/* An address without its lowest bit, whose highest bit is that of all bits above it. */
static int64_t extended(uint64_t address, unsigned xlen)
{
	return (int64_t)(address << (65 - xlen)) >> (65 - xlen);
}

/* ---- to bytes ---------------------------------------------------------------------------- */

struct packer {
	struct buf *out;
	uint64_t mdo; /* bits that are not in a byte yet */
	unsigned n;   /* how many; below MDO_BITS between two fields */
};

/* Puts the lowest 6 bits, with MSEO 0. mark() sets the MSEO where a field ends. */
static void put_byte(struct packer *packer)
{
	buf_put_u8(packer->out, (uint8_t)(packer->mdo % 64 << 2));
	packer->mdo >>= MDO_BITS;
	packer->n = packer->n > MDO_BITS ? packer->n - MDO_BITS : 0;
}

static void put_fixed(struct packer *packer, uint64_t value, unsigned bits)
{
	packer->mdo |= value << packer->n;
	packer->n += bits;
	while (packer->n >= MDO_BITS)
		put_byte(packer);
}

/*
 * Puts a field of variable size: it begins in the byte of the fixed fields before it, and
 * has at least that byte or one of zeros, so that the reader sees where it ends.
 */
static void put_variable(struct packer *packer, uint64_t value)
{
	unsigned room = MDO_BITS - packer->n;

	packer->mdo |= value % (UINT64_C(1) << room) << packer->n;
	put_byte(packer);
	packer->n = 0;
	for (value >>= room; value; value >>= MDO_BITS) {
		packer->mdo = value % 64;
		put_byte(packer);
	}
	packer->mdo = 0;
}

/* The same for an address: up to the MDO whose highest bit is that of all that follow. */
static void put_extended(struct packer *packer, int64_t value)
{
	unsigned room = MDO_BITS - packer->n;

	for (bool more = true; more; room = MDO_BITS) {
		bool top = value >> (room - 1) & 1;

		packer->mdo |= ((uint64_t)value & ((1u << room) - 1)) << packer->n;
		put_byte(packer);
		packer->n = 0;
		packer->mdo = 0;
		value >>= room;
		more = value != -(int64_t)top;
	}
}

static void put_value(struct packer *packer, enum nexus_field field, uint64_t value,
		      const struct nexus_form *form)
{
	if (form->extended_xlen && is_address(field))
		put_extended(packer, extended(value, form->extended_xlen));
	else
		put_variable(packer, value);
}

/*
 * Marks the last byte as the end of a field, or of the message. Bits of fixed fields that
 * are left make a byte first.
 */
static void mark(struct packer *packer, unsigned mseo)
{
	if (packer->n)
		put_byte(packer);
	packer->n = 0;
	packer->mdo = 0;
	if (!packer->out->failed)
		packer->out->data[packer->out->len - 1] |= (uint8_t)mseo;
}

void nexus_put(struct buf *out, const struct nexus_message *message,
	       const struct nexus_form *form)
{
	const struct layout *layout = layout_of(message->tcode);
	unsigned n = fields_of(layout, message->fields);
	struct packer packer = { .out = out };

	put_fixed(&packer, message->tcode, TCODE_BITS);
	put_fixed(&packer, message->source, form->source_bits);
	for (unsigned i = 0; i < n; i++) {
		uint64_t value = message->fields[layout->fields[i].field];
		/* The last field is marked below, as the end of the message. */
		bool last = i + 1 == n && !message->has_time;

		if (layout->fields[i].bits) {
			put_fixed(&packer, value, layout->fields[i].bits);
			continue;
		}
		put_value(&packer, layout->fields[i].field, value, form);
		if (!last)
			mark(&packer, MSEO_FIELD_ENDS);
	}
	if (message->has_time)
		put_variable(&packer, message->time);
	mark(&packer, MSEO_ENDS);
}

/* ---- from bytes -------------------------------------------------------------------------- */

struct unpacker {
	const uint8_t *data;
	size_t bytes, at;
	unsigned bit;	   /* the next bit of the MDO at `at` */
	unsigned mseo;	   /* of the byte before `at`, when bit is 0 */
	const char *fault; /* NULL: none so far */
};

/* Keeps the first fault; look() then returns nothing more. */
static void fault(struct unpacker *in, const char *why)
{
	if (!in->fault)
		in->fault = why;
}

/* The byte whose bits come next; false at the end of the data. */
static bool look(struct unpacker *in, uint8_t *byte)
{
	if (in->at == in->bytes) {
		fault(in, "the file ends within a message");
		return false;
	}
	*byte = in->data[in->at];
	if ((*byte & 3) == MSEO_RESERVED)
		fault(in, "a reserved MSEO");
	return !in->fault;
}

static uint64_t get_fixed(struct unpacker *in, unsigned bits)
{
	uint64_t value = 0;
	uint8_t byte;

	for (unsigned i = 0; i < bits && look(in, &byte); i++) {
		/*
		 * The field before filled the last byte of the message: nothing is left.
		 */
		if (!in->bit && in->mseo == MSEO_ENDS) {
			fault(in, "the message ends within its fields");
			break;
		}
		value |= (uint64_t)(byte >> (2 + in->bit) & 1) << i;
		if (++in->bit == MDO_BITS) {
			in->bit = 0;
			in->mseo = byte & 3;
			in->at++;
		}
	}
	return value;
}

/* Zeros above 64 bits are allowed: an encoder may send leading zeros. */
static void add_bits(struct unpacker *in, uint64_t *value, unsigned *width, uint64_t bits,
		     unsigned n)
{
	if (*width < WIDTH_MOST)
		*value |= bits << *width;
	if (bits && (*width >= WIDTH_MOST || bits << *width >> *width != bits))
		fault(in, "a field of more than 64 bits");
	*width += n;
}

static uint64_t get_variable(struct unpacker *in)
{
	uint64_t value = 0;
	unsigned width = 0;
	uint8_t byte;

	if (!in->bit && in->mseo == MSEO_ENDS)
		fault(in, "the message ends before its last field");
	while (look(in, &byte)) {
		add_bits(in, &value, &width, byte >> (2 + in->bit), MDO_BITS - in->bit);
		in->bit = 0;
		in->mseo = byte & 3;
		in->at++;
		if (in->mseo != MSEO_GOES_ON)
			break;
	}
	return value;
}

/* The same, and which bits the MDOs had: above them the highest one goes on. */
static uint64_t get_extended(struct unpacker *in, unsigned xlen)
{
	uint64_t value = 0;
	unsigned width = 0;
	uint8_t byte;

	if (!in->bit && in->mseo == MSEO_ENDS)
		fault(in, "the message ends before its last field");
	while (look(in, &byte)) {
		unsigned n = MDO_BITS - in->bit;
		int64_t bits = (int8_t)byte >> (2 + in->bit);

		/* The last MDO has the top: each replaces what the one before said of it. */
		if (width < xlen)
			value = (value & ((UINT64_C(1) << width) - 1)) | (uint64_t)bits
										 << width;
		width += n;
		in->bit = 0;
		in->mseo = byte & 3;
		in->at++;
		if (in->mseo != MSEO_GOES_ON)
			break;
	}
	return value & UINT64_MAX >> (65 - xlen);
}

/* Skips the rest of a message, up to its last byte: fields that are not known here. */
static void pass(struct unpacker *in)
{
	uint8_t byte;

	if (!in->bit && in->mseo == MSEO_ENDS)
		return;
	while (look(in, &byte)) {
		in->bit = 0;
		in->mseo = byte & 3;
		in->at++;
		if (in->mseo == MSEO_ENDS)
			break;
	}
}

static uint64_t get_value(struct unpacker *in, enum nexus_field field,
			  const struct nexus_form *form)
{
	return form->extended_xlen && is_address(field) ?
		       get_extended(in, form->extended_xlen) :
		       get_variable(in);
}

static void get_fields(struct unpacker *in, const struct layout *layout,
		       struct nexus_message *message, const struct nexus_form *form)
{
	for (unsigned i = 0; i < fields_of(layout, message->fields); i++) {
		enum nexus_field field = layout->fields[i].field;
		unsigned bits = layout->fields[i].bits;

		message->fields[field] = bits ? get_fixed(in, bits) :
						get_value(in, field, form);
	}
	/*
	 * A field more is the time. After a fixed field the rest of its byte is padding:
	 * then `bit` is not 0.
	 */
	message->has_time = !in->fault && !in->bit && in->mseo != MSEO_ENDS;
	if (message->has_time)
		message->time = get_variable(in);
	pass(in);
}

enum nexus_found nexus_get(const uint8_t *data, size_t bytes, size_t *at,
			   const struct nexus_form *form, struct nexus_message *message,
			   const char **why)
{
	struct unpacker in = { .data = data, .bytes = bytes, .at = *at };
	const struct layout *layout;

	while (in.at < bytes && data[in.at] == IDLE)
		in.at++;
	/* Past idle time: of a bad message *at is the first byte. */
	*at = in.at;
	if (in.at == bytes)
		return NEXUS_END;
	memset(message, 0, sizeof(*message));
	message->tcode = (uint8_t)get_fixed(&in, TCODE_BITS);
	message->source = (uint16_t)get_fixed(&in, form->source_bits);
	layout = layout_of(message->tcode);
	if (layout)
		get_fields(&in, layout, message, form);
	else
		pass(&in);
	if (in.fault) {
		*why = in.fault;
		return NEXUS_BAD;
	}
	*at = in.at;
	return layout ? NEXUS_MESSAGE : NEXUS_OTHER;
}
