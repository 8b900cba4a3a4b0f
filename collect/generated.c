// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists of generated code, found and opened while their process is there, and read when the
 * recording ends, because they grow until then. They come from a guest and are checked as
 * such: only regular files of ours are read, up to a bound.
 *
 * The plugin reports a mapping of a file called jit-*.dump; by the mapping, which the form
 * demands, perf finds such files, too. It is opened by its descriptor, so its name may be
 * gone already (node --perf-prof-delete-file).
 */
#include "collect/generated.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/append.h"
#include "collect/generated_file.h"
#include "program/elf/file.h"
#include "program/elf/vdso.h"
#include "program/made/list.h"
#include "program/made/name.h"
#include "program/made/noted.h"
#include "program/made/vdso.h"

#define LIST_BYTES_MAX (1u << 28)

void generated_init(struct generated *generated, bool wanted)
{
	*generated =
		(struct generated){ .wanted = wanted, .begin_s = (uint64_t)time(NULL) };
}

static void free_notes(struct generated_notes *notes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		buf_fini(&notes[i].text);
	free(notes);
}

void generated_fini(struct generated *generated)
{
	while (generated->n)
		close(generated->lists[--generated->n].fd);
	free_notes(generated->notes, generated->n_notes);
	free_notes(generated->vdsos, generated->n_vdsos);
}

/* ---- finding them -------------------------------------------------------- */

/* A process that calls execve() has the same map as before. */
static bool is_known(const struct generated *generated, const struct stat *st)
{
	struct stat known;

	for (uint32_t i = 0; i < generated->n; i++)
		if (!fstat(generated->lists[i].fd, &known) &&
		    known.st_dev == st->st_dev && known.st_ino == st->st_ino)
			return true;
	return false;
}

/* Takes the descriptor over; false: the list is not of use. */
static bool keep(struct generated *generated, uint32_t space, int fd)
{
	struct stat st;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    (uint64_t)st.st_mtim.tv_sec < generated->begin_s ||
	    is_known(generated, &st)) {
		close(fd);
		return false;
	}
	generated->lists[generated->n++] = (struct generated_list){ space, fd };
	return true;
}

void generated_dump(struct generated *generated, uint32_t space, uint32_t pid, int fd)
{
	char path[64];

	if (!generated->wanted || generated->n == GENERATED_MAX)
		return;
	snprintf(path, sizeof(path), "/proc/%u/fd/%d", pid, fd);
	keep(generated, space, elf_file_open(path));
}

void generated_map(struct generated *generated, uint32_t space, uint32_t pid)
{
	char path[64];

	if (!generated->wanted || generated->n == GENERATED_MAX)
		return;
	/* The guest may have another root directory. */
	snprintf(path, sizeof(path), "/proc/%u/root/tmp/perf-%u.map", pid, pid);
	if (keep(generated, space, elf_file_open(path)) || generated->n == GENERATED_MAX)
		return;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	keep(generated, space, elf_file_open(path));
}

/* ---- notes --------------------------------------------------------------- */

/* Those of that process among (*notes)[*n]; NULL: no memory. */
static struct generated_notes *notes_of(struct generated_notes **notes, uint32_t *n,
					uint32_t space)
{
	for (uint32_t i = 0; i < *n; i++)
		if ((*notes)[i].space == space)
			return &(*notes)[i];
	if (!APPEND(*notes, *n, ((struct generated_notes){ space, BUF_INIT })))
		return NULL;
	return &(*notes)[*n - 1];
}

void generated_elf(struct generated *generated, uint32_t space, uint64_t start,
		   struct span file)
{
	struct buf kept = BUF_INIT;
	struct generated_notes *notes = NULL;

	if (generated->wanted &&
	    made_keep_vdso(&kept, start, file.at, span_left(&file)) &&
	    kept.len <= LIST_BYTES_MAX - generated->note_bytes)
		notes = notes_of(&generated->vdsos, &generated->n_vdsos, space);
	if (notes) {
		buf_put(&notes->text, kept.data, kept.len);
		generated->note_bytes += kept.len;
	}
	buf_fini(&kept);
}

