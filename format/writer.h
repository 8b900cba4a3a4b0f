/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a .wmk file, section by section.
 *
 * The file is made under a temporary name next to its own, readable by its owner only,
 * and takes its name when it is published. So a recording that never starts leaves
 * nothing, and an older file of the name stays until there is a new one. The file is
 * locked (flock, exclusive) until it is finished: a reader that needs all of it waits for
 * a shared lock.
 *
 * After a write that fails (disk full) the file ends with its last whole section. Later
 * sections are dropped, and writer_failed() returns the error.
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
 * Sets the incompatible features of the file (format/section.h); without this call there
 * are none. Sections that are there stay, so they must not mean another thing with them.
 */
int writer_set_features(struct writer *writer, uint32_t features, struct wm_error *err);
/* Adds to them. */
int writer_add_features(struct writer *writer, uint32_t features, struct wm_error *err);
/* Limits the access rights of the published file to `most`. */
void writer_limit_mode(struct writer *writer, mode_t most);
/* Keeps an earlier file of that name as NAME.old. An error: something else has that name. */
int writer_keep_old(struct writer *writer, struct wm_error *err);
/* Gives the file its name, replacing an earlier one. */
int writer_publish(struct writer *writer, struct wm_error *err);
/*
 * Removes the file that was opened last, unless it was published. For a handler of a signal that
 * ends the process.
 */
void writer_remove_unpublished(void);
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
 * Continues a file that has lost its end. `fd` is open for writing and belongs to the
 * writer. writer_keep() names the sections that stay, from the first one on; writer_cut()
 * removes the rest; then others may be put. Nothing is written before that.
 */
int writer_resume(struct writer **writer, int fd, const char *path, struct wm_error *err);
int writer_keep(struct writer *writer, const struct section *section,
		struct wm_error *err);
int writer_cut(struct writer *writer, struct wm_error *err);

/*
 * Another file for the same name, which is meant to replace this one. It has a temporary
 * name of its own and is locked, too. When the disk is full, it is given up first: what
 * is put to it then fails, and this one continues.
 */
int writer_open_beside(struct writer **beside, struct writer *writer,
		       struct wm_error *err);
/* `beside` replaces `old`, and takes its name if `old` was published. Frees `old`. */
int writer_replace(struct writer *old, struct writer *beside, struct wm_error *err);
/* Gives up `beside` and removes it. Frees it. */
void writer_abandon(struct writer *old, struct writer *beside);

/*
 * Number of sections put so far; 0 when the list of them is incomplete for lack of
 * memory.
 */
uint64_t writer_sections(const struct writer *writer);
uint32_t writer_section_type(const struct writer *writer, uint64_t index);
/* Where a section begins; for the one after the last, where the file ends. */
uint64_t writer_section_off(const struct writer *writer, uint64_t index);
/* Reads a section back as it is stored. WM_E_DAMAGED when the file has other bytes. */
int writer_get(const struct writer *writer, uint64_t index, struct section *section,
	       struct buf *stored, struct wm_error *err);

/*
 * Another file, for `path`, that begins with everything that this one has so far and ends
 * by itself. writer_branch_fill() does the copying, on any thread, while this one
 * continues; it must come before anything else is put to the branch.
 */
int writer_branch(struct writer **branch, const struct writer *writer, const char *path,
		  struct wm_error *err);
int writer_branch_fill(struct writer *branch, struct wm_error *err);

/* Bytes in the file so far. */
uint64_t writer_bytes(const struct writer *writer);
/* Why sections are dropped, or NULL. */
const char *writer_failed(const struct writer *writer);
/*
 * Allows further attempts after a failure: the section that did not fit was large, and
 * the last ones are small. Nothing that refers to a dropped section may be put.
 */
void writer_retry(struct writer *writer);
/*
 * The same for the end of the file, of at most `bytes` besides the table of contents: where that
 * does not fit, the last sections are removed until it does, or until they would have been enough.
 */
void writer_retry_end(struct writer *writer, size_t bytes);
/* Appends the table of contents; nothing may be put after it. */
int writer_seal(struct writer *writer, struct wm_error *err);
/*
 * Closes the file, sealed, and frees the writer. WM_E_OUTPUT also when somebody removed or
 * emptied the file.
 */
int writer_finish(struct writer *writer, struct wm_error *err);
/* Gives up: removes the file when it was not published; frees the writer. */
void writer_abort(struct writer *writer);

#endif
