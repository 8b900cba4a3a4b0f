/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libwaymark, the part that explains: what an instruction is, which way a branch went, the
 * names of code and of events, a walk on several threads, and the questions of the command
 * line, answered as rows.
 *
 * waymark.h includes this file and has the conventions. Include only that.
 */
#ifndef WAYMARK_EXPLAIN_H
#define WAYMARK_EXPLAIN_H

#include "waymark.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what an instruction is ---------------------------------------------- */

/* Where control goes after an instruction. */
enum wm_flow {
	WM_FLOW_NEXT = 0,   /* to the next instruction */
	WM_FLOW_BRANCH = 1, /* conditional: to its target or the next instruction */
	WM_FLOW_JUMP = 2,   /* to its target */
	WM_FLOW_CALL = 3,   /* to its target, which returns to the next instruction */
	WM_FLOW_CALL_INDIRECT =
		4, /* the same; the target is in a register or in memory */
	WM_FLOW_RETURN = 5,
	WM_FLOW_JUMP_INDIRECT = 6, /* a jump; the target is in a register or in memory */
};

/*
 * The class of an instruction. On RISC-V every instruction has one of these; on other
 * guests calls, branches, jumps and returns do, and the rest is WM_INSN_UNKNOWN.
 */
enum wm_insn_class {
	WM_INSN_UNKNOWN = 0,
	WM_INSN_INTEGER = 1,
	WM_INSN_MULTIPLY = 2,
	WM_INSN_DIVIDE = 3, /* and remainder */
	WM_INSN_BIT = 4,
	WM_INSN_CRYPTO = 5,
	WM_INSN_LOAD = 6,
	WM_INSN_STORE = 7,
	WM_INSN_ATOMIC = 8,
	WM_INSN_BRANCH = 9, /* conditional */
	WM_INSN_JUMP = 10,
	WM_INSN_JUMP_INDIRECT = 11,
	WM_INSN_CALL = 12,
	WM_INSN_CALL_INDIRECT = 13,
	WM_INSN_RETURN = 14,
	WM_INSN_FP_LOAD = 15,
	WM_INSN_FP_STORE = 16,
	WM_INSN_FP_ADD = 17, /* and subtract */
	WM_INSN_FP_MULTIPLY = 18,
	WM_INSN_FP_DIVIDE = 19, /* and square root */
	WM_INSN_FP_FMA = 20,
	WM_INSN_FP_COMPARE = 21, /* and classify, minimum, maximum */
	WM_INSN_FP_CONVERT = 22, /* and round */
	WM_INSN_FP_MOVE = 23,	 /* and sign injection */
	WM_INSN_VECTOR_CONFIG = 24,
	WM_INSN_VECTOR_LOAD = 25,
	WM_INSN_VECTOR_STORE = 26,
	WM_INSN_VECTOR_INTEGER = 27,
	WM_INSN_VECTOR_MULTIPLY = 28,
	WM_INSN_VECTOR_DIVIDE = 29,
	WM_INSN_VECTOR_FP = 30,
	WM_INSN_VECTOR_REDUCE = 31,
	WM_INSN_VECTOR_MASK = 32,
	WM_INSN_VECTOR_MOVE = 33, /* and merge, slide, gather, compress */
	WM_INSN_VECTOR_CRYPTO = 34,
	WM_INSN_CSR = 35,
	WM_INSN_FENCE = 36,
	WM_INSN_SYSTEM = 37,
	WM_INSN_HINT = 38, /* nop, and what has no more effect */
};
/* "load", "FP add"; "unknown" for WM_INSN_UNKNOWN and for numbers of a newer library. */
WM_API const char *wm_insn_class_name(uint32_t insn_class);

struct wm_insn {
	uint64_t address;
	const uint8_t *code; /* [bytes] */
	uint32_t bytes;
	uint32_t insn_class; /* enum wm_insn_class */
	uint32_t flow;	     /* enum wm_flow */
	bool has_target;     /* of branches, jumps and calls */
	uint64_t target;
	const char *extension; /* of RISC-V: "Zbb"; NULL on other guests */
	const char *
		precision; /* of a RISC-V floating-point instruction: "double"; or NULL */
};
/*
 * Describes instruction `index` of block `id`. Errors are those of wm_trace_block(), and
 * WM_E_RANGE where the block has no such instruction. Strings are constants of the library.
 */
WM_API int wm_trace_insn_sized(const struct wm_trace *trace, uint32_t id, uint32_t index,
			       struct wm_insn *insn, size_t bytes);
