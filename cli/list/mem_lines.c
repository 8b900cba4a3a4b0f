// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks over a thread's instructions and hands each to a format, with what it accessed.
 * Where a branch went is known when the next instruction is, so an instruction is kept until
 * then: `held`, with a copy of its accesses, which the cursor keeps for one step only.
 *
 * Invariant: held.insn.n accesses lie in held.accesses while has_held, and behind them
 * held.insn.n_written registers.
 *
 * Example: of `bne`, `ld` and the end, the first step holds `bne`; the second prints it
 * with the address of `ld` as `next` and holds `ld`; the end prints that, with 0.
 */
#include "cli/list/mem_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/fail.h"
#include "cli/list/lines.h"
#include "cli/stdout.h"
#include "isa/registers.h"
#include "out/number.h"
#include "query/questions/lacks.h"
#include "query/undivided_text.h"
#include "trace/cursor.h"
#include "trace/insn_flow.h"
#include "trace/modes.h"
#include "trace/values.h"

enum { BUFFER_BYTES = 1 << 18, DISAS_MAX = 256, CODE_MAX = 8, WORD_ECALL = 0x73 };

struct held {
	struct mem_insn insn;
	struct wm_access *accesses; /* [room] */
	size_t room;
	char disas[DISAS_MAX];
};

struct walk {
	const struct mem_lines *of;
	FILE *out;
	struct wm_cursor *cursor;
	struct wm_modes *modes; /* NULL: the format wants none, or nothing but user mode */
	struct wm_stream stream;
	struct insn_flow flow;
	bool knows_accesses, knows_written;
	const char *isa;
	/* The last values that are known of registers. */
	struct register_set known;
	uint64_t values[REGISTERS_MAX][2];
	struct lines *texts; /* NULL: the format wants none */
	struct wm_block block;
	struct wm_step step; /* of the last instruction; insns 0: none yet */
	uint32_t before;     /* bytes of the block before its instruction step.index */
	uint64_t uncertain;
	bool has_held;
	struct held held;
};

/* ---- what the recording has -------------------------------------------------------------- */

static int check(const struct mem_lines *lines, struct wm_error *err)
{
	const char *name = lines->format->format.name;
	unsigned values = trace_values_recorded(lines->source->trace);

	if (lines->format->riscv_only && lines->source->isa != SOURCE_RISCV)
		return wm_fail(err, WM_E_RANGE, 0,
			       "the format %s is of RISC-V, which this guest is not",
			       name);
	/* First, so that what it names is enough. */
	if (lines->format->needs_data && !(values & (VALUES_DATA | VALUES_WRITTEN)))
		return wm_fail(err, WM_E_RANGE, 0,
			       "the trace has no data of accesses of memory, which the "
			       "format %s needs: record it with waymark record "
			       "--mem-values",
			       name);
	if (!(values & (VALUES_ALL | VALUES_WRITTEN)) && !lines->format->takes_path)
		return trace_values_need_accesses(lines->source->trace, err);
	if (lines->format->wants_mode && trace_is_of_machine(lines->source->trace))
		return modes_check(lines->source->trace, "the privilege needs", false,
				   err);
	return WM_OK;
}

/* A trace with half of the accesses looks like one with all of them. */
static void remark_kind(const struct mem_lines *lines)
{
	const char *recorded, *missing;

	if (lacks_kind(lines->source->trace, &recorded, &missing))
		remark("only %s were recorded, so there are no %s here: waymark record "
		       "--mem records both",
		       recorded, missing);
}

/* Without them a line looks like that of an instruction that writes none. */
static void remark_registers(const struct mem_lines *lines)
{
	if (lines->format->needs_data &&
	    !(trace_values_recorded(lines->source->trace) & VALUES_WRITTEN))
		remark("of registers only what loads write is here: waymark record "
		       "--commits records all");
}

/* ---- texts ------------------------------------------------------------------------------- */

static void print_text(void *cookie, FILE *out, const struct line *line)
{
	const struct walk *walk = cookie;
	char disas[DISAS_MAX] = "";

	if (walk->of->format->text == MEM_TEXT_QEMU)
		wm_trace_disas_qemu(walk->of->source->trace, line->id, line->index, disas,
				    sizeof(disas));
	else
		wm_trace_disas(walk->of->source->trace, line->id, line->index, disas,
			       sizeof(disas));
	fputs(disas, out);
}

static int find_text(struct walk *walk, struct wm_error *err)
{
	uint32_t index = walk->step.index, at, bytes;
	const struct block_lines *block;
	int group;

	walk->held.disas[0] = 0;
	walk->held.insn.disas = walk->held.disas;
	if (!walk->texts)
		return WM_OK;
	group = lines_group(walk->texts, &walk->stream, walk->step.space);
	block = group < 0 ? NULL : lines_get(walk->texts, group, walk->step.id);
	if (!block)
		return wm_fail_nomem(err, "texts of instructions");
	at = index ? block->ends[index - 1] : 0;
	bytes = block->ends[index] - at;
	memcpy(walk->held.disas, block->text + at, bytes);
	walk->held.disas[bytes] = 0;
	return WM_OK;
}

