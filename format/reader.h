/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the sections of a .wmk file: finds them by its table of contents or, where the
 * end is missing or wrong, by walking them from the start, up to the first damage.
 *
 * Files are read with pread() and never mapped: a file that shrinks meanwhile gives an
 * error, not a signal. A reader may be used by several threads at once.
 */
#ifndef FORMAT_READER_H
#define FORMAT_READER_H

#include "base/buf.h"
#include "base/error.h"
#include "format/section.h"

struct reader;
struct tape;

int reader_open(struct reader **reader, const char *path, struct wm_error *err);
/* What the tape has is not read from the file, or is noted, until reader_leave_tape(). */
int reader_open_taped(struct reader **reader, const char *path, struct tape *tape,
		      struct wm_error *err);
void reader_leave_tape(struct reader *reader);
/* `data` must outlive the reader. */
int reader_open_memory(struct reader **reader, const void *data, size_t bytes,
		       struct wm_error *err);
/*
 * Opens a file without reading it: it may be damaged anywhere, and the reader lists no
 * sections. `fd` belongs to the reader in any case; `path` is only for error messages.
 */
int reader_open_unread(struct reader **reader, int fd, const char *path,
		       struct wm_error *err);
int reader_open_memory_unread(struct reader **reader, const void *data, size_t bytes,
			      struct wm_error *err);
void reader_close(struct reader *reader);

/* The sections in the order of the file: header fields only. Payloads are not checked yet
 * when a table of contents listed the sections. */
size_t reader_sections(const struct reader *reader);
const struct section *reader_section(const struct reader *reader, size_t index);
/* The file's incompatible features (format/section.h). */
uint32_t reader_features(const struct reader *reader);
uint64_t reader_bytes(const struct reader *reader);
/*
 * Whether there was a table of contents. If not, *why is the reason, and *end_off is where
 * intact data ends, or 0 when the file is still being written.
 */
bool reader_whole(const struct reader *reader, const char **why, uint64_t *end_off);

/*
 * Reads a section's payload into payload->data (which is reused), decompressed and
 * checked. Sets payload->len.
 */
int reader_read(const struct reader *reader, const struct section *section,
		struct buf *payload, struct wm_error *err);
/* Decompresses the stored bytes of a section with SECTION_ZSTD into payload->data (reused). */
int section_unpack(const struct section *section, const struct buf *stored,
		   struct buf *payload, struct wm_error *err);
/* The section at `off`, when it is one of `type`; WM_E_DAMAGED otherwise. */
int reader_find(const struct reader *reader, uint64_t off, uint32_t type,
		struct section *section, struct wm_error *err);
/*
 * Checks the section at `off` and reads its stored payload into *stored, which is reused.
 * When it is damaged, *section has the fields of its header, or type 0 when these are
 * impossible.
 */
int reader_check(const struct reader *reader, uint64_t off, struct section *section,
		 struct buf *stored, struct wm_error *err);
/* Copies bytes of the file; WM_E_DAMAGED when it ends before them. */
int reader_copy(const struct reader *reader, uint64_t off, void *data, size_t bytes,
		struct wm_error *err);
/* What a file is that is too short for a header, or that shrank: WM_E_FORMAT, WM_E_IO. */
int reader_no_header(const struct reader *reader, struct wm_error *err);
/*
 * Bound on the memory for what is compressed or packed in this file. It is generous, but
 * a small file cannot demand all memory.
 */
uint64_t reader_memory_max(const struct reader *reader);

#endif
