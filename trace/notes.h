/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The notes of a trace (NOTE sections): what guests told about their code, each with its
 * place in the sequence of every thread of its process.
 */
#ifndef TRACE_NOTES_H
#define TRACE_NOTES_H

#include "base/buf.h"
#include "format/note.h"
#include "waymark.h"

struct trace_note {
	uint64_t ns;
	uint32_t space, kind;
	const uint8_t *data; /* [bytes] */
	uint64_t bytes;
};

struct notes_trace {
	struct trace_note *notes; /* [n] in the order of the file */
	size_t n;
	struct notes_moved *moved; /* [n_moved] what each says about streams */
	size_t n_moved;
	struct buf *batches; /* [n_batches] with the data */
	size_t n_batches;
	uint64_t left; /* bytes that they may still take */
};

/*
 * Reads all of them into *notes, which notes_trace_fini() frees, also after a failure.
 * Of a trace without any `n` is 0. Errors are those of reading; WM_E_NOMEM.
 */
int notes_trace_read(struct notes_trace *notes, const struct wm_trace *trace,
		     struct wm_error *err);
void notes_trace_fini(struct notes_trace *notes);
/* Whether there may be any; nothing is read. */
bool notes_trace_any(const struct wm_trace *trace);

/* The next string of a note's data, which has no NUL: *bytes of it, 0 where it is missing. */
const uint8_t *note_string(struct span *span, size_t *bytes);

/*
 * Where stream `stream` was at each note that says so: *at[*n], by ascending index of the
 * note. Between two of these it has not moved. The caller frees *at. WM_E_NOMEM.
 */
struct note_moment {
	size_t note;	/* its index */
	uint64_t block; /* the stream was about to run this block */
};
int notes_trace_stream(const struct notes_trace *notes, uint32_t stream,
		       struct note_moment **at, size_t *n, struct wm_error *err);
/*
 * How many notes came before block `block` of the stream with these moments: those with a
 * lower index.
 */
size_t notes_before(const struct note_moment *at, size_t n, size_t notes, uint64_t block);

#endif
