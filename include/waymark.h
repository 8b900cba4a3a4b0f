/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libwaymark: read what a program executed from a .wmk file.
 *
 * A trace holds streams, one per guest thread. A stream is the sequence of translation
 * blocks QEMU entered; a block is a run of guest instructions at one address with fixed
 * bytes. A cursor retraces a stream, block by block or instruction by instruction, from
 * any ordinal.
 *
 * What an address means, which file is mapped there, depends on the space: a guest process
 * or the machine. A stream lies in one space at a time and may go on in another one.
 *
 * Conventions: functions that can fail return 0 when done, WM_END at the end of
 * the data, and a negative WM_E_ code on failure, described in the caller's struct
 * wm_error (which may be NULL). `open`/`close` go with files, `new`/`free` with the
 * heap. Everything a trace hands out is owned by it and valid until it is closed.
 * Several threads may use an open trace; one thread at a time may use a cursor.
 *
 * Structs grow: a later version may add members at the end. So every function that fills in
 * or reads a caller's struct is an inline function here, which hands sizeof() of the struct
 * that the caller was compiled with to a symbol of the same name with "_sized". As much counts
 * as both sides know; what only the caller knows is set to zeros. The size is an argument,
 * not a first member, because a member that a caller forgets to set goes unnoticed until the
 * struct grows, and accessor functions would cost a call for each field of each instruction.
 * struct wm_error never grows. Enumerations may get new values.
 */
#ifndef WAYMARK_H
#define WAYMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WM_API __attribute__((visibility("default")))

enum wm_code {
	WM_OK = 0,
	WM_END = 1,	  /* no more data */
	WM_E_IO = -1,	  /* the operating system refused: errno's text is in the error */
	WM_E_FORMAT = -2, /* not a Waymark file, or one of a newer format */
	WM_E_DAMAGED = -3, /* a checksum or a field is wrong */
	WM_E_NOMEM = -4,
	WM_E_RANGE = -5,  /* no such stream, block or ordinal */
	WM_E_OUTPUT = -6, /* cannot write, and not to the trace that is read */
};

struct wm_error {
	int code;	 /* enum wm_code */
	uint64_t offset; /* where in the file, in bytes; 0 when it has no place */
	char text[240];	 /* one sentence for the user */
};

/* ---- versions ----------------------------------------------------------------- */

/* Of this header: 10000 * major + 100 * minor + patch. */
#define WM_VERSION 100
/* Of the library that the program runs with, in the same way, and as text: "0.1.0". */
WM_API unsigned wm_version(void);
WM_API const char *wm_version_text(void);

/* ---- the file -------------------------------------------------------------- */

struct wm_trace;

/*
 * Opens `path`. A file that was cut short or damaged opens too, up to the damage: see
 * wm_summary.complete.
 */
WM_API int wm_trace_open(struct wm_trace **trace, const char *path, struct wm_error *err);
/* The same for a file in memory, which must outlive the trace. */
WM_API int wm_trace_open_memory(struct wm_trace **trace, const void *data, size_t bytes,
				struct wm_error *err);
WM_API void wm_trace_close(struct wm_trace *trace);

struct wm_summary {
	uint64_t blocks; /* executed, over all streams; gaps among them: see wm_block */
	uint64_t insns;	 /* executed, over all streams */
	uint64_t uncertain; /* how many of these may not have run: see wm_step */
	uint64_t bytes;	    /* of the file */
	uint64_t chunks;
	uint32_t known_blocks; /* distinct blocks: ids run from 1 to this */
	uint32_t streams;
	uint32_t spaces;
	uint32_t processes; /* of the spaces */
	uint32_t modules;
	bool complete;	     /* the recording ended in order and nothing is missing */
	const char *cut;     /* when not complete: why, as a clause; else NULL */
	uint64_t damage_off; /* where reading ended, when the file is damaged; else 0 */
};
WM_API void wm_trace_summary_sized(const struct wm_trace *trace,
				   struct wm_summary *summary, size_t bytes);
static inline void wm_trace_summary(const struct wm_trace *trace,
				    struct wm_summary *summary)
{
	wm_trace_summary_sized(trace, summary, sizeof(*summary));
}

