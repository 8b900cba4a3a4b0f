// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which bytecode of a managed program an instruction is of, for users of the library.
 *
 * Invariant: strings are those of the trace's notes or constants, so they stay valid until
 * wm_bytecodes_free().
 */
#include "base/error.h"
#include "base/sized.h"
#include "managed/label_source.h"
#include "waymark.h"

/* The public type is that of managed/, which is not named here. */
static struct label_source *source_of(struct wm_bytecodes *bytecodes)
{
	return (struct label_source *)bytecodes;
}

int wm_bytecodes_new(struct wm_bytecodes **bytecodes, const struct wm_trace *trace,
		     struct wm_error *err)
{
	struct label_source *source;
	int ret = label_source_new(&source, trace, err);

	if (ret) {
		label_source_free(source);
		source = NULL;
	}
	*bytecodes = (struct wm_bytecodes *)source;
	return ret;
}

void wm_bytecodes_free(struct wm_bytecodes *bytecodes)
{
	label_source_free(source_of(bytecodes));
}

int wm_bytecodes_at_sized(struct wm_bytecodes *bytecodes, unsigned stream, uint64_t insn,
			  struct wm_bytecode *bytecode, size_t bytes,
			  struct wm_error *err)
{
	struct wm_bytecode mine = { .method = NULL };
	struct walk_step step;
	int ret = label_source_at(source_of(bytecodes), stream, insn, &step, err);

	if (!ret && step.unit)
		mine = (struct wm_bytecode){
			.method = step.unit->name,
			.signature = step.unit->detail,
			.source = step.unit->file,
			.opcode = unit_opcode(step.unit, step.offset),
			.note = bytecode_kind(&step).note,
			.insn_ordinal = step.insn,
			.offset = step.offset,
			.line = unit_line(step.unit, step.offset),
		};
	SIZED_PUT(bytecode, bytes, &mine);
	return ret ? ret : step.unit ? WM_OK : WM_END;
}
