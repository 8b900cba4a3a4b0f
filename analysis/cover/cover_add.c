// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Adds a run to a cover.
 *
 * The instructions of a run come in the order of files and places. When the first
 * instruction of a file comes, everything in that file is listed: functions, lines and
 * branches, none of them reached. Then those that ran are marked. So a file of which
 * nothing ran is not in the cover, and a file that ran is there with all that did not
 * run.
 *
 * Runs number their files and sources by themselves. They are translated by name: a file
 * by path and build-id, a source by path.
 *
 * Example: the first run reaches f but not g of a.out, the second one g. Both are listed
 * in the first run; f has first = 1 and g has first = 2.
 */
#include "analysis/cover/cover.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/branches.h"
#include "analysis/cover/cover_index.h"
#include "analysis/cover/cover_methods.h"
#include "analysis/executed.h"
#include "analysis/insn_counts.h"
#include "analysis/methods/bytecodes.h"
#include "base/append.h"
#include "base/error.h"
#include "base/pattern.h"
#include "isa/flow.h"
#include "program/demangle.h"
#include "trace/trace.h"

#define NO_MODULE UINT32_MAX

/* A symbol of more than 16 MiB is taken for damaged: its branches are not listed. */
enum { CODE_BYTES_MAX = 1 << 24 };

/* A run as it is added. */
struct adding {
	struct cover *cover;
	const struct cover_run *run;
	uint32_t number;
	uint32_t *modules; /* [symbols_files()] by the run's number; NO_MODULE: not yet */
	uint32_t *sources; /* [n_sources] by the run's number; 0: not yet */
	uint32_t n_sources;
	uint32_t listed; /* the file that is being listed */
	unsigned xlen;	 /* 0: not RISC-V */
	bool failed;	 /* no memory */
	/* Whether the function that was looked up last matches the pattern. */
	const char *seen_name; /* its; NULL: none was */
	bool seen_wanted;
	const struct bytecodes *bytecodes; /* that ran */
};

/* ---- lines --------------------------------------------------------------- */

/* Sources are numbered one after the other, so an array by number serves as the map. */
static bool make_source_room(struct adding *adding, uint32_t source)
{
	uint32_t n = source * 2 + 64, *grown;

	if (source < adding->n_sources)
		return true;
	grown = reallocarray(adding->sources, n, sizeof(*grown));
	if (!grown)
		return false;
	memset(grown + adding->n_sources, 0, (n - adding->n_sources) * sizeof(*grown));
	adding->sources = grown;
	adding->n_sources = n;
	return true;
}

/* A source's number in the run becomes that in the cover; 0: no memory. */
static uint32_t translate(struct adding *adding, uint32_t source)
{
	const char *path;
	bool fresh;

	if (!make_source_room(adding, source))
		return 0;
	if (!adding->sources[source]) {
		path = srclines_path(adding->run->of.lines, source);
		adding->sources[source] = intern(&adding->cover->sources, 0,
						 (const uint8_t *)path,
						 (uint32_t)strlen(path) + 1, &fresh);
	}
	return adding->sources[source];
}

/*
 * The line of a place, with the cover's number of its source; false when there is none.
 */
static bool line_at(struct adding *adding, const struct origin *origin,
		    struct srcline *line)
{
	if (!srclines_at(adding->run->of.lines, origin, line))
		return false;
	line->source = translate(adding, line->source);
	adding->failed |= !line->source;
	return line->source;
}

/* ---- all there is in a file ---------------------------------------------- */

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/*
 * Stubs for functions of other files have no code of their own; and places must fit the
 * index.
 */
static bool is_function(const struct symbol_range *range)
{
	return range->start < range->end && !(range->end >> COVER_PLACE_BITS) &&
	       !ends_in(range->name, "@plt");
}

/* A pattern may be written for the name in the file or for the demangled one, or its parts. */
static bool fits(struct adding *adding, const char *symbol)
{
	const char *pattern = adding->run->of.function;
	char *name;
	bool fit;

	if (!pattern || pattern_fits(pattern, symbol))
		return true;
	name = demangle(symbol);
	fit = name && demangle_fits(pattern, name);
	adding->failed |= !name;
	free(name);
	return fit;
}

/* Whether a place is in a function that matches the pattern. */
static bool is_wanted(struct adding *adding, const struct origin *origin)
{
	struct symbol_range range;

	if (!adding->run->of.function)
		return true;
	if (!symbols_over(adding->run->of.symbols, origin, &range))
		return false;
	/*
	 * Instructions come in order, so most are in the same function as the one before.
	 */
	if (range.name != adding->seen_name) {
		adding->seen_name = range.name;
		adding->seen_wanted = is_function(&range) && fits(adding, range.name);
	}
	return adding->seen_wanted;
}

