// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the decoders of both formats share: errors with their place, traps, and the order
 * of packets.
 *
 * Harts send their packets in turn, and each hart is decoded by itself. A trace of
 * Waymark has one stream after the other, so packets are sorted by their hart first. The
 * order of one hart's packets is kept, and only one hart's state is in memory at a time.
 *
 * Example: packets of harts 0 1 0 1 at offsets 0, 9, 14, 30 become 0 at 0 and 14, 1 at 9
 * and 30.
 */
#include "packets/follow.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/append.h"
#include "base/error.h"

static int fail(const struct packet_follow *follow, const char *format, va_list args,
		const char *why)
{
	char text[160];

	vsnprintf(text, sizeof(text), format, args);
	return wm_fail(follow->err, WM_E_FORMAT, follow->off, "%s%s", text, why);
}

int packet_fail(const struct packet_follow *follow, const char *format, ...)
{
	va_list args;
	int ret;

	va_start(args, format);
	ret = fail(follow, format, args, "");
	va_end(args);
	return ret;
}

int packet_astray(const struct packet_follow *follow, const char *format, ...)
{
	va_list args;
	int ret;

	va_start(args, format);
	ret = fail(follow, format, args,
		   ": the packets are of other code than was given, or damaged");
	va_end(args);
	return ret;
}

const struct packet_insn *packet_insn_at(const struct packet_follow *follow,
					 uint64_t address)
{
	const struct packet_insn *insn = packet_code_at(follow->code, address);

	if (!insn)
		packet_fail(follow,
			    "the trace leads to 0x%llx, where no given file has code",
			    (unsigned long long)address);
	return insn;
}

int packet_trap(const struct packet_follow *follow, const struct packet_trap *trap)
{
	const struct packet_sink *sink = follow->sink;
	const struct packet_insn *insn = packet_code_at(follow->code, trap->epc);
	int ret = 0;

	/* The instruction at epc began: it is on the path, although it did not retire. */
	if (!trap->interrupt && insn)
		ret = sink->insn(sink->cookie, trap->epc, insn, follow->err);
	return ret ? ret : sink->trap(sink->cookie, trap, follow->err);
}

/*
 * Only the places are kept: packets are decoded again, from the file's bytes, when their
 * hart's turn comes.
 */
bool packet_places_add(struct packet_places *places, uint32_t hart, uint64_t off)
{
	struct packet_place place = { hart, off };

	return APPEND(places->all, places->n, place);
}

/* By offset within a hart: qsort() alone would not keep the order. */
static int compare(const void *left, const void *right)
{
	const struct packet_place *a = left, *b = right;

	if (a->hart != b->hart)
		return a->hart < b->hart ? -1 : 1;
	return a->off < b->off ? -1 : a->off > b->off;
}

void packet_places_sort(struct packet_places *places)
{
	if (places->n)
		qsort(places->all, places->n, sizeof(*places->all), compare);
}

size_t packet_places_same(const struct packet_places *places, size_t first)
{
	size_t n = 1;

	while (first + n < places->n &&
	       places->all[first + n].hart == places->all[first].hart)
		n++;
	return n;
}
