// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gathers feedback from the control-flow graph and the debugging information.
 *
 * Instructions are counted by their bytes in files, because blocks of several processes
 * may be the same code. Then each instruction adds its count to its place, which its line
 * and the calls inlined around it determine. Example: line 12 of square(), which is
 * declared in line 10 and inlined into main() by line 33, where main() is declared in
 * line 30:
 *
 *	body 1	main
 *	body 2	square, at line 3 of body 1		place: body 2, line 2
 *
 * Code of a function that ran gets counts of 0 where no instruction ran: a compiler takes
 * a line without a count for unknown, and one with 0 for cold.
 *
 * Errors: the first failed allocation sets `failed`, which ends the work.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/feedback/feedback-data.h"
#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"

/* An instruction of a file, and how often it ran in all processes. */
struct counted_insn {
	struct origin origin;
	uint64_t count;
};

/* What identifies a body: the keys of `known`, compared as bytes. There is no padding. */
struct key {
	struct feedback_place at;
	uint32_t name;
};

/* The symbol of a function of C++, which the debugging information does not have. */
struct known_symbol {
	const char *text; /* owned by the subject's functions; NULL: several have it */
	size_t chars;
};

struct gathering {
	const struct feedback_subject *subject;
	struct feedback *feedback;
	struct counted_insn *insns; /* [n] */
	size_t n;
	struct interner known; /* of struct key; ids, from 1, are numbers of bodies */
	/* Functions by line of declaration and name; symbols[id - 1], as ids begin with 1. */
	struct interner declared;
	struct known_symbol *symbols; /* [n_symbols] */
	size_t n_symbols;
	uint32_t file; /* whose lines that did not run are looked for */
	bool failed;   /* no memory */
};

/* ---- discriminators --------------------------------------------------------------------- */

/*
 * LLVM packs three small numbers into a discriminator, from the low bits on: the base
 * discriminator, the number of copies, and an id of the copy. One that is 0 is a bit 1.
 * Others have a bit 0, then 5 bits, and a bit that says whether there are 7 more:
 *
 *	6 0  d d d d d  0		0 .. 31
 *	13  d d d d d d d  1 d d d d d  0	beyond
 */
/* The first number of `packed`. */
static uint32_t llvm_part(uint32_t packed)
{
	if (packed & 1)
		return 0;
	packed >>= 1;
	return packed & 0x20 ? (packed >> 1 & 0xfe0) | (packed & 0x1f) : packed & 0x1f;
}

/* What follows the first number: one bit, 7 or 14 bits further. */
static uint32_t llvm_rest(uint32_t packed)
{
	if (packed & 1)
		return packed >> 1;
	return packed >> (packed & 0x40 ? 14 : 7);
}

static uint32_t path_of(const struct gathering *gathering, uint32_t discriminator)
{
	return gathering->subject->paths == FEEDBACK_LLVM_PATHS ?
		       llvm_part(discriminator) :
		       0;
}

/* How many executions of the line an instruction stands for: unrolled loops have several. */
static uint32_t copies_of(const struct gathering *gathering, uint32_t discriminator)
{
	uint32_t copies = llvm_part(llvm_rest(discriminator));

	return gathering->subject->paths == FEEDBACK_LLVM_PATHS && copies ? copies : 1;
}

/* ---- places ----------------------------------------------------------------------------- */

/* The number of a name; 0: no memory. Stored with its NUL, so that it is a C string. */
static uint32_t name_of(struct gathering *gathering, const char *text, size_t chars)
{
	char *copy = strndup(text, chars);
	uint32_t name = 0;
	bool fresh;

	if (copy)
		name = intern(&gathering->feedback->names, 0, (const uint8_t *)copy,
			      (uint32_t)strlen(copy) + 1, &fresh);
	gathering->failed |= !name;
	free(copy);
	return name;
}