/*
 * A branch is listed with its file and once more when it runs. Its line is looked up
 * until it is found.
 */
static void list_branch(struct adding *adding, uint32_t module,
			const struct origin *origin)
{
	struct cover_branch *branch =
		cover_branch_at(adding->cover, module, origin->file_off);

	adding->failed |= !branch;
	if (branch && !branch->line.source)
		line_at(adding, origin, &branch->line);
}

/* Lists the branches in code[bytes] of a function. */
static void list_branches(struct adding *adding, uint32_t module, struct origin origin,
			  const uint8_t *code, size_t bytes)
{
	while (bytes >= 2) {
		uint32_t word = code[0] | (uint32_t)code[1] << 8;
		/* RISC-V: the two lowest bits of a 32-bit instruction are set. */
		uint32_t size = (word & 3) == 3 ? 4 : 2;

		if (size > bytes)
			return;
		if (size == 4)
			word |= (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
		if (flow_riscv(word, adding->xlen, 0).kind == FLOW_BRANCH)
			list_branch(adding, module, &origin);
		origin.file_off += size;
		code += size;
		bytes -= size;
	}
}

static void read_branches(struct adding *adding, uint32_t module,
			  const struct origin *origin, size_t bytes)
{
	uint8_t *code;
	size_t n;

	/*
	 * Only RISC-V code can be read without a disassembler that knows where
	 * instructions begin.
	 */
	if (!adding->cover->has_branches || !adding->xlen || bytes > CODE_BYTES_MAX)
		return;
	code = malloc(bytes);
	if (code) {
		n = symbols_read(adding->run->of.symbols, origin->file, origin->file_off,
				 code, bytes);
		list_branches(adding, module, *origin, code, n);
	}
	adding->failed |= !code;
	free(code);
}

static void list_function(struct adding *adding, uint32_t module, uint32_t file,
			  const struct symbol_range *range)
{
	struct origin origin = { file, range->start };
	struct cover_function *function =
		cover_function_at(adding->cover, module, range->start);

	adding->failed |= !function;
	/* It has a name: an earlier run has listed it. */
	if (!function || function->name)
		return;
	function->name = demangle(range->name);
	function->end = range->end;
	adding->failed |= !function->name;
	line_at(adding, &origin, &function->line);
	read_branches(adding, module, &origin, range->end - range->start);
}

static bool list_line(void *cookie, const struct srcline_range *range)
{
	struct adding *adding = cookie;
	struct origin origin = { adding->listed, range->start };
	struct srcline line = range->line;

	if (!is_wanted(adding, &origin))
		return !adding->failed;
	line.source = translate(adding, line.source);
	adding->failed |= !line.source || !cover_line_at(adding->cover, &line);
	return !adding->failed;
}

/* Finds where spaces had mapped the file, and how far its image extends. */
static void place_module(struct adding *adding, struct cover_module *module,
			 uint32_t file)
{
	struct wm_module mapped;

	for (unsigned i = 0; wm_trace_module(adding->run->of.trace, i, &mapped) == 0;
	     i++) {
		struct origin origin = { file, mapped.file_off };
		uint64_t off, end;

		if (strcmp(mapped.path, module->path) != 0 ||
		    strcmp(mapped.build_id, module->build_id) != 0)
			continue;
		off = symbols_image_off(adding->run->of.symbols, &origin);
		end = off + (mapped.end - mapped.start);
		/*
		 * The base is that of the first mapping: for exports that need an
		 * address. Other spaces may have the file elsewhere.
		 */
		if (!module->image_bytes)
			module->base = mapped.start - off;
		if (end > module->image_bytes)
			module->image_bytes = end;
	}
}

/* Names such as [vdso] are no paths, and the trace has all of their code. */
static bool is_gone(struct symbols *symbols, uint32_t file, const char *path)
{
	int fd = *path == '/' ? symbols_open(symbols, file) : -1;

	if (fd >= 0)
		close(fd);
	return *path == '/' && fd < 0;
}

static void list_file(struct adding *adding, uint32_t module, uint32_t file)
{
	struct cover_module *listed = &adding->cover->modules[module];
	struct symbol_range range;

	place_module(adding, listed, file);
	listed->gone = is_gone(adding->run->of.symbols, file, listed->path);
	for (uint32_t i = 0;
	     !adding->failed && symbols_at(adding->run->of.symbols, file, i, &range); i++)
		if (is_function(&range) && fits(adding, range.name))
			list_function(adding, module, file, &range);
	adding->listed = file;
	if (!adding->failed)
		srclines_each(adding->run->of.lines, file, list_line, adding);
}

/* The module of a file of the run; a new one is listed. */
static uint32_t module_of(struct adding *adding, uint32_t file)
{
	const char *build_id, *path;
	struct cover_module *module;

	if (adding->modules[file] != NO_MODULE)
		return adding->modules[file];
	path = symbols_file(adding->run->of.symbols, file, &build_id);
	module = cover_module_at(adding->cover, path, build_id);
	adding->failed |= !module;
	if (!module)
		return NO_MODULE;
	adding->modules[file] = (uint32_t)(module - adding->cover->modules);
	list_file(adding, adding->modules[file], file);
	return adding->modules[file];
}

/* ---- what ran ------------------------------------------------------------ */

/* Only the first run that reached it is kept. */
static void reach(uint32_t *first, uint32_t run)
{
	if (*first == COVER_NEVER)
		*first = run;
}

static void reach_function(struct adding *adding, uint32_t module,
			   const struct insn_count *insn, uint64_t count)
{
	struct cover_function *function;
	struct symbol_range range;

	if (!symbols_over(adding->run->of.symbols, &insn->origin, &range) ||
	    !is_function(&range))
		return;
	function = cover_function_at(adding->cover, module, range.start);
	adding->failed |= !function;
	if (!function)
		return;
	function->insns += count;
	/* A function's executions are those of its first instruction. */
	if (insn->origin.file_off == function->start)
		function->executions += count;
	reach(&function->first, adding->number);
}

/* Of what C1 of HotSpot compiled the bytecodes are counted as those of the interpreter. */
static bool has_bytecodes(const struct adding *adding, const struct insn_count *insn)
{
	const struct compiled_space *space;
	const struct made_piece *piece;

	if (!adding->bytecodes->methods)
		return false;
	piece = compiled_find(&adding->bytecodes->methods->units->compiled,
			      adding->run->of.trace, insn->space, insn->address, insn->id,
			      &space);
	return piece && piece->tier == NOTE_COMPILED;
}

static void reach_line(struct adding *adding, const struct insn_count *insn,
		       uint64_t count)
{
	struct cover_line *found;
	struct srcline line;
	uint64_t *most;

	if (!line_at(adding, &insn->origin, &line))
		return;
	found = cover_line_at(adding->cover, &line);
	adding->failed |= !found;
	if (!found)
		return;
	/*
	 * A line's executions in a run are those of its instruction that ran most often.
	 */
	most = has_bytecodes(adding, insn) ? &found->counted : &found->most;
	if (count > *most)
		*most = count;
	reach(&found->first, adding->number);
}

static void reach_branch(struct adding *adding, uint32_t module,
			 const struct insn_count *insn,
			 const struct branch_outcomes *outcomes, uint64_t count)
{
	struct cover_branch *branch;

	list_branch(adding, module, &insn->origin);
	branch = cover_branch_at(adding->cover, module, insn->origin.file_off);
	/* Without memory list_branch() has noted the failure. */
	if (!branch)
		return;
	branch->executions += count;
	branch->taken += outcomes->taken;
	branch->not_taken += outcomes->not_taken;
	if (outcomes->taken)
		reach(&branch->first_taken, adding->number);
	if (outcomes->not_taken)
		reach(&branch->first_not_taken, adding->number);
}

static void reach_insn(struct adding *adding, const struct insn_count *insn,
		       const struct branch_outcomes *outcomes)
{
	/* What may not have run counts as not run. */
	uint64_t count = insn->count - insn->uncertain;
	uint32_t module;

	if (!count || insn->origin.file == INSN_NO_FILE ||
	    insn->origin.file_off >> COVER_PLACE_BITS)
		return;
	module = module_of(adding, insn->origin.file);
	if (adding->failed || !is_wanted(adding, &insn->origin))
		return;
	/*
	 * Three units may be reached by one instruction: its function, its line, its way.
	 */
	reach_function(adding, module, insn, count);
	reach_line(adding, insn, count);
	if (outcomes && outcomes->branch)
		reach_branch(adding, module, insn, outcomes, count);
}

static int reach_insns(struct adding *adding, struct wm_error *err)
{
	const struct cover_run *run = adding->run;
	struct insn_counts own = INSN_COUNTS_INIT;
	const struct insn_counts *insns = run->insns ? run->insns : &own;
	struct branch_outcomes *outcomes = NULL;
	int ret = run->insns ? 0 :
			       insn_counts_gather(&own, run->of.trace, run->of.symbols,
						  run->of.counts, err);

	if (!ret && adding->cover->has_branches)
		ret = branch_outcomes_gather(
			&outcomes,
			&(struct branches){ .trace = run->of.trace,
					    .symbols = run->of.symbols,
					    .selection = run->of.selection,
					    .counts = run->of.counts,
					    .insns = insns },
			err);
	for (size_t i = 0; !ret && !adding->failed && i < insns->n; i++)
		reach_insn(adding, &insns->all[i], outcomes ? &outcomes[i] : NULL);
	/*
	 * `most` is of this run; lines sum it over runs. What has bytecodes is left for these, which
	 * say more exactly how often a line was executed.
	 */
	for (uint32_t i = 0; i < adding->cover->n_lines; i++) {
		adding->cover->lines[i].executions += adding->cover->lines[i].most;
		adding->cover->lines[i].most = adding->cover->lines[i].counted;
		adding->cover->lines[i].counted = 0;
	}
	free(outcomes);
	insn_counts_fini(&own);
	return ret;
}

/*
 * Lists the code that ran for certain, in one piece, for exports that are lists of
 * blocks.
 */
static int add_block(void *cookie, const struct executed *executed)
{
	struct adding *adding = cookie;
	struct cover *cover = adding->cover;
	const struct wm_block *block = &executed->block;
	struct cover_block piece = { .bytes = 0 };
	struct origin origin;
	uint64_t begin = 0;

	if (!symbols_origin(adding->run->of.symbols, executed->space, block->address,
			    executed->id, &origin) ||
	    !is_wanted(adding, &origin))
		return 0;
	for (uint32_t i = 0; i < executed->begin; i++)
		begin += block->sizes[i];
	/* Uncertain instructions are the last ones. */
	for (uint32_t i = executed->begin; i < executed->end - executed->uncertain; i++)
		piece.bytes += block->sizes[i];
	piece.module = module_of(adding, origin.file);
	origin.file_off += begin;
	piece.image_off = symbols_image_off(adding->run->of.symbols, &origin);
	if (adding->failed ||
	    (piece.bytes && !APPEND(cover->blocks, cover->n_blocks, piece)))
		return WM_E_NOMEM;
	return 0;
}

/* ---- runs ---------------------------------------------------------------- */

static bool begin_run(struct adding *adding)
{
	const struct cover_run *run = adding->run;
	uint32_t files = symbols_files(run->of.symbols);
	char *name = strdup(run->name);

	if (!name || !APPEND(adding->cover->runs, adding->cover->n_runs, name)) {
		free(name);
		return false;
	}
	adding->number = adding->cover->n_runs;
	adding->xlen = run->of.trace->xlen;
	adding->modules = malloc((files + 1ul) * sizeof(*adding->modules));
	for (uint32_t i = 0; adding->modules && i < files; i++)
		adding->modules[i] = NO_MODULE;
	return adding->modules;
}

/* With the bytecodes that ran. */
static int add_run(struct adding *adding, struct wm_error *err)
{
	const struct cover_run *run = adding->run;
	int ret = reach_insns(adding, err);

	if (!ret && !adding->failed)
		adding->failed = executed_each(run->of.counts, run->of.trace, add_block,
					       adding) != 0;
	if (!ret && adding->failed)
		ret = wm_fail_nomem(err, "coverage");
	return ret ? ret :
		     cover_add_methods(adding->cover, run, adding->bytecodes,
				       adding->number, err);
}

int cover_add(struct cover *cover, const struct cover_run *run, struct wm_error *err)
{
	struct bytecodes own = { .n_edges = 0 };
	struct adding adding = { .cover = cover,
				 .run = run,
				 .bytecodes = run->bytecodes ? run->bytecodes : &own };
	int ret = begin_run(&adding) ? 0 : wm_fail_nomem(err, "coverage");

	if (!ret && !run->bytecodes)
		ret = bytecodes_gather(&own, run->of.trace, run->of.functions,
				       run->of.selection, false, err);
	if (!ret)
		ret = add_run(&adding, err);
	cover_fold(cover);
	bytecodes_fini(&own);
	free(adding.modules);
	free(adding.sources);
	return ret;
}