static inline int wm_trace_insn(const struct wm_trace *trace, uint32_t id, uint32_t index,
				struct wm_insn *insn)
{
	return wm_trace_insn_sized(trace, id, index, insn, sizeof(*insn));
}

/* ---- which way control went ---------------------------------------------- */

/*
 * A branch, jump, call or return that was executed, and where control went. A conditional
 * branch whose target is the next instruction counts as not taken.
 */
struct wm_branch {
	uint64_t block_ordinal; /* of its block ... */
	uint64_t insn_ordinal;	/* ... and of itself, in the stream */
	uint64_t address;
	uint64_t target; /* of the instruction executed next */
	uint32_t space;	 /* index */
	uint32_t id;	 /* of its block, whose last instruction it is */
	uint32_t index;	 /* of the instruction in the block */
	uint32_t flow;	 /* enum wm_flow, but not WM_FLOW_NEXT */
	bool taken; /* false: a conditional branch that went on to the next instruction */
};

struct wm_branches;

/*
 * Lists the branches from where `cursor` stands, which is used for it until
 * wm_branches_free() and stays the caller's. WM_E_RANGE when the instructions of the
 * guest are not known.
 */
WM_API int wm_branches_new(struct wm_branches **branches, struct wm_cursor *cursor,
			   struct wm_error *err);
WM_API void wm_branches_free(struct wm_branches *branches);
/*
 * The next branch, or WM_END. A branch has no outcome, and is left out, where the recording
 * ends or has a gap right after it. When a signal's handler runs next, the target is where
 * the signal interrupted the thread.
 */
WM_API int wm_branches_next_sized(struct wm_branches *branches, struct wm_branch *branch,
				  size_t bytes, struct wm_error *err);
static inline int wm_branches_next(struct wm_branches *branches, struct wm_branch *branch,
				   struct wm_error *err)
{
	return wm_branches_next_sized(branches, branch, sizeof(*branch), err);
}

/* ---- names of code ------------------------------------------------------- */

/*
 * Finds the functions, modules and source lines of addresses. The same address may hold
 * different code at different times, so a question names the space, the address, and the id
 * of the block that executed there; with id 0 it is about what was mapped there last.
 *
 * Names come from the trace where they were packed into it, else from the files on disk, as
 * far as these are still what ran (by build-id). Source lines always come from the files.
 * Files are read when an address in them is first asked about. Any number of threads may
 * use one struct wm_names; strings live as long as it does.
 */
struct wm_names;
WM_API int wm_names_new(struct wm_names **names, const struct wm_trace *trace,
			struct wm_error *err);
WM_API void wm_names_free(struct wm_names *names);

/* What an address is part of. */
struct wm_place {
	uint32_t function;  /* a number: see wm_names_function() */
	const char *name;   /* of the function, demangled; "[libc.so.6]" for code without
				a symbol, "[anonymous]" for memory without a file */
	const char *symbol; /* as in the file; NULL: none */
	uint64_t offset; /* bytes from the start of the function; without a symbol, of the
				file; without a file, the address */
	const char *module;   /* path of the file; NULL: none */
	const char *build_id; /* of the module, in hexadecimal; "" when not known */
	uint64_t file_off;    /* of the address in the module, in bytes */
};
/* WM_E_RANGE when there is no such space, WM_E_NOMEM. */
WM_API int wm_names_place_sized(struct wm_names *names, uint32_t space, uint64_t address,
				uint32_t id, struct wm_place *place, size_t bytes,
				struct wm_error *err);
static inline int wm_names_place(struct wm_names *names, uint32_t space, uint64_t address,
				 uint32_t id, struct wm_place *place,
				 struct wm_error *err)
{
	return wm_names_place_sized(names, space, address, id, place, sizeof(*place),
				    err);
}

/*
 * Functions are numbered from 1, in the order in which they were first asked about. The
 * same function of the same file has one number, whichever space executed it.
 */
struct wm_function {
	const char *name, *symbol, *module; /* as in struct wm_place */
	uint64_t start; /* in the module, in bytes; 0 without a symbol */
};
WM_API uint32_t wm_names_functions(struct wm_names *names); /* how many so far */
/* WM_E_RANGE: no function has that number. */
WM_API int wm_names_function_sized(struct wm_names *names, uint32_t number,
				   struct wm_function *function, size_t bytes);
static inline int wm_names_function(struct wm_names *names, uint32_t number,
				    struct wm_function *function)
{
	return wm_names_function_sized(names, number, function, sizeof(*function));
}