/* The number of a body, which is made if it is new; 0: no memory. */
static uint32_t body_of(struct gathering *gathering, const struct key *key)
{
	struct feedback *feedback = gathering->feedback;
	struct feedback_body body = { .at = key->at, .name = key->name };
	bool fresh;
	uint32_t number =
		intern(&gathering->known, 0, (const uint8_t *)key, sizeof(*key), &fresh);

	if (number && fresh)
		gathering->failed |= !APPEND(feedback->bodies, feedback->n_bodies, body);
	gathering->failed |= !number;
	return gathering->failed ? 0 : number;
}

static bool is_symbol_of_cplusplus(const char *name)
{
	return !strncmp(name, "_Z", 2);
}

/*
 * The name by which the compiler asks for a function: its symbol. For functions that one file
 * of C++ has for itself, GCC's debugging information states the bare name alone, and so the
 * same one for all overloads.
 */
static struct known_symbol symbol_of(const struct gathering *gathering,
				     const struct srcframe *frame)
{
	const char *name = frame->function;
	uint32_t id = 0;

	if (gathering->n_symbols && !is_symbol_of_cplusplus(name))
		id = intern_find(&gathering->declared, frame->declared,
				 (const uint8_t *)name, (uint32_t)strlen(name));
	if (id && gathering->symbols[id - 1].text)
		return gathering->symbols[id - 1];
	return (struct known_symbol){ name, strlen(name) };
}

/*
 * The body of a function itself, not inlined anywhere: `at` is all 0. 0: none of its
 * lines has been met.
 */
static uint32_t known_body(const struct gathering *gathering,
			   const struct srcframe *function)
{
	const struct known_symbol symbol = symbol_of(gathering, function);
	char *name = strndup(symbol.text, symbol.chars);
	struct key key = { .name = name ? intern_find(&gathering->feedback->names, 0,
						      (const uint8_t *)name,
						      (uint32_t)symbol.chars + 1) :
					  0 };

	free(name);
	return key.name ? intern_find(&gathering->known, 0, (const uint8_t *)&key,
				      sizeof(key)) :
			  0;
}

/* The debugging information about a byte; 0: there is no function, or no line. */
static size_t frames_of(const struct gathering *gathering, const struct origin *origin,
			struct srcframe frames[SRCFRAMES_MAX], struct srcline *line)
{
	struct srclines *lines = gathering->subject->lines;
	size_t n;

	if (!srclines_at(lines, origin, line))
		return 0;
	n = srclines_stack(lines, origin, frames, SRCFRAMES_MAX);
	return n && frames[n - 1].around ? n : 0;
}

/*
 * The place of a byte, and the factor of its count. False: it has none, or there is no
 * memory. From the function inwards: each body's key is its place in the body around it.
 */
static bool place_of(struct gathering *gathering, const struct origin *origin,
		     struct feedback_place *place, uint32_t *copies)
{
	struct srcframe frames[SRCFRAMES_MAX];
	struct key key = { .name = 0 };
	struct srcline line;
	size_t n = frames_of(gathering, origin, frames, &line);
	uint32_t discriminator;

	if (!n)
		return false;
	for (size_t i = n; i-- > 0;) {
		const struct known_symbol symbol = symbol_of(gathering, &frames[i]);
		/*
		 * The innermost frame has the byte's own line; each other frame has that
		 * of the call that is inlined into it.
		 */
		bool last = !i;

		key.name = name_of(gathering, symbol.text, symbol.chars);
		key.at.body = key.name ? body_of(gathering, &key) : 0;
		if (!key.at.body)
			return false;
		discriminator =
			last ? srclines_discriminator(gathering->subject->lines, origin) :
			       frames[i - 1].discriminator;
		key.at.line = ((last ? line.number : frames[i - 1].call.number) -
			       frames[i].declared) &
			      UINT16_MAX;
		key.at.path = path_of(gathering, discriminator);
	}
	*place = key.at;
	*copies = copies_of(gathering, discriminator);
	return true;
}

