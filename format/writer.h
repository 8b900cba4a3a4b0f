/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a .wmk file, section by section.
 *
 * The file is made under a temporary name beside its own and takes the name when it is
 * published, so that a recording that never starts leaves nothing, and an old file of
 * the name stays until there is a new one. It is locked (flock, exclusive) until it is
 * finished: who needs the whole of it waits for a shared lock.
 *
 * A write that fails (disk full) ends the file at its last whole section; what comes
 * later is dropped, and writer_failed() says why.
 */
#ifndef FORMAT_WRITER_H
#define FORMAT_WRITER_H

#include "base/buf.h"
#include "base/error.h"

struct writer;

int writer_open(struct writer **writer, const char *path, struct wm_error *err);
/* Gives the file its name, replacing an older one. */
int writer_publish(struct writer *writer, struct wm_error *err);
/*
 * Appends a section, compressed at zstd `level` (0: as it is); *off, when not NULL, is
 * where. Payloads are at most SECTION_RAW_MAX bytes.
 */
int writer_put(struct writer *writer, uint32_t type, const struct buf *payload, int level,
	       uint64_t *off, struct wm_error *err);
/* Bytes in the file so far. */
uint64_t writer_bytes(const struct writer *writer);
/* Why sections are dropped, or NULL. */
const char *writer_failed(const struct writer *writer);
/*
 * Lets sections be tried again after a failure: what did not fit was large, and the last
 * ones are small. Nothing that refers to a dropped section may be put.
 */
void writer_retry(struct writer *writer);
/* Appends the table of contents, closes the file and frees the writer. */
int writer_finish(struct writer *writer, struct wm_error *err);
/* Gives up: removes the file when it was not published; frees the writer. */
void writer_abort(struct writer *writer);

#endif