/*
 * What is known of the run: "command", "guest-isa", "qemu", "qemu-version",
 * "waymark", "host", "started" (seconds since 1970), "children-not-recorded" (a number,
 * when the guest forked), ... NULL when not recorded.
 * wm_trace_meta_at() walks all of them; it returns WM_END beyond the last.
 */
WM_API const char *wm_trace_meta(const struct wm_trace *trace, const char *key);
WM_API int wm_trace_meta_at(const struct wm_trace *trace, unsigned index,
			    const char **key, const char **value);

enum wm_space_kind {
	WM_SPACE_PROCESS = 0, /* a guest program, from its start to its end or execve() */
	WM_SPACE_MACHINE = 1, /* what all processes share: firmware and kernel */
	WM_SPACE_KINDS,
};

/* What guest addresses mean. Spaces, whatever they are, share one row of indexes. */
struct wm_space {
	uint32_t kind; /* enum wm_space_kind */
	/*
	 * Index of the space that an address belongs to when nothing is mapped at it here: a
	 * process lies over the machine. UINT32_MAX: none.
	 */
	uint32_t over;
	const char *name; /* path of the program; of a machine what it is called */
};
/* Space `index`, from 0. WM_E_RANGE when there is none. */
WM_API int wm_trace_space_sized(const struct wm_trace *trace, unsigned index,
				struct wm_space *space, size_t bytes);
static inline int wm_trace_space(const struct wm_trace *trace, unsigned index,
				 struct wm_space *space)
{
	return wm_trace_space_sized(trace, index, space, sizeof(*space));
}

struct wm_process {
	uint32_t pid;
	uint32_t parent;	   /* index of the parent process, or UINT32_MAX */
	const char *path;	   /* the guest program */
	int32_t status;		   /* as waitpid() gives it; -1 when not known */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC of the recording machine */
};
/* The process that space `index` is. WM_E_RANGE when there is none, or it is no process. */
WM_API int wm_trace_process_sized(const struct wm_trace *trace, unsigned index,
				  struct wm_process *process, size_t bytes);
static inline int wm_trace_process(const struct wm_trace *trace, unsigned index,
				   struct wm_process *process)
{
	return wm_trace_process_sized(trace, index, process, sizeof(*process));
}

struct wm_stream {
	uint32_t space; /* index: where it begins. Later: wm_trace_space_at() */
	uint32_t vcpu;
	uint32_t generation; /* vCPU indexes are reused: the n-th thread on this one */
	uint32_t tid;	     /* 0 when not known */
	const char *name;    /* "" when not known */
	uint64_t blocks, insns, chunks;
	uint64_t uncertain; /* how many of the insns may not have run: see wm_step */
	/* Instructions that it executed unrecorded, as far as they were counted. */
	uint64_t passed;
};
WM_API int wm_trace_stream_sized(const struct wm_trace *trace, unsigned index,
				 struct wm_stream *stream, size_t bytes);
static inline int wm_trace_stream(const struct wm_trace *trace, unsigned index,
				  struct wm_stream *stream)
{
	return wm_trace_stream_sized(trace, index, stream, sizeof(*stream));
}
/*
 * The index of the space in which block `block_ordinal` of a stream runs, and the ordinal of
 * the first block after it that runs in another one, or of the stream's end; `until` may be
 * NULL. Of the end itself the space is that of the last block. WM_E_RANGE beyond it.
 */
WM_API int wm_trace_space_at(const struct wm_trace *trace, unsigned stream,
			     uint64_t block_ordinal, uint32_t *space, uint64_t *until);

/*
 * A file mapped into a space, from the moment code was first seen in it. Later ones may
 * lie over earlier ones. A block's code comes from the last one over its address whose
 * known_blocks is below the block's id, or else from the earliest; a process forked from
 * its parent has the parent's until then, too. Where a space has none, the one that it
 * lies over counts.
 */
