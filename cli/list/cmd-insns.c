// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark insns: the instructions that a thread executed, in order; options and the loop
 * are in cli/list/listing.c.
 *
 * Formats print the code of an instruction as QEMU's log does: as the numbers that the
 * ISA defines it in. These are single bytes on x86, half-words in Thumb, and one number
 * of the instruction's size elsewhere. Example: the four bytes 13 05 10 00 are 00100513
 * on RISC-V, f7ff fffe is a Thumb branch in two half-words, and 48 89 e5 are three bytes
 * of x86.
 */
#include "cli/command.h"
#include "cli/list/listing.h"
#include "export/insn_format.h"

static const char doc[] =
	"List the instructions that a thread executed, in order, from FILE "
	"(waymark.wmk)."
	"\v";

/*
 * The width of the code's column in QEMU's log, which formats that imitate it must match.
 */
static unsigned log_width(const struct source *source, unsigned unit)
{
	if (source->isa == SOURCE_RISCV)
		return 16;
	return unit == 1 ? 23 : unit == 2 ? 9 : 8;
}

/* Sets where the instruction comes from, if that is asked for and known. */
static void set_line(struct insn *insn, const struct source *source,
		     const struct line *line)
{
	struct srcline at;

	if (!source_srcline(source, line->space, insn->address, line->id, &at))
		return;
	insn->source = srclines_path(source->lines, at.source);
	insn->source_line = at.number;
}

/* `before` is the number of bytes of the block that precede the instruction. */
static void print(FILE *out, const struct line_format *format,
		  const struct source *source, const struct line *line)
{
	const struct insn_format *insns = (const struct insn_format *)format;
	uint32_t before = 0;
	struct wm_block block;
	struct code_name place;
	char disas[256];
	unsigned unit;

	if (wm_trace_block(source->trace, line->id, &block))
		return;
	for (uint32_t i = 0; i < line->index; i++)
		before += block.sizes[i];
	source_name(source, line->space, block.address + before, line->id, &place);
	if (insns->in_qemus_words)
		wm_trace_disas_qemu(source->trace, line->id, line->index, disas,
				    sizeof(disas));
	else
		wm_trace_disas(source->trace, line->id, line->index, disas,
			       sizeof(disas));

	unit = source_code_unit(source, line->id, &block, line->index);
	struct insn insn = {
		.address = block.address + before,
		.address_digits = source->address_digits,
		.log_digits = source->log_digits,
		.code = block.code + before,
		.bytes = block.sizes[line->index],
		.unit = unit,
		.log_width = log_width(source, unit),
		.disas = disas,
		.symbol = place.symbol,
		.module = place.module,
		.offset = place.offset,
		.vcpu = line->stream->vcpu,
	};
	set_line(&insn, source, line);
	insns->print(out, &insn);
}

int cmd_insns(int argc, char **argv)
{
	static const struct listing listing = {
		.doc = doc,
		.per_insn = true,
		.kind = FORMAT_INSNS,
		.print = print,
	};

	return listing_run(&listing, argc, argv);
}
