/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a listing draws from: a trace, and names for what is in it. */
#ifndef QUERY_SOURCE_H
#define QUERY_SOURCE_H

#include "kernel/kernel.h"
#include "program/srclines.h"
#include "query/listener.h"
#include "query/scope.h"

struct tape;

struct source {
	const struct wm_trace *trace;
	struct wm_trace *opened; /* the same, when it is to be closed; or NULL */
	struct symbols *symbols;
	struct srclines *lines; /* source_find_lines() sets it; or NULL */
	const struct kernel *kernel;
	unsigned address_digits; /* hexadecimal ones of a guest address: 16 or 8 */
	unsigned log_digits;	 /* of one in QEMU's log, at least */
	enum source_isa { SOURCE_RISCV, SOURCE_ARM, SOURCE_X86, SOURCE_OTHER } isa;
};

/*
 * Opens the trace `file`. The listener, which must outlive the source, gets a warning
 * when the trace is cut short, and when a file that names its code is missing or changed,
 * because an answer must not look more complete than it is. On failure nothing is left
 * open.
 */
int source_open(struct source *source, const char *file, const struct listener *listener,
		struct wm_error *err);
/* The same with a tape of what is read to open the trace (format/tape.h). */
int source_open_taped(struct source *source, const char *file, struct tape *tape,
		      const struct listener *listener, struct wm_error *err);
/* The same of a trace that is open, and stays the caller's. */
int source_init(struct source *source, const struct wm_trace *trace,
		const struct listener *listener, struct wm_error *err);
/* What source_open() says of a trace that is cut short, of one that was opened otherwise. */
void source_warn_if_cut(const struct wm_trace *trace, const char *file,
			const struct listener *listener);
/* Takes the table of names "FILE" or "FILE:PID", too. Errors are those of symbols_add(). */
int source_add_table(struct source *source, const char *table, struct wm_error *err);
/* The same with the tables of a scope. */
int source_add_tables(struct source *source, const struct scope *scope,
		      struct wm_error *err);
/* From now on instructions have their source lines. WM_E_NOMEM. */
int source_find_lines(struct source *source, struct wm_error *err);
/* What to say when no line was found. */
extern const char source_no_lines[];
void source_close(struct source *source);

/*
 * Bytes of the numbers that an ISA defines the code of an instruction in: 1 on x86, 2 in
 * Thumb, the size of the instruction elsewhere.
 */
unsigned source_code_unit(const struct source *source, uint32_t id,
			  const struct wm_block *block, uint32_t index);

struct code_name {
	const char *symbol; /* NULL when not known */
	const char *module; /* name of the file without folders, NULL when not known */
	uint64_t offset; /* in bytes, from the symbol, or without one from the module */
};

/*
 * Where `address` of block `id` (0: not of a block, but what was there last) is, in a
 * space. Names are owned by the source.
 */
void source_name(const struct source *source, uint32_t space, uint64_t address,
		 uint32_t id, struct code_name *place);
/*
 * A place's name for people, the caller's to free(): its function's as the programmer wrote
 * it, else its file's, else "[anonymous]". NULL: no memory.
 */
char *source_title(const struct code_name *place);

/*
 * The line of source of the same code; false: it is not known, or source_find_lines() was not
 * called.
 */
bool source_srcline(const struct source *source, uint32_t space, uint64_t address,
		    uint32_t id, struct srcline *line);

#endif