struct wm_module {
	uint32_t space;	       /* index */
	uint64_t start, end;   /* guest addresses; end is exclusive */
	uint64_t file_off;     /* what `start` maps, in bytes of the file */
	const char *path;      /* "": from then on, no file is mapped there any more */
	uint32_t known_blocks; /* were defined in the trace before that */
	uint64_t ns;	      /* CLOCK_MONOTONIC of the recording machine; 0: not known */
	const char *build_id; /* in hexadecimal; "" when it has none, or not known */
	bool packed;	      /* the trace has the names of its functions */
};
WM_API int wm_trace_module_sized(const struct wm_trace *trace, unsigned index,
				 struct wm_module *module, size_t bytes);
static inline int wm_trace_module(const struct wm_trace *trace, unsigned index,
				  struct wm_module *module)
{
	return wm_trace_module_sized(trace, index, module, sizeof(*module));
}

struct wm_chunk {
	uint32_t stream;
	uint32_t space;			  /* index: all of it lies in that one */
	uint64_t first_block, first_insn; /* ordinals in the stream, from 0 */
	uint64_t blocks, insns;
	uint64_t begin_ns, end_ns; /* when its tokens arrived at the collector */
	uint64_t file_off, file_bytes;
	bool lost; /* its sequence is missing: the file was recovered after damage */
};
WM_API int wm_trace_chunk_sized(const struct wm_trace *trace, uint64_t index,
				struct wm_chunk *chunk, size_t bytes);
static inline int wm_trace_chunk(const struct wm_trace *trace, uint64_t index,
				 struct wm_chunk *chunk)
{
	return wm_trace_chunk_sized(trace, index, chunk, sizeof(*chunk));
}

/* ---- blocks ----------------------------------------------------------------- */

/*
 * A block without instructions is a gap, at address 0: the thread executed code there that is
 * not recorded. A gap has an ordinal and counts as a block.
 */
struct wm_block {
	uint64_t address; /* guest virtual address of the first byte */
	uint32_t insns;	  /* 0: a gap */
	uint32_t bytes;
	const uint8_t *sizes; /* [insns] bytes of each instruction */
	const uint8_t *code;  /* [bytes] the instructions, as they ran */
};
/* Block `id`, from 1. WM_E_RANGE when there is none. */
WM_API int wm_trace_block_sized(const struct wm_trace *trace, uint32_t id,
				struct wm_block *block, size_t bytes);
static inline int wm_trace_block(const struct wm_trace *trace, uint32_t id,
				 struct wm_block *block)
{
	return wm_trace_block_sized(trace, id, block, sizeof(*block));
}

/*
 * Disassembly of instruction `index` of block `id` into text[size]: on RISC-V with the
 * operands that the ISA manual gives it, even where QEMU prints others; elsewhere QEMU's.
 * Returns its length, as snprintf() does; 0 and "" when it is not known.
 */
WM_API int wm_trace_disas(const struct wm_trace *trace, uint32_t id, uint32_t index,
			  char *text, size_t size);
/* The same exactly as the QEMU that ran it prints it. */
WM_API int wm_trace_disas_qemu(const struct wm_trace *trace, uint32_t id, uint32_t index,
			       char *text, size_t size);

/* One pair of a histogram: block `id` was executed `count` times. */
struct wm_count {
	uint32_t id;
	uint64_t count;
};
/* The block histogram of a chunk; *counts is the caller's to free(). */
WM_API int wm_trace_histogram_sized(const struct wm_trace *trace, uint64_t chunk,
				    struct wm_count **counts, size_t bytes, size_t *n,
				    struct wm_error *err);
static inline int wm_trace_histogram(const struct wm_trace *trace, uint64_t chunk,
				     struct wm_count **counts, size_t *n,
				     struct wm_error *err)
{
	return wm_trace_histogram_sized(trace, chunk, counts, sizeof(**counts), n, err);
}

/*
 * An execution of a block that stopped before the block's end: a load faulted, a thread was
 * killed. A histogram counts it as one execution of the whole block.
 */
struct wm_partial {
	uint64_t block_ordinal; /* in the stream */
	uint32_t id;
	uint32_t insns; /* that began, from the block's first; the last may have faulted */
	uint32_t uncertain; /* how many of the last of these may not have run */
};
/* Those of a chunk, in order; *partials is the caller's to free(). Most chunks have none. */
WM_API int wm_trace_partials_sized(const struct wm_trace *trace, uint64_t chunk,
				   struct wm_partial **partials, size_t bytes, size_t *n,
				   struct wm_error *err);
