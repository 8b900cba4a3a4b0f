/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a .wmk file, section by section.
 *
 * The file is made under a temporary name beside its own, for nobody else to read, and takes
 * the name when it is published, so that a recording that never starts leaves nothing, and an
 * old file of the name stays until there is a new one. It is locked (flock, exclusive) until
 * it is finished: who needs the whole of it waits for a shared lock.
 *
 * A write that fails (disk full) ends the file at its last whole section; what comes
 * later is dropped, and writer_failed() says why.
 */
#ifndef FORMAT_WRITER_H
#define FORMAT_WRITER_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"
#include "format/section.h"

struct writer;

int writer_open(struct writer **writer, const char *path, struct wm_error *err);
/*
 * Sets the incompatible features of the file (format/section.h), of which there are none at
 * first. Must come before the first section.
 */
int writer_set_features(struct writer *writer, uint32_t features, struct wm_error *err);
/* Takes away access rights, of those that the file is to have. */
void writer_limit_mode(struct writer *writer, mode_t most);
/* An earlier file of that name is to stay, as NAME.old. */
void writer_keep_old(struct writer *writer);
/* Gives the file its name, replacing an earlier one. */
int writer_publish(struct writer *writer, struct wm_error *err);
/*
 * Appends a section, compressed at zstd `level` (0: as it is); *off, when not NULL, is
 * where. Payloads are at most SECTION_RAW_MAX bytes.
 */
int writer_put(struct writer *writer, uint32_t type, const struct buf *payload, int level,
	       uint64_t *off, struct wm_error *err);
/* Appends a section of another file, its payload as it is stored there. */
int writer_put_stored(struct writer *writer, const struct section *section,
		      const struct buf *stored, uint64_t *off, struct wm_error *err);

/*
 * Goes on with a file that has lost its end: of fd, open for writing, which it takes. Its
 * sections are to be named from the first one on, as far as they stay; then the rest is cut
 * off, and others may be put. Nothing is written before that.
 */
int writer_resume(struct writer **writer, int fd, const char *path, struct wm_error *err);
int writer_keep(struct writer *writer, const struct section *section,
		struct wm_error *err);
int writer_cut(struct writer *writer, struct wm_error *err);

/*
 * Another file for the same name, which is to replace this one: under a temporary name of
 * its own, and locked, too. When the disk is full it goes first: then what is put to it
 * fails, and this one goes on.
 */
int writer_open_beside(struct writer **beside, struct writer *writer,
		       struct wm_error *err);
/* The one beside takes the old one's place, and its name if it has that. Frees the old. */
int writer_replace(struct writer *old, struct writer *beside, struct wm_error *err);
/* It does not: what there is of it goes. Frees it. */
void writer_abandon(struct writer *old, struct writer *beside);

/* The sections put so far; 0 when they could not be remembered. */
uint64_t writer_sections(const struct writer *writer);
uint32_t writer_section_type(const struct writer *writer, uint64_t index);
/* Where it begins; of the one that is not there yet, where the file ends. */
uint64_t writer_section_off(const struct writer *writer, uint64_t index);
/* Reads one back, as it is stored. WM_E_DAMAGED when it is not what was written. */
int writer_get(const struct writer *writer, uint64_t index, struct section *section,
	       struct buf *stored, struct wm_error *err);

/*
 * Another file that begins with all that this one has so far, for `path`, to be ended by
 * itself. Nothing is copied yet: that does writer_branch_fill(), on any thread, while this
 * one goes on; it must come before anything else is put.
 */
int writer_branch(struct writer **branch, const struct writer *writer, const char *path,
		  struct wm_error *err);
int writer_branch_fill(struct writer *branch, struct wm_error *err);

/* Bytes in the file so far. */
uint64_t writer_bytes(const struct writer *writer);
/* Why sections are dropped, or NULL. */
const char *writer_failed(const struct writer *writer);
/*
 * Lets sections be tried again after a failure: what did not fit was large, and the last
 * ones are small. Nothing that refers to a dropped section may be put.
 */
void writer_retry(struct writer *writer);
/* Appends the table of contents: nothing may be put any more. */
int writer_seal(struct writer *writer, struct wm_error *err);
/* Closes the file, sealed, and frees the writer. */
int writer_finish(struct writer *writer, struct wm_error *err);
/* Gives up: removes the file when it was not published; frees the writer. */
void writer_abort(struct writer *writer);

#endif
