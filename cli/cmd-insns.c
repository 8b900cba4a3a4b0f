// SPDX-License-Identifier: GPL-2.0-or-later
/* waymark insns: the instructions a thread executed, in order. */
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/listing.h"
#include "cli/range.h"
#include "cli/source.h"
#include "export/insn_format.h"

#include <string.h>

static const char doc[] =
	"List the instructions that a thread executed, in order, from FILE "
	"(waymark.wmk)."
	"\vFormats: text (for people), qemu (lines of QEMU's -d in_asm log), execlog "
	"(lines of QEMU's execlog plugin), spike (Spike's -l log), csv, jsonl.";

static const struct insn_format *const formats[] = {
	&insn_text, &insn_qemu, &insn_execlog, &insn_spike, &insn_csv, &insn_jsonl,
};
enum { FORMATS = sizeof(formats) / sizeof(*formats) };

struct insns {
	struct source source;
	const struct insn_format *format;
	unsigned address_digits;
};

static void print(void *cookie, FILE *out, uint32_t id, uint32_t index)
{
	const struct insns *insns = cookie;
	const struct wm_trace *trace = insns->source.trace;
	uint32_t before = 0;
	struct wm_block block;
	struct place place;
	char disas[256];

	if (wm_trace_block(trace, id, &block))
		return;
	for (uint32_t i = 0; i < index; i++)
		before += block.sizes[i];
	source_place(&insns->source, block.address + before, &place);
	wm_trace_disas(trace, id, index, disas, sizeof(disas));

	struct insn insn = {
		.address = block.address + before,
		.address_digits = insns->address_digits,
		.code = block.code + before,
		.bytes = block.sizes[index],
		.disas = disas,
		.symbol = place.symbol,
		.module = place.module,
		.offset = place.offset,
		.vcpu = insns->source.stream.vcpu,
	};
	insns->format->print(out, &insn);
}

static int list(const struct range *range, struct wm_error *err)
{
	struct insns insns = { .format = formats[range->format] };
	struct listing listing = {
		.stream = range->thread,
		.per_insn = true,
		.from = range->from,
		.count = range->count,
		.header = insns.format->header,
		.before_ordinal = insns.format->before_ordinal,
		.ordinal_width = insns.format->ordinal_width,
		.print = print,
		.cookie = &insns,
	};
	const char *isa;
	int ret = source_open(&insns.source, range, err);

	if (ret)
		return ret;
	isa = wm_trace_meta(insns.source.trace, "guest-isa");
	insns.address_digits = isa && strstr(isa, "32") ? 8 : 16;
	listing.trace = insns.source.trace;
	ret = listing_print(&listing, err);
	source_close(&insns.source);
	return ret;
}

int cmd_insns(int argc, char **argv)
{
	const char *names[FORMATS + 1] = { NULL };
	struct range range = { .formats = names };
	struct wm_error err;

	for (unsigned i = 0; i < FORMATS; i++)
		names[i] = formats[i]->name;
	range_parse(&range, argc, argv, doc);
	return list(&range, &err) ? fail_on(range.file, &err) : EXIT_OK;
}
