// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A listing of functions: their instructions with how often each ran.
 *
 * Instructions that ran come in the order of their places. Those of the same function and
 * file make a *piece*. A trace has only code that ran, so what lies between two
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
#include "analysis/hot/annotate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/branches.h"
#include "analysis/insn_counts.h"
#include "base/error.h"
#include "isa/riscv.h"
#include "out/text.h"

enum {
	EXECUTIONS,
	SHARE,
	TAKEN,
	NOT_TAKEN,
	ADDRESS,
	PLACE,
	DISASSEMBLY,
	LINE,
	TEXT,
	UNCERTAIN,
	CODE,
	FUNCTION,
	OFFSET,
	SOURCE,
	NUMBER,
	PATH,
	COLUMNS
};

const struct table_column annotate_columns[COLUMNS] = {
	[EXECUTIONS] = { "executions", TABLE_COUNT, false },
	[SHARE] = { "share", TABLE_SHARE, false },
	[TAKEN] = { "taken", TABLE_COUNT, false },
	[NOT_TAKEN] = { "not_taken", TABLE_COUNT, false },
	[ADDRESS] = { "address", TABLE_ADDRESS, false },
	[PLACE] = { "place", TABLE_TEXT, false },
	[DISASSEMBLY] = { "disassembly", TABLE_TEXT, false },
	[LINE] = { "line", TABLE_TEXT, false },
	[TEXT] = { "text", TABLE_TEXT, false },
	[UNCERTAIN] = { "uncertain", TABLE_COUNT, true },
	[CODE] = { "code", TABLE_TEXT, true },
	[FUNCTION] = { "function", TABLE_TEXT, true },
	[OFFSET] = { "offset", TABLE_COUNT, true },
	[SOURCE] = { "source", TABLE_TEXT, true },
	[NUMBER] = { "number", TABLE_COUNT, true },
	[PATH] = { "path", TABLE_TEXT, true },
};
const unsigned annotate_n_columns = COLUMNS;

/* Larger gaps between instructions that ran are not listed: GAP_BYTES_MAX. */
enum { DISAS_BYTES = 256, MNEMONIC_WIDTH = 8, GAP_BYTES_MAX = 1 << 20 };

struct listing {
	const struct annotate *annotate;
	struct table *table;
	struct insn_counts insns;
	uint32_t *functions;	/* [insns.n] the function of each; 0: it does not match */
	uint64_t *totals;	/* by function: executions of all of it */
	struct inlines inlines; /* with parts: what is shown instead of functions */
	uint64_t inlined_total; /* executions of all of that */
	struct branch_outcomes *outcomes; /* [insns.n] */
	unsigned xlen;			  /* 0: not RISC-V */
	enum riscv_dialect dialect;
	struct srcline last; /* of the row before */
};

/* Neighbouring instructions of one function that ran: `begin` <= index < `end`. */
struct piece {
	const struct function *function;
	size_t begin, end;
	uint64_t insns;		     /* executions of all of the function */
	uint64_t first_off, end_off; /* where it lies in the file; end_off 0: not known */
};

/* ---- rows ---------------------------------------------------------------- */

static void put_code(struct table *table, const uint8_t *code, uint32_t bytes)
{
	/* A trace has the size of an instruction in 8 bits. */
	char hex[2 * UINT8_MAX + 1] = "";

	for (uint32_t i = 0; i < bytes; i++)
		sprintf(hex + 2 * i, "%02x", code[i]);
	table_text(table, CODE, hex);
}

/* Puts the source line; its text only when the row before has another line. */
static void put_line(struct listing *listing, const struct origin *origin)
{
	const struct annotate *annotate = listing->annotate;
	struct srcline line = { .source = 0 };
	const char *path, *slash;
	char *text;

	if (origin->file == INSN_NO_FILE ||
	    !srclines_at(annotate->of.lines, origin, &line))
		return;
	path = srclines_path(annotate->of.lines, line.source);
	slash = strrchr(path, '/');
	if (asprintf(&text, "%s:%u", slash ? slash + 1 : path, line.number) > 0) {
		table_text(listing->table, LINE, text);
		free(text);
	}
	table_text(listing->table, SOURCE, path);
	table_count(listing->table, NUMBER, line.number);
	if (line.source != listing->last.source || line.number != listing->last.number)
		table_text(listing->table, TEXT,
			   annotate->text(annotate->cookie, path, line.number));
	listing->last = line;
}