static inline int wm_trace_partials(const struct wm_trace *trace, uint64_t chunk,
				    struct wm_partial **partials, size_t *n,
				    struct wm_error *err)
{
	return wm_trace_partials_sized(trace, chunk, partials, sizeof(**partials), n,
				       err);
}

/* ---- the sequence ------------------------------------------------------------ */

struct wm_cursor;

/* A cursor before the first block of stream `stream`. */
WM_API int wm_cursor_new(struct wm_cursor **cursor, const struct wm_trace *trace,
			 unsigned stream, struct wm_error *err);
WM_API void wm_cursor_free(struct wm_cursor *cursor);

/*
 * Moves before block or instruction `ordinal` of the stream, decoding one chunk at
 * most. The ordinal one past the last is allowed; beyond that, WM_E_RANGE. Seeking to
 * an instruction stands before the block that holds it, with the earlier ones skipped, or
 * before the gap right before that.
 */
WM_API int wm_cursor_seek_block(struct wm_cursor *cursor, uint64_t ordinal,
				struct wm_error *err);
WM_API int wm_cursor_seek_insn(struct wm_cursor *cursor, uint64_t ordinal,
			       struct wm_error *err);

struct wm_step {
	uint64_t block_ordinal;
	uint64_t insn_ordinal; /* of the instruction, or of the block's first one */
	uint32_t id;	       /* block */
	uint32_t space;	       /* index: what its addresses mean */
	uint32_t index;	       /* of the instruction in the block */
	uint32_t insns; /* of the block that began: all, except in a wm_partial; 0: a gap */
	uint32_t uncertain; /* how many of the last of these may not have run */
};
WM_API int wm_cursor_next_block_sized(struct wm_cursor *cursor, struct wm_step *step,
				      size_t bytes, struct wm_error *err);
static inline int wm_cursor_next_block(struct wm_cursor *cursor, struct wm_step *step,
				       struct wm_error *err)
{
	return wm_cursor_next_block_sized(cursor, step, sizeof(*step), err);
}
/*
 * Skips gaps, and the events right after them; the step's block_ordinal then grows by more
 * than one.
 */
WM_API int wm_cursor_next_insn_sized(struct wm_cursor *cursor, struct wm_step *step,
				     size_t bytes, struct wm_error *err);
static inline int wm_cursor_next_insn(struct wm_cursor *cursor, struct wm_step *step,
				      struct wm_error *err)
{
	return wm_cursor_next_insn_sized(cursor, step, sizeof(*step), err);
}
/*
 * The fast way: many blocks at once, up to the next event or the end of the chunk, so all of
 * one space. *ids[*n] belongs to the cursor until its next call; *step describes the first
 * block. A block that was left early comes alone, and so does a gap: then *n is 1, and
 * step->insns says how much of it began.
 *
 * A chunk is decoded only as far as it is read. A chunk with a valid checksum over codes that
 * no encoder writes may therefore fail with WM_E_DAMAGED after some of its blocks were
 * delivered. Nothing is decoded beyond its end. wm_trace_verify() finds such a chunk first.
 */
WM_API int wm_cursor_next_run_sized(struct wm_cursor *cursor, const uint32_t **ids,
				    size_t *n, struct wm_step *step, size_t bytes,
				    struct wm_error *err);
static inline int wm_cursor_next_run(struct wm_cursor *cursor, const uint32_t **ids,
				     size_t *n, struct wm_step *step,
				     struct wm_error *err)
{
	return wm_cursor_next_run_sized(cursor, ids, n, step, sizeof(*step), err);
}

/* ---- values -------------------------------------------------------------------- */

/* What a value beside the path is. */
enum wm_access_kind {
	WM_ACCESS_LOAD = 0,
	WM_ACCESS_STORE = 1,
	WM_ACCESS_REGISTER = 2, /* a register was read; no access of memory */
};

/*
 * A load or store that an instruction did, where the recording has them: "values" of
 * wm_trace_meta() is "loads", "stores" or "all", and ends in ",data" when the data are in the
 * trace too.
 */