/* ---- one instruction ------------------------------------------------------------------------ */

static void print_held(struct walk *walk, uint64_t next)
{
	if (!walk->has_held)
		return;
	walk->held.insn.next = next;
	walk->of->format->print(walk->out, &walk->held.insn);
	walk->has_held = false;
}

/* Instructions of a block mostly come one after the other. */
static void find_code(struct walk *walk, const struct wm_step *step)
{
	bool follows = walk->step.insns && step->index == walk->step.index + 1 &&
		       step->block_ordinal == walk->step.block_ordinal;

	if (follows) {
		walk->before += walk->block.sizes[walk->step.index];
		return;
	}
	walk->before = 0;
	wm_trace_block(walk->of->source->trace, step->id, &walk->block);
	for (uint32_t i = 0; i < step->index; i++)
		walk->before += walk->block.sizes[i];
}

static void describe(struct walk *walk, bool first, bool apart)
{
	struct mem_insn *insn = &walk->held.insn;
	const uint8_t *code = walk->block.code + walk->before;

	*insn = (struct mem_insn){
		.address = walk->block.address + walk->before,
		.bytes = walk->block.sizes[walk->step.index],
		.vcpu = walk->stream.vcpu,
		.xlen = walk->flow.xlen,
		.first = first,
		.apart = apart,
		.knows_accesses = walk->knows_accesses,
		.knows_written = walk->knows_written,
		.isa = walk->isa,
	};
	for (unsigned i = insn->bytes < CODE_MAX ? insn->bytes : CODE_MAX; i--;)
		insn->opcode = insn->opcode << 8 | code[i];
	if (walk->of->format->wants_flow)
		insn->flow = insn_flow(
			&walk->flow,
			&(struct insn_place){ walk->step.id, walk->step.index,
					      insn->address, code, insn->bytes });
}

static int find_mode(struct walk *walk, struct wm_error *err)
{
	uint64_t mode;
	int ret;

	if (!walk->modes)
		return WM_OK;
	ret = modes_at(walk->modes, walk->step.block_ordinal, &mode, err);
	walk->held.insn.mode = (unsigned)mode;
	return ret;
}

static bool grow(struct held *held, size_t n)
{
	struct wm_access *more = reallocarray(held->accesses, n, sizeof(*more));

	if (!more)
		return false;
	held->accesses = more;
	held->room = n;
	return true;
}

/* Whether the register had that value before. Where writes are compared, it had not. */
static void note_written(struct walk *walk, const struct wm_access *access)
{
	unsigned number = (unsigned)access->address;
	uint64_t *value = walk->values[number];

	if (!register_is_compared(walk->isa, number) &&
	    register_set_has(&walk->known, number) &&
	    !memcmp(value, access->data, sizeof(walk->values[number])))
		register_set_add(&walk->held.insn.same, number);
	register_set_add(&walk->known, number);
	memcpy(value, access->data, sizeof(walk->values[number]));
}

static int copy_accesses(struct walk *walk, struct wm_error *err)
{
	struct held *held = &walk->held;
	const struct wm_access *accesses;
	size_t n;
	int ret;

	if (!walk->knows_accesses && !walk->knows_written)
		return WM_OK;
	ret = wm_cursor_accesses(walk->cursor, &accesses, &n, err);
	if (ret == WM_END)
		return wm_fail(err, WM_E_RANGE, 0,
			       "has no memory accesses of a part of this thread");
	if (ret)
		return ret;
	if (n > held->room && !grow(held, n))
		return wm_fail_nomem(err, "memory accesses");
	for (size_t i = 0; i < n; i++)
		if (accesses[i].kind <= WM_ACCESS_STORE)
			held->accesses[held->insn.n++] = accesses[i];
	held->insn.accesses = held->accesses;
	held->insn.written = held->accesses + held->insn.n;
	for (size_t i = 0; i < n; i++)
		if (accesses[i].kind == WM_ACCESS_WRITTEN && walk->isa &&
		    accesses[i].address < REGISTERS_MAX &&
		    register_name(walk->isa, (unsigned)accesses[i].address)) {
			held->accesses[held->insn.n + held->insn.n_written++] =
				accesses[i];
			note_written(walk, &accesses[i]);
		}
	return WM_OK;
}

/*
 * Whether code ran before `next` that is not in the trace: the kernel's, of a call or of a
 * signal, unless that arrives after an indirect jump.
 */