/* What all rows have. */
static void put_place(struct listing *listing, const struct function *function,
		      const struct insn_count *insn, const char *disas)
{
	/* Without a symbol the function is the file, and offsets count from its start. */
	uint64_t offset =
		insn->origin.file_off - (function->symbol ? function->start : 0);
	struct table *table = listing->table;
	char *text = text_disas_new(disas, MNEMONIC_WIDTH);

	table_row(table);
	table_count(table, EXECUTIONS, insn->count);
	table_count(table, ADDRESS, insn->address);
	table_text(table, DISASSEMBLY, text);
	free(text);
	if (asprintf(&text, offset ? "%s+0x%jx" : "%s", function->name,
		     (uintmax_t)offset) > 0) {
		table_text(table, PLACE, text);
		free(text);
	}
	table_count(table, UNCERTAIN, insn->uncertain);
	put_code(table, insn->code, insn->bytes);
	table_text(table, FUNCTION, function->name);
	table_count(table, OFFSET, offset);
	table_text(table, PATH, function->module);
	put_line(listing, &insn->origin);
}

static void put_insn(struct listing *listing, const struct piece *piece, size_t index)
{
	const struct insn_count *insn = &listing->insns.all[index];
	const struct branch_outcomes *outcomes = &listing->outcomes[index];
	char disas[DISAS_BYTES];

	wm_trace_disas(listing->annotate->of.trace, insn->id, insn->index, disas,
		       sizeof(disas));
	put_place(listing, piece->function, insn, disas);
	if (piece->insns)
		table_real(listing->table, SHARE,
			   (double)insn->count / (double)piece->insns);
	if (!outcomes->branch)
		return;
	table_count(listing->table, TAKEN, outcomes->taken);
	table_count(listing->table, NOT_TAKEN, outcomes->not_taken);
}

/* ---- what did not run ---------------------------------------------------- */

/*
 * Another function's code may lie inside this one's: for example data in a code section,
 * or a symbol that overlaps this function.
 */
static bool is_of(const struct listing *listing, const struct function *function,
		  const struct origin *origin)
{
	struct symbol_range range;

	return symbols_over(listing->annotate->of.symbols, origin, &range) &&
	       range.start == function->start;
}

/* Lists the instructions of code[bytes], which did not run and begin at `insn`. */
static void put_code_between(struct listing *listing, const struct function *function,
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
		if (is_of(listing, function, &insn.origin))
			put_place(listing, function, &insn, disas);
		insn.address += insn.bytes;
		insn.origin.file_off += insn.bytes;
		code += insn.bytes;
		bytes -= insn.bytes;
	}
}

/* Lists what lies in [begin, end) of the file that `near` is of. */
static void put_between(struct listing *listing, const struct function *function,
			const struct insn_count *near, uint64_t begin, uint64_t end)
{
	struct insn_count insn = {
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
	    !function->symbol)
		return;
	code = malloc(end - begin);
	n = code ? symbols_read(listing->annotate->of.symbols, insn.origin.file, begin,
				code, end - begin) :
		   0;
	/* A file that is shorter than its symbols is not listed in part. */
	if (n == end - begin)
		put_code_between(listing, function, insn, code, n);
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

/* The inlined part that an instruction is shown for; NULL: for its function. */
static const struct inlined_part *part_of(const struct listing *listing, size_t index)
{
	const struct origin *origin = &listing->insns.all[index].origin;

	return inlines_over(&listing->inlines, origin->file, origin->file_off);
}

/*
 * The first and the last place of what is listed: those of the inlined part, or of the
 * function.
 */
static void set_bounds(const struct listing *listing, struct piece *piece)
{
	const struct inlined_part *part = part_of(listing, piece->begin);

	piece->first_off = part ? part->start : piece->function->start;
	piece->end_off = part ? part->end :
				end_of(listing, piece->function,
				       &listing->insns.all[piece->begin].origin);
}

/* The piece that begins with instruction `begin`. */
static struct piece piece_at(const struct listing *listing, size_t begin)
{
	const struct insn_counts *insns = &listing->insns;
	uint32_t number = listing->functions[begin];
	struct piece piece = {
		.function = functions_get(listing->annotate->of.functions, number),
		.begin = begin,
		.end = begin,
		/* Shares of inlined code are of all its parts together. */
		.insns = listing->inlines.n_parts ? listing->inlined_total :
						    listing->totals[number],
	};

	while (piece.end < insns->n && listing->functions[piece.end] == number &&
	       insns->all[piece.end].origin.file == insns->all[begin].origin.file &&
	       /* Inlined code is shown part by part. */
	       part_of(listing, piece.end) == part_of(listing, begin))
		piece.end++;
	set_bounds(listing, &piece);
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
	const struct function *function = piece->function;
	const struct insn_count *before =
		neighbour(listing, piece->begin - 1, first->origin.file);
	const struct insn_count *behind =
		neighbour(listing, piece->end, first->origin.file);
	uint64_t at = piece->first_off, end = piece->end_off;

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
		put_between(listing, function, first, at, off);
		put_insn(listing, piece, i);
		/* A jump into the middle of an instruction makes two that overlap. */
		if (off + all[i].bytes > at)
			at = off + all[i].bytes;
	}
	put_between(listing, function, first, at, end);
}