/* A function, and the source line that it executes. */
struct wm_frame {
	const char *function; /* demangled */
	const char *source;   /* absolute path of the source file; NULL: not known */
	uint32_t line;	      /* from 1; 0: not known */
	bool inlined;	      /* into the next frame */
};
/*
 * Fills in frames[room] for an address, from the innermost inlined function to the
 * function whose code it is; *n is how many there are in all, at least 1. frames[0] has the
 * source line of the address, the others the line of the call that was inlined.
 */
WM_API int wm_names_frames_sized(struct wm_names *names, uint32_t space, uint64_t address,
				 uint32_t id, struct wm_frame *frames, size_t bytes,
				 size_t room, size_t *n, struct wm_error *err);
static inline int wm_names_frames(struct wm_names *names, uint32_t space,
				  uint64_t address, uint32_t id, struct wm_frame *frames,
				  size_t room, size_t *n, struct wm_error *err)
{
	return wm_names_frames_sized(names, space, address, id, frames, sizeof(*frames),
				     room, n, err);
}

/* ---- bytecodes of managed programs ---------------------------------------- */

/*
 * A bytecode that a thread executed: of a program in Java or Python that was recorded with
 * its runtime's guide. Of compiled code, the bytecode that the code is of, as its compiler
 * says. Strings live as long as the struct wm_bytecodes.
 */
struct wm_bytecode {
	const char *method;    /* its name; NULL: there is no bytecode */
	const char *signature; /* that of a Java method: "(I)I"; else "" */
	const char *source;    /* the file, as the runtime names it; "" when not known */
	const char *opcode;    /* "iload_0"; NULL: not known */
	/* How it is known: "" it was fetched; "inferred", "compiled", "optimised". */
	const char *note;
	uint64_t insn_ordinal; /* of the instruction with which it begins */
	uint32_t offset;       /* in the method's bytecode, in bytes */
	uint32_t line;	       /* from 1; 0: not known */
};

/*
 * Finds them in the streams of a trace. For one thread at a time. WM_E_RANGE: the trace has
 * no bytecodes.
 */
struct wm_bytecodes;
WM_API int wm_bytecodes_new(struct wm_bytecodes **bytecodes, const struct wm_trace *trace,
			    struct wm_error *err);
WM_API void wm_bytecodes_free(struct wm_bytecodes *bytecodes);
/*
 * The bytecode that a stream executes at instruction `insn`: those up to the next bytecode's
 * first one are a bytecode's. WM_END: none, before the first one and behind a gap. Ask in
 * the order of the instructions: an earlier one than the last costs the way from the
 * stream's begin. WM_E_RANGE when there is no such stream; else errors of cursors.
 */
WM_API int wm_bytecodes_at_sized(struct wm_bytecodes *bytecodes, unsigned stream,
				 uint64_t insn, struct wm_bytecode *bytecode,
				 size_t bytes, struct wm_error *err);
static inline int wm_bytecodes_at(struct wm_bytecodes *bytecodes, unsigned stream,
				  uint64_t insn, struct wm_bytecode *bytecode,
				  struct wm_error *err)
{
	return wm_bytecodes_at_sized(bytecodes, stream, insn, bytecode, sizeof(*bytecode),
				     err);
}

/* ---- names of events ----------------------------------------------------- */

enum wm_field_type {
	WM_FIELD_UNSIGNED = 0,
	WM_FIELD_SIGNED = 1,
	WM_FIELD_HEX = 2,     /* an address, or flags */
	WM_FIELD_SYSCALL = 3, /* a number of the guest's system calls */
	WM_FIELD_SIGNAL = 4,  /* a number of the guest's signals */
	WM_FIELD_WORD = 5,    /* one of a few numbers, which have names */
	WM_FIELD_TEXT = 6,    /* not in fields[]: wm_event.text */
};

/* "syscall", "thread_name"; NULL for a kind of a newer Waymark. */
WM_API const char *wm_event_name(uint32_t kind);
/* Name and type of field `index` of a kind of event; WM_END beyond the last. */
WM_API int wm_event_field(uint32_t kind, unsigned index, const char **name,
			  enum wm_field_type *type);
/*
 * The value of field `index` into text[size]: numbers of system calls, signals and the like
 * by name. Returns the length of all of it, as snprintf() does; 0 and "" when the event has
 * no such field.
 */
WM_API int wm_event_value_sized(const struct wm_trace *trace,
				const struct wm_event *event, size_t bytes,
				unsigned index, char *text, size_t size);