struct wm_access {
	uint64_t address; /* guest virtual; of WM_ACCESS_REGISTER, the register's number */
	/* What was loaded or stored: a number of `size` bytes, the low half first. */
	uint64_t data[2];
	uint32_t block; /* which of the step's blocks, from 0 */
	uint32_t insn;	/* index of the instruction in its block */
	uint8_t size;	/* bytes: a power of two, at most 16 */
	uint8_t kind;	/* enum wm_access_kind */
	bool has_data;	/* else data[] is 0 and not known */
};

/* ---- events ------------------------------------------------------------------ */

/* What is not a block. The fields of each kind are listed in format/events.def. */
enum wm_event_kind {
	WM_EVENT_SYSCALL = 1,	  /* number, six arguments; the block before ends in it */
	WM_EVENT_SYSCALL_RET = 2, /* number, value returned (negative: -errno) */
	WM_EVENT_SIGNAL = 3, /* a handler starts: signal, si_code, pc, address, handler */
	WM_EVENT_MARKER = 4, /* enum wm_marker, id; the block after begins with it */
	WM_EVENT_WINDOW = 5, /* enum wm_window_change, window, instructions passed */
	WM_EVENT_MMAP = 10,  /* address, length, prot, flags, fd, offset */
	WM_EVENT_MUNMAP = 11, /* address, length */

	/* These have a time but no place in a thread's sequence: see wm_timeline. */
	WM_EVENT_VCPU_INIT = 6,	    /* vcpu, thread's id (0: not known yet) */
	WM_EVENT_VCPU_EXIT = 7,	    /* the same */
	WM_EVENT_TB_TRANSLATE = 8,  /* address, instructions */
	WM_EVENT_BLOCK_VERSION = 9, /* address, which code there, from 1, its bytes */
	WM_EVENT_THREAD_NAME = 12,  /* vcpu, thread's id; text: its name */
	WM_EVENT_FORK = 13,	    /* the child's pid */
	WM_EVENT_EXEC = 14,	    /* text: the program that the process became */
	WM_EVENT_CTL = 15,	    /* text: the request */
	WM_EVENT_LOST = 16,	    /* text: why something is missing from here on */
	WM_EVENT_CLOCK = 17,	    /* nanoseconds since 1970, and of CLOCK_MONOTONIC */
	WM_EVENT_QEMU = 18,	    /* text: a line of QEMU's own trace */
};

/* What a marker in the guest says: see waymark-mark.h. */
enum wm_marker {
	WM_MARKER_POINT = 0,
	WM_MARKER_BEGIN = 1,
	WM_MARKER_END = 2,
};

/*
 * A window's bounds: from here on the thread is recorded, or not. Its number is that of the
 * command line, from 0; WM_WINDOW_WISH: `waymark ctl` asked. Instructions passed are those
 * that the thread executed unrecorded since it began, as far as they were counted.
 */
enum wm_window_change {
	WM_WINDOW_CLOSES = 0,
	WM_WINDOW_OPENS = 1,
};
#define WM_WINDOW_WISH UINT32_MAX

#define WM_EVENT_FIELDS 8

struct wm_event {
	uint64_t block_ordinal; /* it happened before this block of the stream ... */
	uint64_t insn_ordinal;	/* ... and before this instruction */
	uint64_t ns;		/* CLOCK_MONOTONIC of the recording machine */
	uint32_t kind;		/* enum wm_event_kind, or one of a newer Waymark */
	uint32_t space;		/* index: what its addresses mean; UINT32_MAX: nothing */
	uint32_t n_fields;
	uint64_t fields[WM_EVENT_FIELDS];
	const char *text; /* [text_bytes], without NUL; the cursor's until it moves */
	size_t text_bytes;
};

/* Moves to the next event and skips the blocks before it. WM_END: there is no other. */
WM_API int wm_cursor_next_event_sized(struct wm_cursor *cursor, struct wm_event *event,
				      size_t bytes, struct wm_error *err);
static inline int wm_cursor_next_event(struct wm_cursor *cursor, struct wm_event *event,
				       struct wm_error *err)
{
	return wm_cursor_next_event_sized(cursor, event, sizeof(*event), err);
}
/*
 * The next event, if it lies right where the cursor stands and was not handed out yet;
 * WM_END if not. Called before each wm_cursor_next_run() until WM_END, it gives blocks
 * and events in their order. Events between two chunks come before the next run.
 */