/* Code without debugging information has no place, and is left out. */
static void add_line(struct gathering *gathering, const struct origin *origin,
		     uint64_t count)
{
	struct feedback *feedback = gathering->feedback;
	struct feedback_line line;
	uint32_t copies;

	if (!place_of(gathering, origin, &line.at, &copies))
		return;
	line.count = count * copies;
	gathering->failed |= !APPEND(feedback->lines, feedback->n_lines, line);
}

/* ---- instructions ----------------------------------------------------------------------- */

/*
 * The address of instruction `index` of a block of the graph, whose instructions may come
 * from several blocks of the trace.
 */
static uint64_t address_of(const struct gathering *gathering,
			   const struct cfg_block *block, uint32_t index)
{
	const struct feedback_subject *subject = gathering->subject;
	uint64_t address = block->address;

	for (uint32_t i = 0; i < index; i++) {
		const struct cfg_insn *insn = &subject->cfg->insns[block->first_insn + i];
		struct wm_block code;

		if (!wm_trace_block(subject->trace, insn->id, &code))
			address += code.sizes[insn->index];
	}
	return address;
}

static bool origin_of(const struct gathering *gathering, const struct cfg_block *block,
		      uint32_t index, struct origin *origin)
{
	const struct feedback_subject *subject = gathering->subject;

	return symbols_origin(subject->symbols, block->space,
			      address_of(gathering, block, index),
			      subject->cfg->insns[block->first_insn + index].id, origin);
}

static int compare_insns(const void *a, const void *b)
{
	const struct counted_insn *x = a, *y = b;

	if (x->origin.file != y->origin.file)
		return x->origin.file < y->origin.file ? -1 : 1;
	return x->origin.file_off < y->origin.file_off ?
		       -1 :
		       x->origin.file_off > y->origin.file_off;
}

/* Sorts by place in files, and adds up the counts of equal places. */
static void sort_insns(struct gathering *gathering)
{
	struct counted_insn *insns = gathering->insns;
	size_t n = 0;

	if (gathering->n)
		qsort(insns, gathering->n, sizeof(*insns), compare_insns);
	for (size_t i = 0; i < gathering->n; i++)
		if (n && !compare_insns(&insns[n - 1], &insns[i]))
			insns[n - 1].count += insns[i].count;
		else
			insns[n++] = insns[i];
	gathering->n = n;
}

static void add_insns(struct gathering *gathering)
{
	const struct feedback_subject *subject = gathering->subject;

	for (uint32_t i = 0; i < subject->cfg->n && !gathering->failed; i++) {
		const struct cfg_block *block = &subject->cfg->blocks[i];

		for (uint32_t j = 0; subject->picked[i] && j < block->insns; j++) {
			struct counted_insn insn = { .count = block->executions };

			if (origin_of(gathering, block, j, &insn.origin))
				gathering->failed |=
					!APPEND(gathering->insns, gathering->n, insn);
		}
	}
	/* Counts of all processes must be added before a line takes the largest. */
	sort_insns(gathering);
	for (size_t i = 0; i < gathering->n && !gathering->failed; i++)
		add_line(gathering, &gathering->insns[i].origin,
			 gathering->insns[i].count);
}

/* ---- symbols of functions --------------------------------------------------------------- */

static void add_symbol(struct gathering *gathering, const struct srcframe *function,
		       const char *text)
{
	const struct known_symbol symbol = { text, strcspn(text, "@.") };
	const char *name = function->function;
	struct known_symbol *known;
	bool fresh;
	uint32_t id = intern(&gathering->declared, function->declared,
			     (const uint8_t *)name, (uint32_t)strlen(name), &fresh);

	if (!id || (fresh && !APPEND(gathering->symbols, gathering->n_symbols, symbol))) {
		gathering->failed = true;
		return;
	}
	known = &gathering->symbols[id - 1];
	/* Two functions of one line, or of none, as lambdas are. */
	if (known->text && (known->chars != symbol.chars ||
			    memcmp(known->text, symbol.text, symbol.chars) != 0))
		known->text = NULL;
}