static inline int wm_event_value(const struct wm_trace *trace,
				 const struct wm_event *event, unsigned index, char *text,
				 size_t size)
{
	return wm_event_value_sized(trace, event, sizeof(*event), index, text, size);
}
/* The whole event in one line, in the same way: "openat(AT_FDCWD, \"a\", 0x80000)". */
WM_API int wm_event_text_sized(const struct wm_trace *trace, const struct wm_event *event,
			       size_t bytes, char *text, size_t size);
static inline int wm_event_text(const struct wm_trace *trace,
				const struct wm_event *event, char *text, size_t size)
{
	return wm_event_text_sized(trace, event, sizeof(*event), text, size);
}
/* The name of a system call of the guest; NULL for a number without one. */
WM_API const char *wm_trace_syscall_name(const struct wm_trace *trace, uint64_t number);

/* ---- a walk on several threads ------------------------------------------- */

/*
 * An analysis of the sequence of blocks that runs on several threads: streams are cut into
 * parts, each part gets a state of its own, and states are appended in order. The result
 * does not depend on the number of threads when append(state of A, state of B) makes what
 * A's state would be, had it been given B's blocks, too.
 */
struct wm_part {
	unsigned stream;      /* index */
	uint32_t space;	      /* index; of its first block */
	uint64_t first_block; /* ordinal of what comes next when the part begins */
	bool first, last;     /* part of the stream's selection */
};

/* Blocks one after the other, with no event and no gap between them. */
struct wm_run {
	const uint32_t *ids; /* [n], at least one; valid during the call */
	size_t n;
	uint64_t block_ordinal; /* of ids[0] */
	uint64_t insn_ordinal;	/* of its first instruction that is in the run */
	/*
	 * When n is more than 1, all are whole and these are 0. Of one block alone, the
	 * instructions begin <= index < end ran; the last `uncertain` of them may not have.
	 */
	uint32_t begin, end, uncertain;
};

/*
 * The functions of an analysis. Each returns 0, or a negative code that ends the walk; NULL
 * means that it is not needed, but for append(), which is needed wherever a state matters.
 * Structs that they are given are the library's, and valid during the call.
 */
struct wm_analysis {
	size_t state_bytes; /* of a state, which is all zeros before begin() */
	int (*begin)(void *state, void *setup, const struct wm_part *part,
		     struct wm_error *err);
	int (*run)(void *state, const struct wm_run *run, struct wm_error *err);
	/* Called after the run that has the branch, and before the next one. */
	int (*branch)(void *state, const struct wm_branch *branch, struct wm_error *err);
	/* What ran here was not recorded; `id` is the gap's block. */
	int (*gap)(void *state, uint32_t id, uint64_t insn_ordinal, struct wm_error *err);
	int (*event)(void *state, const struct wm_event *event, struct wm_error *err);
	/* `next` is the state of the part right after that of `state`; it is ended then. */
	int (*append)(void *state, void *next, struct wm_error *err);
	/*
	 * `state` has all of a stream; it is ended then. Called for one stream after the
	 * other, in the order of the selection, by one thread at a time.
	 */
	int (*stream)(void *state, void *setup, unsigned stream, struct wm_error *err);
	void (*end)(void *state); /* frees what a state holds, also after a failure */
};

/*
 * What is to be walked. All zeros: everything, with a thread for each processor. A branch
 * that is the last instruction before `to` is not handed out: where it went is not walked.
 */
struct wm_selection {
	const unsigned *streams; /* [n] indexes, ascending; NULL: all */
	size_t n;
	uint64_t from,
		to; /* instruction ordinals in each stream; to is exclusive, 0: all */
	unsigned threads;
	/* Called now and then, by one thread at a time; or NULL. */
	void (*progress)(void *cookie, uint64_t done_insns, uint64_t of_insns);
	void *cookie;
	/*
	 * Blocks of a part, about; 0: what is best. 1 makes parts as small as they can be,
	 * which tests whether append() is right: the result must not change.
	 */
	uint64_t part_blocks;
};

/*
 * Walks through a trace. `setup` is handed to begin() and stream(); `selection` may be
 * NULL. WM_E_RANGE for streams that there are not, and when branch() is there and the
 * instructions of the guest are not known; else errors of cursors and of the analysis.
 */
WM_API int wm_trace_walk_sized(const struct wm_trace *trace,
			       const struct wm_analysis *analysis, size_t analysis_bytes,
			       const struct wm_selection *selection,
			       size_t selection_bytes, void *setup, struct wm_error *err);
