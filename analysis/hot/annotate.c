// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A listing of functions: their instructions with how often each ran.
 *
 * Instructions that ran come in the order of their places. Those of the same function and
 * file make a *piece*; so do those of one inlined call of a function that is listed, inside
 * a function that is not. A trace has only code that ran, so what lies between two
 * instructions, before the first and after the last, is read from the file and listed
 * with 0 executions. That needs RISC-V, where instructions can be decoded one after the
 * other.
 *
 * Example: f is 0x100..0x110 with 4-byte instructions, of which those at 0x100 and 0x108
 * ran. The listing has 0x100, then 0x104 from the file, 0x108, and 0x10c from the file.
 *
 * Invariant: `at` in put_piece() is the end of what is listed so far; it never decreases,
 * although instructions may overlap.
 */
#include "analysis/hot/annotate-data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/branches.h"
#include "analysis/hot/annotate_marks.h"
#include "analysis/insn_counts.h"
#include "base/error.h"
#include "isa/riscv.h"
#include "out/text.h"

const struct table_column annotate_columns[ANNOTATE_COLUMNS] = {
	[ANNOTATE_EXECUTIONS] = { "executions", TABLE_COUNT, false },
	[ANNOTATE_SHARE] = { "share", TABLE_SHARE, false },
	[ANNOTATE_TAKEN] = { "taken", TABLE_COUNT, false },
	[ANNOTATE_NOT_TAKEN] = { "not_taken", TABLE_COUNT, .spare = 1 },
	[ANNOTATE_ADDRESS] = { "address", TABLE_ADDRESS, .spare = 1 },
	[ANNOTATE_PLACE] = { "place", TABLE_TEXT, false, true },
	[ANNOTATE_DISASSEMBLY] = { "disassembly", TABLE_TEXT, false },
	[ANNOTATE_LINE] = { "line", TABLE_TEXT, false },
	[ANNOTATE_TEXT] = { "text", TABLE_TEXT, false },
	[ANNOTATE_UNCERTAIN] = { "uncertain", TABLE_COUNT, true },
	[ANNOTATE_CODE] = { "code", TABLE_TEXT, true },
	[ANNOTATE_FUNCTION] = { "function", TABLE_TEXT, true, true },
	[ANNOTATE_OFFSET] = { "offset", TABLE_COUNT, true },
	[ANNOTATE_SOURCE] = { "source", TABLE_TEXT, true },
	[ANNOTATE_NUMBER] = { "number", TABLE_COUNT, true },
	[ANNOTATE_PATH] = { "path", TABLE_TEXT, true },
	[ANNOTATE_INSNS] = { "insns", TABLE_COUNT, true },
	[ANNOTATE_INLINED] = { "inlined", TABLE_TEXT, true, true },
	[ANNOTATE_CALL] = { "call", TABLE_TEXT, true },
};
const unsigned annotate_n_columns = ANNOTATE_COLUMNS;

/* Larger gaps between instructions that ran are not listed: GAP_BYTES_MAX. */
enum { DISAS_BYTES = 256, MNEMONIC_WIDTH = 8, GAP_BYTES_MAX = 1 << 20 };

struct listing {
	const struct annotate *annotate;
	struct table *table;
	struct insn_counts insns;
	struct annotate_marks marks;
	struct branch_outcomes *outcomes; /* [insns.n] */
	unsigned xlen;			  /* 0: not RISC-V */
	enum riscv_dialect dialect;
	struct srcline last; /* of the row before */
};

/* Neighbouring instructions that ran and are listed for one: `begin` <= index < `end`. */
struct piece {
	const struct function *function;	/* whose code it is */
	const struct inlined_function *inlined; /* the call it is listed for; NULL: none */
	size_t begin, end;
	uint64_t insns;	  /* executions of all that is listed for the same function */
	uint64_t end_off; /* where the function ends in the file; 0: not known */
};

/* ---- rows ---------------------------------------------------------------- */

static void put_code(struct table *table, const uint8_t *code, uint32_t bytes)
{
	/* A trace has the size of an instruction in 8 bits. */
	char hex[2 * UINT8_MAX + 1] = "";

	for (uint32_t i = 0; i < bytes; i++)
		sprintf(hex + 2 * i, "%02x", code[i]);
	table_text(table, ANNOTATE_CODE, hex);
}