/* Of functions that ran. First of all, because their code may be inlined anywhere. */
static void find_symbols(struct gathering *gathering)
{
	const struct feedback_subject *subject = gathering->subject;

	for (uint32_t i = 0; i < subject->cfg->n && !gathering->failed; i++) {
		const struct cfg_block *block = &subject->cfg->blocks[i];
		const char *text =
			functions_get(subject->functions, block->function)->symbol;
		struct srcframe frames[SRCFRAMES_MAX];
		struct origin origin;
		struct srcline line;
		size_t n = 0;

		if (text && is_symbol_of_cplusplus(text) && !block->offset &&
		    origin_of(gathering, block, 0, &origin))
			n = frames_of(gathering, &origin, frames, &line);
		if (n && !is_symbol_of_cplusplus(frames[n - 1].function))
			add_symbol(gathering, &frames[n - 1], text);
	}
}

/* ---- what did not run ------------------------------------------------------------------- */

/*
 * Whether an instruction ran in bytes start <= offset < end of the file. insns[] is
 * sorted by file and offset.
 */
static bool ran(const struct gathering *gathering, uint64_t start, uint64_t end)
{
	const struct counted_insn *insns = gathering->insns;
	size_t at = BISECT(gathering->n, i,
			   insns[i].origin.file < gathering->file ||
				   (insns[i].origin.file == gathering->file &&
				    insns[i].origin.file_off < start));

	return at < gathering->n && insns[at].origin.file == gathering->file &&
	       insns[at].origin.file_off < end;
}

/* Whether the function around a byte has a body, which it has when any of it ran. */
static bool is_of_function_that_ran(const struct gathering *gathering,
				    const struct origin *origin)
{
	struct srcframe frames[SRCFRAMES_MAX];
	struct srcline line;
	size_t n = frames_of(gathering, origin, frames, &line);

	return n && known_body(gathering, &frames[n - 1]);
}

/*
 * A range of the line table. All its bytes are of one line, so its first one stands for
 * all.
 */
static bool take_range(void *cookie, const struct srcline_range *range)
{
	struct gathering *gathering = cookie;
	const struct origin origin = { gathering->file, range->start };

	if (!ran(gathering, range->start, range->end) &&
	    is_of_function_that_ran(gathering, &origin))
		add_line(gathering, &origin, 0);
	return !gathering->failed;
}

/* Visits each file once: instructions of a file are neighbours. */
static void add_cold_lines(struct gathering *gathering)
{
	const struct feedback_subject *subject = gathering->subject;

	for (size_t i = 0; i < gathering->n && !gathering->failed; i++) {
		if (i && gathering->insns[i].origin.file == gathering->file)
			continue;
		gathering->file = gathering->insns[i].origin.file;
		srclines_each(subject->lines, gathering->file, take_range, gathering);
	}
}

/* ---- calls ------------------------------------------------------------------------------ */

/* Whether control comes by an edge to where a function begins: also by a tail call. */
static bool enters(const struct cfg_edge *edge, const struct cfg_block *from,
		   const struct cfg_block *to)
{
	/* Control comes to the middle of a function: a return, or a jump within it. */
	if (to->offset)
		return false;
	return edge->kind == CFG_CALL ||
	       ((edge->kind == CFG_TAKEN || edge->kind == CFG_INDIRECT) &&
		from->function != to->function);
}

/*
 * What the compiler calls a function: by the debugging information, else its symbol without
 * what linkers and compilers append ("puts@plt", "work.constprop.0"). Returns how many
 * characters of *text; 0: it has no name.
 */