static inline int wm_trace_walk(const struct wm_trace *trace,
				const struct wm_analysis *analysis,
				const struct wm_selection *selection, void *setup,
				struct wm_error *err)
{
	return wm_trace_walk_sized(trace, analysis, sizeof(*analysis), selection,
				   sizeof(*selection), setup, err);
}
/* Describes a failure of an analysis in *err, which may be NULL; returns `code`. */
WM_API int wm_error_set(struct wm_error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- questions, answered as rows ----------------------------------------- */

/* One row of an answer; valid during the call that hands it out. */
struct wm_row;

enum wm_cell_type {
	WM_CELL_EMPTY = 0, /* there is no value */
	WM_CELL_TEXT = 1,
	WM_CELL_COUNT = 2,   /* a whole number from 0 */
	WM_CELL_ADDRESS = 3, /* the same, to be read in hexadecimal */
	WM_CELL_REAL = 4,
	WM_CELL_CHANGE = 5, /* a whole number with a sign */
	WM_CELL_SHARE = 6,  /* from 0 to 1 */
};

/*
 * Puts a question of the command line to a trace ("hot", "cover", "mix": see
 * wm_question_name()). options[] are "NAME=VALUE", NULL-terminated, or NULL for none:
 * "by=line", "function=m*", "rows=10". `row` gets the rows in their order; it returns 0,
 * WM_END when it wants no more, or a negative code, which is returned. WM_E_RANGE with a
 * sentence for an unknown question, option, column, thread or place; else errors of
 * cursors and analyses.
 */
WM_API int wm_trace_ask(const struct wm_trace *trace, const char *question,
			const char *const *options,
			int (*row)(void *cookie, const struct wm_row *row), void *cookie,
			struct wm_error *err);

/* Hears of a question while it is answered. Members that are NULL are not called. */
struct wm_listener {
	void *cookie; /* is handed to each */
	/*
	 * A sentence about what the answer lacks, without a line end: a file with names is
	 * missing, or was changed since it ran.
	 */
	void (*warn)(void *cookie, const char *sentence);
	/* Called now and then, by one thread at a time. */
	void (*progress)(void *cookie, uint64_t done_insns, uint64_t of_insns);
	/*
	 * Called once before the first row, also when there are no rows: a row that has the
	 * names and types of the columns and no values.
	 */
	void (*columns)(void *cookie, const struct wm_row *names);
};
/* The same with a listener, which may be NULL. */
WM_API int wm_trace_ask_with_listener_sized(
	const struct wm_trace *trace, const char *question, const char *const *options,
	int (*row)(void *cookie, const struct wm_row *row), void *cookie,
	const struct wm_listener *listener, size_t bytes, struct wm_error *err);
static inline int wm_trace_ask_with_listener(
	const struct wm_trace *trace, const char *question, const char *const *options,
	int (*row)(void *cookie, const struct wm_row *row), void *cookie,
	const struct wm_listener *listener, struct wm_error *err)
{
	return wm_trace_ask_with_listener_sized(trace, question, options, row, cookie,
						listener, sizeof(*listener), err);
}

/* How many columns the answer has; name and type of one, NULL and WM_CELL_EMPTY beyond. */
WM_API unsigned wm_row_columns(const struct wm_row *row);
WM_API const char *wm_row_name(const struct wm_row *row, unsigned column);
WM_API enum wm_cell_type wm_row_type(const struct wm_row *row, unsigned column);
/* The index of the column of that name; UINT32_MAX when there is none. */
WM_API unsigned wm_row_find(const struct wm_row *row, const char *name);
/*
 * The value of a column: a text, "" in other columns; a number, 0 in columns of texts. A
 * number is converted to the type that is asked for. An empty cell is "" or 0, and
 * wm_row_has() is false.
 */
WM_API bool wm_row_has(const struct wm_row *row, unsigned column);
WM_API const char *wm_row_text(const struct wm_row *row, unsigned column);
WM_API uint64_t wm_row_count(const struct wm_row *row, unsigned column);
WM_API int64_t wm_row_change(const struct wm_row *row, unsigned column);
WM_API double wm_row_real(const struct wm_row *row, unsigned column);

/* Question `index`, from 0, and in one sentence what it asks; NULL beyond the last. */
WM_API const char *wm_question_name(unsigned index);
WM_API const char *wm_question_what(unsigned index);
/* An option of a question and what it means; NULL beyond the last, those of all included. */
WM_API const char *wm_question_option(unsigned index, unsigned option, const char **what);

#ifdef __cplusplus
}
#endif
#endif
