// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BOLT's profile of a linked program, which `llvm-bolt -data=FILE` reads: a line for each
 * branch that was taken, with the places it leads from and to, how often it was mispredicted
 * (here always 0) and how often it was taken. A place is a symbol and the bytes from there.
 *
 *	1 main 3b 1 work/1 0 0 5000
 *
 * Several symbols that only their own object files know may have one name. BOLT numbers those
 * in the order of their addresses: "work/1", "work/2". A line where a conditional branch was
 * not taken leads to the instruction after it.
 *
 * Code outside the program is the place 0 of "[unknown]", from and to which BOLT counts calls
 * and returns only.
 */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "export/cfg_format.h"
#include "program/locals.h"

struct writer {
	FILE *out;
	const struct cfg_picture *picture;
	const char *program; /* path of the file; NULL: there is none */
	struct locals locals;
	bool has_locals;
};

/*
 * A block's function, when it is code of the program and has a symbol; else NULL. Stubs have
 * names of Waymark's, with an @, and BOLT makes new ones.
 */
static const struct function *function_of(const struct writer *writer, uint32_t index)
{
	const struct cfg_block *block = &writer->picture->cfg->blocks[index];
	const struct function *function =
		functions_get(writer->picture->functions, block->function);

	if (!function->symbol || strchr(function->symbol, '@') || !function->module ||
	    !writer->program || strcmp(function->module, writer->program) != 0)
		return NULL;
	return function;
}

/* Blanks would end a name; BOLT takes them after a backslash. */
static void put_name(FILE *out, const char *name)
{
	for (; *name; name++) {
		if (*name == ' ')
			putc('\\', out);
		putc((unsigned char)*name < ' ' ? '?' : *name, out);
	}
}

static void put_place(struct writer *writer, uint32_t index, uint64_t offset)
{
	const struct cfg_block *block = &writer->picture->cfg->blocks[index];
	const struct function *function = function_of(writer, index);
	struct origin origin;
	uint32_t number;

	if (!function) {
		fputs("0 [unknown] 0 ", writer->out);
		return;
	}
	fputs("1 ", writer->out);
	put_name(writer->out, function->symbol);
	/* The file of the first block stands for the program. */
	if (!writer->has_locals &&
	    symbols_origin(writer->picture->symbols, block->space, block->address,
			   writer->picture->cfg->insns[block->first_insn].id, &origin)) {
		locals_read(&writer->locals, writer->picture->symbols, origin.file);
		writer->has_locals = true;
	}
	number = locals_number(&writer->locals, function->start);
	if (number)
		fprintf(writer->out, "/%" PRIu32, number);
	fprintf(writer->out, " %" PRIx64 " ", block->offset + offset);
}

/* The bytes from a block's start to its last instruction. */
static uint64_t last_of(const struct writer *writer, const struct cfg_block *block)
{
	const struct cfg_picture *picture = writer->picture;
	const struct cfg_insn *last =
		&picture->cfg->insns[block->first_insn + block->insns - 1];
	struct wm_block code;

	return wm_trace_block(picture->trace, last->id, &code) ?
		       0 :
		       block->bytes - code.sizes[last->index];
}

/*
 * Whether BOLT can use an edge: no signal, nothing between two instructions that follow each
 * other without a branch, and not all of it outside.
 */
static bool is_branch(const struct writer *writer, const struct cfg_edge *edge)
{
	const struct cfg_block *from = &writer->picture->cfg->blocks[edge->from];

	if (edge->kind == CFG_INTERRUPTED ||
	    (edge->kind == CFG_FALLTHROUGH && from->flow.kind != FLOW_BRANCH))
		return false;
	return function_of(writer, edge->from) || function_of(writer, edge->to);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * The program has the name by which it was started. One that was started by a link has
 * another name: then it is the first file that is no dynamic linker.
 */
static const char *program_of(const struct wm_trace *trace)
{
	struct wm_space space;
	struct wm_module module;
	const char *first = NULL;

	if (wm_trace_space(trace, 0, &space))
		return NULL;
	for (unsigned i = 0; !wm_trace_module(trace, i, &module); i++) {
		const char *base = base_of(module.path);

		if (*base && !strcmp(base, base_of(space.name)))
			return module.path;
		if (!first && *base && strncmp(base, "ld", 2) != 0)
			first = module.path;
	}
	return first;
}

static int write_all(FILE *out, const struct cfg_picture *picture, struct wm_error *err)
{
	struct writer writer = { .out = out, .picture = picture };
	const struct cfg *cfg = picture->cfg;
	bool failed;

	writer.program = program_of(picture->trace);
	for (uint32_t i = 0; i < cfg->n_edges && !ferror(out); i++) {
		const struct cfg_edge *edge = &cfg->edges[i];

		if ((!picture->picked[edge->from] && !picture->picked[edge->to]) ||
		    !is_branch(&writer, edge))
			continue;
		put_place(&writer, edge->from,
			  last_of(&writer, &cfg->blocks[edge->from]));
		put_place(&writer, edge->to, 0);
		fprintf(out, "0 %" PRIu64 "\n", edge->count);
	}
	failed = writer.locals.failed;
	locals_fini(&writer.locals);
	return failed ? wm_fail_nomem(err, "symbols") : 0;
}

const struct cfg_format cfg_bolt = {
	.format = { "bolt", FORMAT_CFG, "fdata", "a profile of branches, for llvm-bolt" },
	.write = write_all,
};