/* Finds the functions that match; *marked is the number of their instructions. */
static int mark_functions(struct listing *listing, size_t *marked)
{
	const struct annotate *annotate = listing->annotate;

	*marked = 0;
	listing->functions = calloc(listing->insns.n + 1, sizeof(*listing->functions));
	for (size_t i = 0; listing->functions && i < listing->insns.n; i++) {
		const struct insn_count *insn = &listing->insns.all[i];
		uint32_t number = functions_at(annotate->of.functions, insn->space,
					       insn->address, insn->id, NULL);

		if (!number)
			return WM_E_NOMEM;
		if (!functions_match(annotate->of.functions, number,
				     annotate->of.function))
			continue;
		listing->functions[i] = number;
		++*marked;
	}
	return listing->functions ? 0 : WM_E_NOMEM;
}

/* The same for functions that are inlined into others. */
static int mark_inlined(struct listing *listing, size_t *marked, struct wm_error *err)
{
	const struct annotate *annotate = listing->annotate;
	int ret = inlines_find(&listing->inlines, annotate->of.symbols, err);

	for (size_t i = 0; !ret && i < listing->insns.n; i++) {
		const struct insn_count *insn = &listing->insns.all[i];

		/* The pattern chose the parts, so every instruction in one matches. */
		if (!part_of(listing, i))
			continue;
		listing->functions[i] = functions_at(annotate->of.functions, insn->space,
						     insn->address, insn->id, NULL);
		if (!listing->functions[i])
			return wm_fail_nomem(err, "functions");
		listing->inlined_total += insn->count;
		++*marked;
	}
	return ret;
}

/* Fails with a message why there is nothing to show. */
static int nothing_ran(const struct listing *listing, struct wm_error *err)
{
	const char *name = listing->annotate->of.function;
	char places[256];

	inlines_places(&listing->inlines, places, sizeof(places));
	if (!*places)
		return wm_fail(err, WM_E_RANGE, 0, "no function \"%s\" ran", name);
	return wm_fail(err, WM_E_RANGE, 0,
		       "no function \"%s\" ran: it is inlined %s, and did not run there",
		       name, places);
}

static bool sum_functions(struct listing *listing)
{
	size_t n = functions_count(listing->annotate->of.functions);

	listing->totals = calloc(n + 1, sizeof(*listing->totals));
	for (size_t i = 0; listing->totals && i < listing->insns.n; i++)
		/* totals[0] collects what does not match. */
		listing->totals[listing->functions[i]] += listing->insns.all[i].count;
	return listing->totals;
}

/*
 * Finds what to show. Inlined code is shown only when no function of that name ran by
 * itself.
 */
static int mark(struct listing *listing, struct wm_error *err)
{
	const struct annotate *annotate = listing->annotate;
	size_t marked;
	int ret;

	if (mark_functions(listing, &marked))
		return wm_fail_nomem(err, "functions");
	if (!marked) {
		ret = mark_inlined(listing, &marked, err);
		if (ret)
			return ret;
		if (!marked)
			return nothing_ran(listing, err);
		annotate->inlined(annotate->cookie, &listing->inlines);
	}
	return sum_functions(listing) ? 0 : wm_fail_nomem(err, "functions");
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
	ret = mark(listing, err);
	if (ret)
		return ret;
	ret = branch_outcomes_gather(&listing->outcomes, &listing->insns,
				     annotate->of.trace, annotate->of.symbols,
				     annotate->of.functions, annotate->of.selection, err);
	for (size_t i = 0; !ret && i < listing->insns.n;) {
		struct piece piece;

		/* Instructions that do not match are passed over. */
		if (!listing->functions[i]) {
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

	inlines_init(&listing.inlines, annotate->of.function);
	set_machine(&listing);
	ret = fill(&listing, err);
	inlines_fini(&listing.inlines);
	free(listing.functions);
	free(listing.totals);
	free(listing.outcomes);
	insn_counts_fini(&listing.insns);
	return ret;
}