/* "work.c:12", without the directory. */
static void put_line_name(const struct listing *listing, unsigned column,
			  const struct srcline *line)
{
	const char *path = srclines_path(listing->annotate->of.lines, line->source);
	const char *slash = strrchr(path, '/');
	char *text;

	if (asprintf(&text, "%s:%u", slash ? slash + 1 : path, line->number) < 0)
		return;
	table_text(listing->table, column, text);
	free(text);
}

/* The call that was inlined, for which the instruction is listed. */
static void put_inlined(const struct listing *listing,
			const struct inlined_function *inlined)
{
	const struct function *function =
		functions_get(listing->annotate->of.functions, inlined->number);

	table_text(listing->table, ANNOTATE_INLINED, function->name);
	if (inlined->call.source && inlined->call.number)
		put_line_name(listing, ANNOTATE_CALL, &inlined->call);
}

/* Puts the source line; its text only when the row before has another line. */
static void put_line(struct listing *listing, const struct origin *origin)
{
	const struct annotate *annotate = listing->annotate;
	struct srcline line = { .source = 0 };
	const char *path;

	if (origin->file == INSN_NO_FILE ||
	    !srclines_at(annotate->of.lines, origin, &line))
		return;
	path = srclines_path(annotate->of.lines, line.source);
	put_line_name(listing, ANNOTATE_LINE, &line);
	table_text(listing->table, ANNOTATE_SOURCE, path);
	table_count(listing->table, ANNOTATE_NUMBER, line.number);
	if (line.source != listing->last.source || line.number != listing->last.number)
		table_text(listing->table, ANNOTATE_TEXT,
			   annotate->text(annotate->cookie, path, line.number));
	listing->last = line;
}

/* What all rows have. */
static void put_place(struct listing *listing, const struct piece *piece,
		      const struct insn_count *insn, const char *disas)
{
	const struct function *function = piece->function;
	/* Without a symbol the function is the file, and offsets count from its start. */
	uint64_t offset =
		insn->origin.file_off - (function->symbol ? function->start : 0);
	struct table *table = listing->table;
	char *text = text_disas_new(disas, MNEMONIC_WIDTH);

	table_row(table);
	table_count(table, ANNOTATE_EXECUTIONS, insn->count);
	table_count(table, ANNOTATE_ADDRESS, insn->address);
	table_text(table, ANNOTATE_DISASSEMBLY, text);
	free(text);
	if (asprintf(&text, offset ? "%s+0x%jx" : "%s", function->name,
		     (uintmax_t)offset) > 0) {
		table_text(table, ANNOTATE_PLACE, text);
		free(text);
	}
	table_count(table, ANNOTATE_UNCERTAIN, insn->uncertain);
	put_code(table, insn->code, insn->bytes);
	table_text(table, ANNOTATE_FUNCTION, function->name);
	table_count(table, ANNOTATE_OFFSET, offset);
	table_text(table, ANNOTATE_PATH, function->module);
	if (piece->inlined)
		put_inlined(listing, piece->inlined);
	put_line(listing, &insn->origin);
}

static void put_insn(struct listing *listing, const struct piece *piece, size_t index)
{
	const struct insn_count *insn = &listing->insns.all[index];
	const struct branch_outcomes *outcomes = &listing->outcomes[index];
	char disas[DISAS_BYTES];

	wm_trace_disas(listing->annotate->of.trace, insn->id, insn->index, disas,
		       sizeof(disas));
	put_place(listing, piece, insn, disas);
	if (piece->insns)
		table_real(listing->table, ANNOTATE_SHARE,
			   (double)insn->count / (double)piece->insns);
	if (!outcomes->branch)
		return;
	table_count(listing->table, ANNOTATE_TAKEN, outcomes->taken);
	table_count(listing->table, ANNOTATE_NOT_TAKEN, outcomes->not_taken);
}

/* ---- what did not run ---------------------------------------------------- */

static bool is_same_call(const struct inlined_function *a,
			 const struct inlined_function *b)
{
	return a->number == b->number && a->call.source == b->call.source &&
	       a->call.number == b->call.number;
}

