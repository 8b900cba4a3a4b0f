/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for guest addresses, from the ELF files a trace's processes had mapped. */
#ifndef PROGRAM_SYMBOLS_H
#define PROGRAM_SYMBOLS_H

#include "waymark.h"

struct symbols;

struct symbol {
	const char *name; /* as in the file; NULL when there is none */
	uint64_t offset; /* bytes from the symbol's start, or from the file's without one */
	const char *module; /* path of the file; NULL when the address is in none */
	uint64_t file_off;  /* of the address in that file; in a table, the address */
};

/*
 * Finds names for `trace`, which must outlive it. They come from the providers
 * (program/provider.h), which are asked when an address in a file is first looked up.
 * *symbols is the caller's to free, and for one thread at a time. WM_E_NOMEM.
 */
int symbols_new(struct symbols **symbols, const struct wm_trace *trace,
		struct wm_error *err);
void symbols_free(struct symbols *symbols);
/*
 * Takes names from the table in file `path`, too: a map that a JIT compiler wrote for
 * perf(1). They name code of process `pid` (0: see program/given.h) that has no name in a
 * mapped file; where no file is mapped the module is `path`. Where two entries overlap, the
 * later one counts. WM_E_IO, WM_E_FORMAT; WM_E_RANGE: there is no such process; WM_E_NOMEM.
 */
int symbols_add(struct symbols *symbols, const char *path, uint32_t pid,
		struct wm_error *err);

/* A file that is asked for and does not serve. */
struct symbols_lack {
	const char *path;
	bool changed; /* it is another build than what ran; false: it cannot be opened */
	bool named;   /* its names are in the trace, only its lines are lacking */
};
/*
 * Has `tell` called with such files, once for each. Those that were deleted when the guest
 * still ran are not among them.
 */
void symbols_on_lack(struct symbols *symbols,
		     void (*tell)(void *cookie, const struct symbols_lack *lack),
		     void *cookie);

/*
 * Fills in *out for a guest address of the process with that index, which ran as part of
 * block `id` (0: whatever was there last); true when it has a name. A file that is
 * missing, stripped, damaged, or no longer the one that ran gives no names and no error.
 * Names and paths are owned by `symbols`.
 */
bool symbols_find(struct symbols *symbols, uint32_t process, uint64_t address,
		  uint32_t id, struct symbol *out);

/* Where code comes from: a byte of a file, as that was when it was mapped. */
struct origin {
	uint32_t file; /* its number: below symbols_files() */
	uint64_t file_off;
};

/* The origin of an address, as above; false when it is in no file. */
bool symbols_origin(const struct symbols *symbols, uint32_t process, uint64_t address,
		    uint32_t id, struct origin *origin);
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

/*
 * Reads what is at byte `file_off` of a file as it ran, into code[bytes]; how many bytes
 * there were, 0 when the file is not there or not what ran, or there is none of that number.
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
/* The innermost symbol over a byte of a file; false when there is none, or no such file. */
bool symbols_over(struct symbols *symbols, const struct origin *origin,
		  struct symbol_range *range);
/*
 * How far behind the lowest address of the file's image a byte of it is loaded; without
 * knowledge of its segments, how far behind the file's start it is.
 */
uint64_t symbols_image_off(struct symbols *symbols, const struct origin *origin);

/*
 * How many symbols before this one, by their places in its file, have the same name: more
 * than one function may be called `helper`. 0, too, without a name or without memory.
 */
uint32_t symbols_rank(struct symbols *symbols, const struct symbol *symbol);

#endif
