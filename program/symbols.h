/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for guest addresses, at any moment of a recording. */
#ifndef PROGRAM_SYMBOLS_H
#define PROGRAM_SYMBOLS_H

#include "program/extents.h"

struct symbols;

struct symbol {
	const char *name; /* as in the file; NULL when there is none */
	uint64_t offset; /* bytes from the symbol's start, or from the file's without one */
	const char *module; /* path of the file; NULL when the address is in none */
	uint64_t file_off;  /* of the address in that file; in a table, the address */
};

/*
 * Finds names for `trace`, which must outlive it. They come from the providers
 * (program/provider.h), which are used when an address in a file is first looked up.
 * *symbols is the caller's to free, and for one thread at a time. WM_E_NOMEM.
 */
int symbols_new(struct symbols **symbols, const struct wm_trace *trace,
		struct wm_error *err);
void symbols_free(struct symbols *symbols);
/*
 * Takes names from the table in file `path`, too: a map that a JIT compiler wrote for
 * perf(1). They name code of process `pid` (0: see program/given.h) that has no name in a
 * mapped file; where no file is mapped the module is `path`. Where two entries overlap,
 * the later one counts. WM_E_IO, WM_E_FORMAT; WM_E_RANGE: there is no such process;
 * WM_E_NOMEM.
 */
int symbols_add(struct symbols *symbols, const char *path, uint32_t pid,
		struct wm_error *err);

/* A file of the program that is needed for names or lines and cannot be used. */
struct missing_file {
	const char *path;
	bool changed; /* it is another build than what ran; false: it cannot be opened */
	bool named; /* its names are packed in the trace, so only its lines are missing */
};
/*
 * Sets the function that is called for each such file, once, except for files that were
 * deleted while the guest ran.
 */
void symbols_on_missing(struct symbols *symbols,
			void (*tell)(void *cookie, const struct missing_file *missing),
			void *cookie);

/*
 * Finds what a guest address of a space was when block `id`, which holds it, was
 * translated (0: at the end of the recording), and fills in *out; true when it has a
 * name. A file that is missing, stripped, damaged, or rebuilt since gives no names and no
 * error. Names and paths are owned by `symbols`.
 */
bool symbols_find(struct symbols *symbols, uint32_t space, uint64_t address, uint32_t id,
		  struct symbol *out);

/* Where code comes from: a byte of a file, as that was when it was mapped. */
struct origin {
	uint32_t file; /* its number: below symbols_files() */
	uint64_t file_off;
};

/* An address, all that is known of it, and how far that goes. */
struct symbol_along {
	struct symbol symbol; /* offset and file_off grow by 1 with each byte */
	struct origin origin;
	bool in_file; /* there is an origin, whose file_off grows, too */
	struct along along;
};

/* As symbols_find() and symbols_origin(): for lookups of one address after the other. */
void symbols_along(struct symbols *symbols, uint32_t space, uint64_t address, uint32_t id,
		   struct symbol_along *out);

/* The origin of an address, as above; false when it is in no file. */
bool symbols_origin(const struct symbols *symbols, uint32_t space, uint64_t address,
		    uint32_t id, struct origin *origin);
/* Whether code at an address, as of block `id`, was made at run time, and is of no file. */
bool symbols_is_made(const struct symbols *symbols, uint32_t space, uint64_t address,
		     uint32_t id);
/*
 * How many files there are: those of one path and build-id are one, those without a
 * build-id are apart.
 */
uint32_t symbols_files(const struct symbols *symbols);
/* A file's path, and its build-id or "". */
const char *symbols_file(const struct symbols *symbols, uint32_t file,
			 const char **build_id);
/* Opens it, if it is there and still what ran: a descriptor of the caller's; or -1. */
int symbols_open(struct symbols *symbols, uint32_t file);
/* Until it is set off: no word of a missing file whose names are known (files_for_more()). */
void symbols_for_more(struct symbols *symbols, bool on);

struct packed;
struct interner;
/* The lines and inlined calls of its code in the trace, the caller's; see packed_new(). */
struct packed *symbols_packed(const struct symbols *symbols, uint32_t file,
			      struct interner *sources);

/*
 * Reads the bytes from `file_off` on of a file as it ran, into code[bytes]. Returns how
 * many there were; 0 when the file is missing or is not what ran, or no file has that
 * number.
 */
size_t symbols_read(struct symbols *symbols, uint32_t file, uint64_t file_off,
		    uint8_t *code, size_t bytes);

/* A symbol of a file: code at bytes start <= offset < end of it. */
struct symbol_range {
	const char *name; /* as in the file */
	uint64_t start, end;
};

/*
 * Symbol `index` of a file, by address; false beyond the last. Ranges may nest, and are
 * empty when nothing of the file is loaded there.
 */
bool symbols_at(struct symbols *symbols, uint32_t file, uint32_t index,
		struct symbol_range *range);
/*
 * The innermost symbol over a byte of a file; false when there is none, or no such file.
 */
bool symbols_over(struct symbols *symbols, const struct origin *origin,
		  struct symbol_range *range);
/*
 * The distance from the lowest address of the file's image to where a byte of it is
 * loaded; if its segments are not known, the byte's offset in the file.
 */
uint64_t symbols_image_off(struct symbols *symbols, const struct origin *origin);

/*
 * The address that the file's own headers give a byte of it, as tools that read the file
 * count; without knowledge of its segments, the byte's place in the file.
 */
uint64_t symbols_vaddr(struct symbols *symbols, const struct origin *origin);

/*
 * How many symbols before this one, by their places in its file, have the same name: more
 * than one function may be called `helper`. 0, too, without a name or without memory.
 */
uint32_t symbols_rank(struct symbols *symbols, const struct symbol *symbol);

#endif