/*
 * Another function's code may lie inside this one's: for example data in a code section,
 * or a symbol that overlaps this function. Of an inlined call only its own code is listed.
 */
static bool is_of(struct listing *listing, const struct piece *piece,
		  const struct insn_count *insn)
{
	struct inlined_function inlined;
	struct symbol_range range;

	if (!symbols_over(listing->annotate->of.symbols, &insn->origin, &range) ||
	    range.start != piece->function->start)
		return false;
	return !piece->inlined ||
	       (!annotate_marks_inlined(&listing->marks, insn, &inlined) &&
		is_same_call(&inlined, piece->inlined));
}

/* Lists the instructions of code[bytes], which did not run and begin at `insn`. */
static void put_code_between(struct listing *listing, const struct piece *piece,
			     struct insn_count insn, const uint8_t *code, size_t bytes)
{
	char disas[DISAS_BYTES];

	/* Ends when less than the shortest instruction is left. */
	while (bytes >= 2) {
		uint32_t word = code[0] | (uint32_t)code[1] << 8;

		/* RISC-V: the two lowest bits of a 32-bit instruction are set. */
		insn.bytes = (word & 3) == 3 ? 4 : 2;
		if (insn.bytes > bytes)
			return;
		if (insn.bytes == 4)
			word |= (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
		insn.code = code;
		riscv_text(word, listing->xlen, listing->dialect, insn.address, disas,
			   sizeof(disas));
		if (is_of(listing, piece, &insn))
			put_place(listing, piece, &insn, disas);
		insn.address += insn.bytes;
		insn.origin.file_off += insn.bytes;
		code += insn.bytes;
		bytes -= insn.bytes;
	}
}

/* Lists what lies in [begin, end) of the file that `near` is of. */
static void put_between(struct listing *listing, const struct piece *piece,
			const struct insn_count *near, uint64_t begin, uint64_t end)
{
	struct insn_count insn = {
		.space = near->space,
		.id = near->id,
		.origin = { near->origin.file, begin },
		/*
		 * The distance between two places in the file is that in memory, because
		 * both lie in one segment.
		 */
		.address = near->address + (begin - near->origin.file_off),
	};
	uint8_t *code;
	size_t n;

	/*
	 * Nothing is read for other machines than RISC-V, and nothing without a symbol,
	 * which bounds the function.
	 */
	if (!listing->xlen || begin >= end || end - begin > GAP_BYTES_MAX ||
	    !piece->function->symbol)
		return;
	code = malloc(end - begin);
	n = code ? symbols_read(listing->annotate->of.symbols, insn.origin.file, begin,
				code, end - begin) :
		   0;
	/* A file that is shorter than its symbols is not listed in part. */
	if (n == end - begin)
		put_code_between(listing, piece, insn, code, n);
	free(code);
}

/* Where a function ends in its file; 0 when that is not known. */
static uint64_t end_of(const struct listing *listing, const struct function *function,
		       const struct origin *origin)
{
	struct origin start = { origin->file, function->start };
	struct symbol_range range;

	return function->symbol && symbols_over(listing->annotate->of.symbols, &start,
						&range) ?
		       range.end :
		       0;
}

/* ---- functions ----------------------------------------------------------- */

/* Whether an instruction is of the same piece as the one before it. */
static bool continues(const struct listing *listing, size_t index)
{
	const struct insn_count *insn = &listing->insns.all[index];

	return listing->marks.functions[index] == listing->marks.functions[index - 1] &&
	       insn->origin.file == insn[-1].origin.file &&
	       is_same_call(&listing->marks.inlined[index],
			    &listing->marks.inlined[index - 1]);
}

/* The piece that begins with instruction `begin`. */
static struct piece piece_at(const struct listing *listing, size_t begin)
{
	const struct insn_counts *insns = &listing->insns;
	const struct inlined_function *inlined = &listing->marks.inlined[begin];
	struct piece piece = {
		.function = functions_get(listing->annotate->of.functions,
					  listing->marks.functions[begin]),
		.inlined = inlined->number ? inlined : NULL,
		.begin = begin,
		.end = begin + 1,
		.insns =
			listing->marks.totals[annotate_marks_for(&listing->marks, begin)],
	};

