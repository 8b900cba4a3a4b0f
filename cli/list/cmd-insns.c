// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark insns: the instructions that threads executed, in order. The code of an
 * instruction is printed as the numbers it is made of, which differ by ISA: bytes on x86,
 * half-words in Thumb, one number elsewhere.
 */
#include "cli/command.h"
#include "cli/list/listing.h"
#include "export/insn_format.h"
#include "isa/arm.h"

static const char doc[] =
	"List the instructions that a thread executed, in order, from FILE "
	"(waymark.wmk)."
	"\v";

/* Bytes of the numbers that an instruction's code is made of. */
static unsigned unit_of(const struct source *source, const struct wm_block *block,
			uint32_t index)
{
	if (source->isa == SOURCE_X86)
		return 1;
	if (source->isa == SOURCE_ARM &&
	    arm_set_of(block->address, block->sizes, block->insns, block->code) ==
		    ARM_THUMB)
		return 2;
	return block->sizes[index];
}

/* How wide the field for the code is in QEMU's log. */
static unsigned log_width(const struct source *source, unsigned unit)
{
	if (source->isa == SOURCE_RISCV)
		return 16;
	return unit == 1 ? 23 : unit == 2 ? 9 : 8;
}

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

	unit = unit_of(source, &block, line->index);
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