static size_t callee_of(const struct gathering *gathering, const struct cfg_block *block,
			const char **text)
{
	struct srcframe frames[SRCFRAMES_MAX];
	struct origin origin;
	struct srcline line;
	size_t n = 0;

	if (origin_of(gathering, block, 0, &origin))
		n = frames_of(gathering, &origin, frames, &line);
	if (n) {
		const struct known_symbol symbol = symbol_of(gathering, &frames[n - 1]);

		*text = symbol.text;
		return symbol.chars;
	}
	*text = functions_get(gathering->subject->functions, block->function)->symbol;
	return *text ? strcspn(*text, "@.") : 0;
}

/* The place of a call is that of the last instruction of the block that calls. */
static void add_call(struct gathering *gathering, const struct cfg_block *from,
		     const struct cfg_block *to, uint64_t count)
{
	struct feedback *feedback = gathering->feedback;
	struct feedback_call call = { .count = count };
	struct origin origin;
	uint32_t copies;
	const char *callee;
	size_t chars = callee_of(gathering, to, &callee);

	if (!chars || !origin_of(gathering, from, from->insns - 1, &origin) ||
	    !place_of(gathering, &origin, &call.at, &copies))
		return;
	call.callee = name_of(gathering, callee, chars);
	if (call.callee)
		gathering->failed |= !APPEND(feedback->calls, feedback->n_calls, call);
}

/* Counts a call in the function's own body, which exists if it has lines that ran. */
static void add_entries(struct gathering *gathering, const struct cfg_block *to,
			uint64_t count)
{
	struct srcframe frames[SRCFRAMES_MAX];
	struct origin origin;
	struct srcline line;
	size_t n = 0;
	uint32_t body;

	if (origin_of(gathering, to, 0, &origin))
		n = frames_of(gathering, &origin, frames, &line);
	body = n ? known_body(gathering, &frames[n - 1]) : 0;
	if (body)
		gathering->feedback->bodies[body].entries += count;
}

static void add_edges(struct gathering *gathering)
{
	const struct feedback_subject *subject = gathering->subject;
	const struct cfg *cfg = subject->cfg;

	for (uint32_t i = 0; i < cfg->n_edges && !gathering->failed; i++) {
		const struct cfg_edge *edge = &cfg->edges[i];
		const struct cfg_block *from = &cfg->blocks[edge->from];
		const struct cfg_block *to = &cfg->blocks[edge->to];

		if (!enters(edge, from, to))
			continue;
		/*
		 * The caller and the callee may be picked independently: a call has two
		 * ends.
		 */
		if (subject->picked[edge->from])
			add_call(gathering, from, to, edge->count);
		if (subject->picked[edge->to])
			add_entries(gathering, to, edge->count);
	}
}

/* ---- all of it -------------------------------------------------------------------------- */

int feedback_gather(struct feedback *feedback, const struct feedback_subject *subject,
		    struct wm_error *err)
{
	struct gathering gathering = { .subject = subject, .feedback = feedback };
	/* Number 0 means none. */
	const struct feedback_body unused = { .name = 0 };

	*feedback = (struct feedback){ .names = INTERNER_INIT };
	gathering.known = INTERNER_INIT;
	gathering.declared = INTERNER_INIT;
	gathering.failed = !APPEND(feedback->bodies, feedback->n_bodies, unused);
	find_symbols(&gathering);
	add_insns(&gathering);
	add_cold_lines(&gathering);
	add_edges(&gathering);
	if (!gathering.failed)
		gathering.failed = !feedback_put_in_order(feedback);
	interner_fini(&gathering.known);
	interner_fini(&gathering.declared);
	free(gathering.symbols);
	free(gathering.insns);
	if (gathering.failed)
		return wm_fail_nomem(err, "lines");
	/* A compiler would take an empty profile, and make nothing of it. */
	if (!feedback->n_functions && subject->cfg->n)
		return wm_fail(err, WM_E_RANGE, 0,
			       "nothing that ran has debugging information, which the "
			       "profile needs: build the program with -g, and keep it "
			       "where it ran");
	return 0;
}
