/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libwaymark: read what a program executed from a .wmk file. What explains it is in
 * waymark-explain.h, what a whole machine has besides in waymark-machine.h; this file includes
 * both at its end.
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
	WM_E_FORMAT = -2, /* not a Waymark file */
	WM_E_DAMAGED = -3, /* a checksum or a field is wrong */
	WM_E_NOMEM = -4,
	WM_E_RANGE = -5,  /* no such stream, block or ordinal */
	WM_E_OUTPUT = -6, /* cannot write, and not to the trace that is read */
	WM_E_NEWER = -7,  /* a Waymark file of a format that this version does not read */
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
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; end 0: not known */
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
/*
 * Block `id`, from 1. WM_E_RANGE: there is no such block. Any other error: the block cannot be
 * read, because the trace is damaged, or because its code is in a file that is missing (`record
 * --code files`). wm_trace_verify() gives the error's text.
 */
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
	/* No accesses of memory by the program; asked for with --value or --commits: */
	WM_ACCESS_REGISTER = 2, /* what a register had before the instruction */
	WM_ACCESS_WRITTEN = 3,	/* what the instruction left in it */
	WM_ACCESS_MEMORY = 4,	/* what was in memory before the instruction */
	WM_ACCESS_RETURNED = 5, /* a register when a call had just returned here */
};

/*
 * A load or store that an instruction did, where the recording has them: "values" of
 * wm_trace_meta() is a list of words, parted by commas. "loads", "stores" or "all" says which;
 * "data" that the data are in the trace too. "commits": each register that an instruction has
 * written. "places": values that were asked for at places; "value_places" has one in each
 * line.
 */
struct wm_access {
	uint64_t address; /* guest virtual; of a register, its number */
	/* What was loaded or stored: a number of `size` bytes, the low half first. */
	uint64_t data[2];
	uint32_t block; /* which of the step's blocks, from 0 */
	uint32_t insn;	/* index of the instruction in its block */
	uint8_t size;	/* bytes: a power of two, at most 16 */
	uint8_t kind;	/* enum wm_access_kind */
	bool has_data;	/* else data[] is 0 and not known */
	uint16_t place; /* the line of "value_places" it is of, from 1; 0: of none */
};
/*
 * The accesses of what the last step returned, an instruction, a block or a run of blocks:
 * (*accesses)[*n] in the order in which they happened. They belong to the cursor until its
 * next call; *ids of a run stay valid. An instruction may have several (an atomic one, a
 * vector) or none (it faulted). WM_END: of this part of the run none were recorded, or
 * there was no step since the cursor was made or moved. WM_E_DAMAGED, WM_E_NOMEM.
 */
WM_API int wm_cursor_accesses_sized(struct wm_cursor *cursor,
				    const struct wm_access **accesses, size_t bytes,
				    size_t *n, struct wm_error *err);
static inline int wm_cursor_accesses(struct wm_cursor *cursor,
				     const struct wm_access **accesses, size_t *n,
				     struct wm_error *err)
{
	return wm_cursor_accesses_sized(cursor, accesses, sizeof(**accesses), n, err);
}
/*
 * What the guest's ABI calls a register by its number in struct wm_access: "a0". A constant;
 * NULL when the guest has no such register, or its ISA is not known.
 */
WM_API const char *wm_trace_register_name(const struct wm_trace *trace, uint64_t number);

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
	/* enum wm_trap, address, handler's address, cause, stval or mtval, modes */
	WM_EVENT_TRAP = 19,
	WM_EVENT_SCHED_SWITCH = 20, /* tid of the next thread, hart, state; its name */
	WM_EVENT_TRAP_RETURN = 21,  /* sret, mret: address, mode before, mode after */
	/*
	 * The mode that a thread is in where recording goes on, when traps were passed
	 * unrecorded.
	 */
	WM_EVENT_MODE = 23,
	WM_EVENT_IRQ = 22, /* Linux handles one: its number; its device's name */

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

/* The si_code of a signal where nobody knows it: no siginfo was given to the handler. */
#define WM_SIGNAL_CODE_UNKNOWN 2147483647

/* What a marker in the guest says: see waymark-mark.h. */
enum wm_marker {
	WM_MARKER_POINT = 0,
	WM_MARKER_BEGIN = 1,
	WM_MARKER_END = 2,
};

/* What of a whole machine is interrupted: before this instruction, or by it. */
enum wm_trap {
	WM_TRAP_INTERRUPT = 0,
	WM_TRAP_EXCEPTION = 1,
};

/*
 * The cause of a trap is RISC-V's code of the exception, or WM_TRAP_CODES plus that of the
 * interrupt; other machines' causes have the code of the same meaning, or one of FORMAT.md
 * above WM_TRAP_UNKNOWN. Modes are RISC-V's: 0 user, 1 supervisor, 2 hypervisor, 3 machine.
 */
enum {
	WM_TRAP_CODES = 32,
	WM_TRAP_UNKNOWN = 64,
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

/* ---- checking ---------------------------------------------------------------- */

struct wm_check {
	uint64_t chunks, blocks, insns; /* checked; lost chunks are not counted */
	uint64_t gaps;			/* of the blocks, those that are gaps */
	unsigned threads;		/* to use; 0: as many as there are processors */
	uint64_t accesses;		/* values beside the path: struct wm_access */
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

/* The rest of the library. */
#include "waymark-explain.h"
#include "waymark-machine.h"
#endif