static bool is_interrupted(const struct mem_insn *insn, uint64_t next)
{
	struct flow flow = flow_riscv((uint32_t)insn->opcode, insn->xlen, insn->address);

	if (next == insn->address + insn->bytes)
		return insn->opcode == WORD_ECALL;
	return flow.kind == FLOW_ON || (flow.has_target && flow.target != next);
}

/* Then nobody knows which registers it has written. */
static void forget_written(struct walk *walk, uint64_t next, bool gap)
{
	if (walk->has_held && walk->flow.xlen &&
	    (gap || is_interrupted(&walk->held.insn, next)))
		walk->known = (struct register_set){ { 0 } };
}

/* Nothing is known of where a thread went that enters a gap, nor of what came before. */
static int take(struct walk *walk, const struct wm_step *step, struct wm_error *err)
{
	bool first = !walk->step.insns;
	bool gap = !first && step->block_ordinal > walk->step.block_ordinal + 1;
	int ret;

	find_code(walk, step);
	forget_written(walk, walk->block.address + walk->before, gap);
	print_held(walk, gap ? 0 : walk->block.address + walk->before);
	walk->step = *step;
	describe(walk, first, first || gap);
	ret = find_text(walk, err);
	if (!ret)
		ret = find_mode(walk, err);
	if (!ret)
		ret = copy_accesses(walk, err);
	walk->has_held = !ret;
	walk->uncertain += step->index >= step->insns - step->uncertain;
	return ret;
}

/* ---- all of them ------------------------------------------------------------------------------ */

static int open_walk(struct walk *walk, struct wm_error *err)
{
	const struct mem_lines *of = walk->of;
	const struct wm_trace *trace = of->source->trace;
	int ret = wm_trace_stream(trace, of->thread, &walk->stream);

	if (ret)
		return wm_fail(err, ret, 0, "has no thread %u", of->thread);
	walk->flow = insn_flow_init(trace);
	walk->knows_accesses = trace_values_recorded(trace) & VALUES_ALL;
	walk->knows_written = trace_values_recorded(trace) & VALUES_WRITTEN;
	walk->isa = wm_trace_meta(trace, "guest-isa");
	if (of->format->text != MEM_TEXT_NONE)
		ret = lines_new(&walk->texts, trace, true, false, print_text, walk, err);
	if (!ret)
		ret = wm_cursor_new(&walk->cursor, trace, of->thread, err);
	if (!ret && of->format->wants_mode && trace_is_of_machine(trace))
		ret = wm_modes_new(&walk->modes, trace, of->thread, err);
	if (!ret)
		cursor_select(walk->cursor, of->excerpts);
	if (!ret && of->from)
		ret = wm_cursor_seek_insn(walk->cursor, of->from, err);
	return ret;
}

static int walk_on(struct walk *walk, struct wm_error *err)
{
	const struct mem_lines *of = walk->of;
	uint64_t left = of->count;
	struct wm_step step;
	int ret = WM_OK;

	if (of->format->header)
		fputs(of->format->header, walk->out);
	while (left && !ret && !ferror(walk->out)) {
		ret = wm_cursor_next_insn(walk->cursor, &step, err);
		if (!ret && step.insn_ordinal >= of->to)
			break;
		if (!ret)
			ret = take(walk, &step, err);
		left--;
	}
	print_held(walk, 0);
	return ret == WM_END ? WM_OK : ret;
}

static void close_walk(struct walk *walk)
{
	wm_cursor_free(walk->cursor);
	wm_modes_free(walk->modes);
	lines_free(walk->texts);
	free(walk->held.accesses);
}

/* Writes them, and counts those that may not have run. */
static int write_lines(void *lines, FILE *out, uint64_t *uncertain, struct wm_error *err)
{
	struct walk walk = { .of = lines, .out = out };
	int ret = check(lines, err);

	if (!ret)
		ret = open_walk(&walk, err);
	if (!ret)
		ret = walk_on(&walk, err);
	if (!ret) {
		remark_kind(lines);
		remark_registers(lines);
	}
	*uncertain = walk.uncertain;
	close_walk(&walk);
	return ret;
}

int mem_lines_print(const struct mem_lines *lines, struct share *share,
		    struct wm_error *err)
{
	struct mem_lines copy = *lines;
	const struct undivided_text text = { write_lines, &copy };
	FILE *out = stdout_open_raw();
	char number[NUMBER_TEXT];
	uint64_t uncertain;
	int ret;

	stdout_refuse_terminal();
	if (!out)
		return wm_fail_nomem(err, "output");
	setvbuf(out, NULL, _IOFBF, BUFFER_BYTES);
	ret = share ? undivided_write(&text, lines->source->trace, share, out, &uncertain,
				      err) :
		      write_lines(&copy, out, &uncertain, err);
	fclose(out);
	if (uncertain && !(share && share->done))
		remark("%s of these instructions may not have run",
		       number_grouped(number, uncertain));
	return ret;
}
