/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that a trace's spaces had mapped, by number. Mappings of one path and
 * build-id are of one file; without a build-id each mapping is a file of its own, because
 * nothing shows whether two are the same.
 */
#ifndef PROGRAM_FILES_H
#define PROGRAM_FILES_H

#include "program/symbols.h"

struct files;

/* `trace` must outlive it; *files is the caller's to free. WM_E_NOMEM. */
int files_new(struct files **files, const struct wm_trace *trace, struct wm_error *err);
void files_free(struct files *files);
/* Calls `tell` in the cases of symbols_on_missing(). */
void files_on_missing(struct files *files,
		      void (*tell)(void *cookie, const struct missing_file *missing),
		      void *cookie);

uint32_t files_count(const struct files *files);
/* A file's path, and its build-id or "". Both are the trace's. */
const char *files_path(const struct files *files, uint32_t file, const char **build_id);
/* Whether it is code that was made at run time (format/made.h), and no file of the guest's. */
bool files_is_made(const struct files *files, uint32_t file);
/* Index in the trace of a module of the file. */
uint32_t files_module(const struct files *files, uint32_t file);

/*
 * The byte of a file that an address held when block `id` was translated (0: at the end).
 * False when the address is in no file.
 */
bool files_at(const struct files *files, uint32_t space, uint64_t address, uint32_t id,
	      struct origin *origin);

/* The same, and how far the answer goes (program/extents.h): bytes of the file follow. */
bool files_along(const struct files *files, uint32_t space, uint64_t address, uint32_t id,
		 struct origin *origin, struct along *along);

/* The file of a module, by its index in the trace; false: it has none. */
bool files_of_module(const struct files *files, uint32_t module, uint32_t *file);
/*
 * The path where the file is: its own, or where its build-id was found
 * (program/elf/search.h); NULL: nowhere, or only another build, which is reported as
 * files_open() does.
 */
const char *files_found(struct files *files, uint32_t file);
/*
 * Opens a file if it is there and still what ran: a descriptor of the caller's, or -1,
 * which is reported unless the file was deleted while the guest still ran.
 */
int files_open(struct files *files, uint32_t file);
/* Makes later reports of the file say that its names are known from elsewhere. */
void files_named(struct files *files, uint32_t file);
/*
 * From now on, what is looked for is more than what was asked: a missing file is not reported
 * when the trace has its names. Off at first.
 */
void files_for_more(struct files *files, bool on);

#endif