WM_API int wm_cursor_event_here_sized(struct wm_cursor *cursor, struct wm_event *event,
				      size_t bytes);
static inline int wm_cursor_event_here(struct wm_cursor *cursor, struct wm_event *event)
{
	return wm_cursor_event_here_sized(cursor, event, sizeof(*event));
}

/*
 * Events that have no place in a thread's sequence, in the order of their time. Their
 * ordinals are 0. *process is the index of a space, or UINT32_MAX: of none. One thread may use
 * a timeline; texts belong to it until it is freed.
 */
struct wm_timeline;
WM_API int wm_timeline_new(struct wm_timeline **timeline, const struct wm_trace *trace,
			   struct wm_error *err);
WM_API void wm_timeline_free(struct wm_timeline *timeline);
/* The next one, or WM_END. */
WM_API int wm_timeline_next_sized(struct wm_timeline *timeline, uint32_t *process,
				  struct wm_event *event, size_t bytes);
static inline int wm_timeline_next(struct wm_timeline *timeline, uint32_t *process,
				   struct wm_event *event)
{
	return wm_timeline_next_sized(timeline, process, event, sizeof(*event));
}

/* ---- the schedule ------------------------------------------------------------ */

/*
 * A hart, or vCPU, turns to a stream: it runs the blocks from this ordinal on, up to that of
 * the stream's next turn. Only where streams move between harts; else there are none.
 */
struct wm_turn {
	uint64_t ns; /* CLOCK_MONOTONIC of the recording machine */
	uint32_t hart;
	uint32_t stream;
	uint64_t block_ordinal;
};

/* The turns of a trace, in the order in which they happened. For one thread. */
struct wm_schedule;
WM_API int wm_schedule_new(struct wm_schedule **schedule, const struct wm_trace *trace,
			   struct wm_error *err);
WM_API void wm_schedule_free(struct wm_schedule *schedule);
/* The next one, or WM_END. */
WM_API int wm_schedule_next_sized(struct wm_schedule *schedule, struct wm_turn *turn,
				  size_t bytes, struct wm_error *err);
static inline int wm_schedule_next(struct wm_schedule *schedule, struct wm_turn *turn,
				   struct wm_error *err)
{
	return wm_schedule_next_sized(schedule, turn, sizeof(*turn), err);
}

/* ---- what an instruction is ----------------------------------------------------- */

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
 * Describes instruction `index` of block `id`. WM_E_RANGE when there is none. Strings are
 * constants of the library.
 */
WM_API int wm_trace_insn_sized(const struct wm_trace *trace, uint32_t id, uint32_t index,
			       struct wm_insn *insn, size_t bytes);
static inline int wm_trace_insn(const struct wm_trace *trace, uint32_t id, uint32_t index,
				struct wm_insn *insn)
{
	return wm_trace_insn_sized(trace, id, index, insn, sizeof(*insn));
}

/* ---- which way control went ------------------------------------------------------- */

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

/* ---- names of code ---------------------------------------------------------------- */

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

/* ---- names of events ---------------------------------------------------------------- */

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

/* ---- a walk on several threads ------------------------------------------------------ */

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

/* What is to be walked. All zeros: everything, with a thread for each processor. */
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

/* ---- questions, answered as rows ---------------------------------------------------- */

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

/* ---- checking ---------------------------------------------------------------- */

struct wm_check {
	uint64_t chunks, blocks, insns; /* checked; lost chunks are not counted */
	uint64_t gaps;			/* of the blocks, those that are gaps */
	unsigned threads;		/* to use; 0: as many as there are processors */
};
/*
 * Reads everything: checks checksums and structure, retraces every chunk and compares it with
 * its own counts and histogram. Returns the first fault in `err`.
 */
WM_API int wm_trace_verify_sized(const struct wm_trace *trace, struct wm_check *check,
				 size_t bytes, struct wm_error *err);
static inline int wm_trace_verify(const struct wm_trace *trace, struct wm_check *check,
				  struct wm_error *err)
{
	return wm_trace_verify_sized(trace, check, sizeof(*check), err);
}

#ifdef __cplusplus
}
#endif
#endif
