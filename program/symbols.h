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
	uint64_t file_off;  /* of the address in that file, in bytes */
};

/*
 * Finds names for `trace`, which must outlive it. They come from the trace when they were
 * packed into it, else from the files, which are read when an address in them is first
 * asked for; *symbols is the caller's to free, and for one thread at a time. WM_E_NOMEM.
 */
int symbols_new(struct symbols **symbols, const struct wm_trace *trace,
		struct wm_error *err);
void symbols_free(struct symbols *symbols);
/* Has `tell` called, once for each, with files that give no names for having changed. */
void symbols_on_changed(struct symbols *symbols, void (*tell)(const char *path));

/*
 * Fills in *out for a guest address of the process with that index, which ran as part of
 * block `id` (0: whatever was there last); true when it has a name. A file that is
 * missing, stripped, damaged, or no longer the one that ran gives no names and no error.
 * Names and paths are owned by `symbols`.
 */
bool symbols_find(struct symbols *symbols, uint32_t process, uint64_t address,
		  uint32_t id, struct symbol *out);

#endif