	while (piece.end < insns->n && continues(listing, piece.end))
		piece.end++;
	piece.end_off = end_of(listing, piece.function, &insns->all[begin].origin);
	return piece;
}

/* The instruction next to a piece, if it is of the same file; else NULL. */
static const struct insn_count *neighbour(const struct listing *listing, size_t index,
					  uint32_t file)
{
	const struct insn_counts *insns = &listing->insns;

	/* Before the first instruction the index wraps and is beyond the end. */
	return index < insns->n && insns->all[index].origin.file == file ?
		       &insns->all[index] :
		       NULL;
}

/* Lists a piece, with the code that did not run before, in and after it. */
static void put_piece(struct listing *listing, const struct piece *piece)
{
	const struct insn_count *all = listing->insns.all, *first = &all[piece->begin];
	const struct insn_count *before =
		neighbour(listing, piece->begin - 1, first->origin.file);
	const struct insn_count *behind =
		neighbour(listing, piece->end, first->origin.file);
	uint64_t at = piece->function->start, end = piece->end_off;

	/* Each piece begins with the text of its line again. */
	listing->last = (struct srcline){ .source = 0 };
	/* What the neighbours cover is not listed, even if symbols overlap. */
	if (before && before->origin.file_off + before->bytes > at)
		at = before->origin.file_off + before->bytes;
	if (behind && behind->origin.file_off < end)
		end = behind->origin.file_off;
	for (size_t i = piece->begin; i < piece->end; i++) {
		uint64_t off = all[i].origin.file_off;

		/* What lies between two instructions that ran did not run. */
		put_between(listing, piece, first, at, off);
		put_insn(listing, piece, i);
		/* A jump into the middle of an instruction makes two that overlap. */
		if (off + all[i].bytes > at)
			at = off + all[i].bytes;
	}
	put_between(listing, piece, first, at, end);
}

static void set_machine(struct listing *listing)
{
	const char *isa = wm_trace_meta(listing->annotate->of.trace, "guest-isa");
	const char *version = wm_trace_meta(listing->annotate->of.trace, "qemu-version");

	if (!isa || strncmp(isa, "riscv", 5) != 0)
		return;
	listing->xlen = strstr(isa, "32") ? 32 : 64;
	/*
	 * QEMU's versions name instructions differently. Without a version there is no
	 * text.
	 */
	listing->dialect = version ? riscv_dialect(version) : RISCV_NO_TEXT;
}

static int fill(struct listing *listing, struct wm_error *err)
{
	const struct annotate *annotate = listing->annotate;
	int ret = insn_counts_gather(&listing->insns, annotate->of.trace,
				     annotate->of.symbols, annotate->of.counts, err);

	if (ret)
		return ret;
	ret = annotate_marks_gather(&listing->marks, annotate, &listing->insns, err);
	if (ret)
		return ret;
	ret = branch_outcomes_gather(&listing->outcomes,
				     &(struct branches){
					     .trace = annotate->of.trace,
					     .symbols = annotate->of.symbols,
					     .selection = annotate->of.selection,
					     .counts = annotate->of.counts,
					     .insns = &listing->insns,
					     .wanted = listing->marks.functions,
				     },
				     err);
	for (size_t i = 0; !ret && i < listing->insns.n;) {
		struct piece piece;

		/* Instructions that do not match are passed over. */
		if (!listing->marks.functions[i]) {
			i++;
			continue;
		}
		piece = piece_at(listing, i);
		put_piece(listing, &piece);
		i = piece.end;
	}
	return ret;
}

int annotate_fill(struct table *table, const struct annotate *annotate,
		  struct wm_error *err)
{
	struct listing listing = { .annotate = annotate, .table = table };
	int ret;

	set_machine(&listing);
	functions_unfold(annotate->of.functions,
			 annotate->of.inlined ? annotate->of.lines : NULL);
	ret = fill(&listing, err);
	functions_unfold(annotate->of.functions, NULL);
	annotate_marks_fini(&listing.marks);
	free(listing.outcomes);
	insn_counts_fini(&listing.insns);
	return ret;
}