bool generated_note(struct generated *generated, const struct note *note)
{
	struct generated_notes *notes = NULL;

	if (generated->wanted && made_takes_note(note->kind) &&
	    note->bytes <= LIST_BYTES_MAX - generated->note_bytes)
		notes = notes_of(&generated->notes, &generated->n_notes, note->space);
	if (notes) {
		made_keep_note(&notes->text, note);
		generated->note_bytes += note->bytes;
	}
	return note->kind == NOTE_CODE_GONE;
}

/* ---- reading them -------------------------------------------------------- */

/* The blocks of a recording, one after the other. */
struct walk {
	const struct definitions *defs;
	uint32_t id;
};

static bool next_block(void *cookie, struct made_block *block)
{
	struct walk *walk = cookie;

	if (walk->id == walk->defs->known)
		return false;
	block->id = ++walk->id;
	block->code =
		definitions_code(walk->defs, block->id, &block->address, &block->bytes);
	return true;
}

/* A list that cannot be read has no names: no reason to call the trace incomplete. */
static bool read_list(const struct generated_list *list, const struct definitions *defs,
		      struct generated_file *file)
{
	struct walk walk = { defs, 0 };
	struct made made = MADE_INIT;
	struct buf text = BUF_INIT;
	struct wm_error err;
	bool good = true;

	/* From its start: a snapshot may have read it before. */
	if (lseek(list->fd, 0, SEEK_SET) == 0 &&
	    !made_read(&made, &text, list->fd, LIST_BYTES_MAX, &err))
		good = made_settle(&made, (const char *)text.data, next_block, &walk) &&
		       generated_file_add(file, &made, list->space);
	made_fini(&made);
	buf_fini(&text);
	return good;
}

static bool read_notes(const struct generated_notes *notes,
		       const struct definitions *defs, struct generated_file *file)
{
	struct walk walk = { defs, 0 };
	struct made made = MADE_INIT;
	const char *text = (const char *)notes->text.data;
	bool good = !notes->text.failed &&
		    made_read_notes(&made, text, notes->text.len) &&
		    made_settle(&made, text, next_block, &walk) &&
		    generated_file_add(file, &made, notes->space);

	made_fini(&made);
	return good;
}

static bool read_vdso(const struct generated_notes *vdso, struct generated_file *file)
{
	struct made made = MADE_INIT;
	const char *text = (const char *)vdso->text.data;
	bool good = !vdso->text.failed && made_read_notes(&made, text, vdso->text.len) &&
		    generated_file_add(file, &made, vdso->space);

	made_fini(&made);
	return good;
}

/* False: no memory. */
static bool put_made(const struct generated *generated, const struct definitions *defs,
		     struct output *out)
{
	struct generated_file file = GENERATED_FILE_INIT(MADE_MODULE, false);
	bool good = true;

	for (uint32_t i = 0; good && i < generated->n; i++)
		good = read_list(&generated->lists[i], defs, &file);
	for (uint32_t i = 0; good && i < generated->n_notes; i++)
		good = read_notes(&generated->notes[i], defs, &file);
	if (good) {
		output_number(out, "shared-blocks", file.shared);
		generated_file_put(&file, out);
	}
	generated_file_fini(&file);
	return good;
}

static bool put_vdsos(const struct generated *generated, struct output *out)
{
	struct generated_file file = GENERATED_FILE_INIT(VDSO_MODULE, true);
	bool good = true;

	for (uint32_t i = 0; good && i < generated->n_vdsos; i++)
		good = read_vdso(&generated->vdsos[i], &file);
	if (good)
		generated_file_put(&file, out);
	generated_file_fini(&file);
	return good;
}

void generated_put(const struct generated *generated, const struct definitions *defs,
		   struct output *out)
{
	if (!put_made(generated, defs, out) || !put_vdsos(generated, out))
		output_cut(out, output_no_memory);
}
