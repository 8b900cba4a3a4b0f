// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Appends sections to a file. Each write goes to the offset at which the file should end,
 * and is undone when it fails. So the file is a valid trace after every section, and a
 * full disk costs no more than what comes later.
 *
 * Invariant: bytes [0, off) of the file are a header and whole sections, and `toc` lists
 * exactly these. After an error in `failed` nothing is appended until writer_retry().
 *
 * Its names are in writer-name.c, what was written is read back in writer-written.c, and
 * the files made from it or instead of it are in writer-branch.c and writer-beside.c.
 */
#include "format/writer-data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zstd.h>

static void writer_free(struct writer *writer)
{
	if (writer->fd >= 0)
		close(writer->fd);
	if (writer->trunk >= 0)
		close(writer->trunk);
	/* A file that has no name by now never gets one. */
	if (writer->temporary)
		unlink(writer->temporary);
	writer_forget_temporary(writer);
	free(writer->path);
	buf_fini(&writer->toc);
	buf_fini(&writer->packed);
	ZSTD_freeCCtx(writer->zstd);
	free(writer);
}

/* Writes all parts at writer->off, or leaves the file as it was. */
static int append(struct writer *writer, struct iovec *parts, int n, struct wm_error *err)
{
	uint64_t off = writer->off;

	/* A write may be cut short, at a limit of the file's size for example. */
	while (n) {
		ssize_t done = pwritev(writer->fd, parts, n, (off_t)off);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			int ret = wm_fail_write(err, writer->path);

			if (ftruncate(writer->fd, (off_t)writer->off) < 0)
				return ret; /* a torn tail: readers stop before it */
			return ret;
		}
		off += (uint64_t)done;
		/* Skips what was written: whole parts, then the beginning of the next. */
		while (n && (size_t)done >= parts->iov_len) {
			done -= (ssize_t)parts->iov_len;
			parts++;
			n--;
		}
		if (n) {
			parts->iov_base = (char *)parts->iov_base + done;
			parts->iov_len -= (size_t)done;
		}
	}
	writer->off = off;
	return 0;
}

static int writer_new(struct writer **out, int fd, const char *path, struct wm_error *err)
{
	struct writer *writer = calloc(1, sizeof(*writer));

	*out = writer;
	if (!writer) {
		if (fd >= 0)
			/* The descriptor is the writer's, also on failure. */
			close(fd);
		return wm_fail_nomem(err, "the trace writer");
	}
	writer->fd = fd;
	/* 0 is a descriptor, too. */
	writer->trunk = -1;
	writer->path = strdup(path);
	writer->zstd = ZSTD_createCCtx();
	if (writer->path && writer->zstd)
		return 0;
	writer_free(writer);
	return wm_fail_nomem(err, "the trace writer");
}

static int begin(struct writer *writer, struct wm_error *err)
{
	uint8_t header[FILE_HEADER_BYTES];
	/* The mask can only be read by setting it. */
	mode_t mask = umask(0);
	int ret;

	umask(mask);
	writer->mode = 0666 & ~mask;
	ret = writer_create(writer, err);
	if (ret)
		return ret;
	/* What needs a feature sets it later. */
	file_header_put(header, 0);
	return append(writer, &(struct iovec){ header, sizeof(header) }, 1, err);
}

int writer_open(struct writer **out, const char *path, struct wm_error *err)
{
	struct writer *writer;
	int ret = writer_new(&writer, -1, path, err);

	if (ret)
		return ret;
	ret = begin(writer, err);
	if (ret)
		writer_free(writer);
	else
		*out = writer;
	return ret;
}

int writer_set_features(struct writer *writer, uint32_t features, struct wm_error *err)
{
	uint8_t header[FILE_HEADER_BYTES];
	uint64_t off = writer->off;
	int ret;

	if (features == writer->features)
		return 0;
	writer->features = features;
	file_header_put(header, features);
	writer->off = 0;
	ret = append(writer, &(struct iovec){ header, sizeof(header) }, 1, err);
	writer->off = off > writer->off ? off : writer->off;
	return ret;
}

int writer_add_features(struct writer *writer, uint32_t features, struct wm_error *err)
{
	return writer_set_features(writer, writer->features | features, err);
}

/*
 * Compresses the payload when that makes it smaller; fills the sizes. Returns the stored
 * bytes.
 */
static const uint8_t *pack(struct writer *writer, const struct buf *payload, int level,
			   struct section *section)
{
	size_t bound = ZSTD_compressBound(payload->len), bytes;

	section->raw = section->stored = payload->len;
	section->flags = 0;
	writer->packed.len = 0;
	/* Without memory the payload is stored as it is. */
	if (!level || !buf_reserve(&writer->packed, bound))
		return payload->data;
	bytes = ZSTD_compressCCtx(writer->zstd, writer->packed.data, bound, payload->data,
				  payload->len, level);
	/* A payload that does not become smaller is faster to read as it is. */
	if (ZSTD_isError(bytes) || bytes >= payload->len)
		return payload->data;
	section->stored = bytes;
	section->flags = SECTION_ZSTD;
	return writer->packed.data;
}

static int put_stored(struct writer *writer, const struct section *section,
		      const uint8_t *stored, struct wm_error *err)
{
	uint8_t header[SECTION_HEADER_BYTES];

	section_header_put(header, section, stored);
	/* In one write, so that a header without its payload is rare. */
	return append(writer,
		      (struct iovec[]){ { header, sizeof(header) },
					{ (void *)stored, section->stored } },
		      2, err);
}

static int put_section(struct writer *writer, uint32_t type, const struct buf *payload,
		       int level, struct wm_error *err)
{
	struct section section = { .type = type };
	const uint8_t *stored;

	/* Readers refuse larger payloads. */
	if (payload->failed || payload->len > SECTION_RAW_MAX)
		return wm_fail_nomem(err, "a section");
	stored = pack(writer, payload, level, &section);
	return put_stored(writer, &section, stored, err);
}

/*
 * When the disk is full, the file that was to replace this one is truncated to make room.
 * False when there is none.
 */
static bool make_room(struct writer *writer, const struct wm_error *err)
{
	struct writer *beside = writer->beside;

	if (!beside || err->code != WM_E_OUTPUT)
		return false;
	/* It can make room only once. */
	writer->beside = NULL;
	/* Whoever writes the other file finds out with the next section. */
	beside->failed = *err;
	return ftruncate(beside->fd, 0) == 0;
}

/* Whether no write has failed; otherwise *err is the failure. */
static bool is_well(const struct writer *writer, struct wm_error *err)
{
	if (writer->failed.code && err)
		*err = writer->failed;
	return !writer->failed.code;
}

/* Enters the section at `at` in the table of contents. */
static int list(struct writer *writer, uint32_t type, uint64_t at, uint64_t *off)
{
	/*
	 * TOC_ENTRY_BYTES in all. A lack of memory stays in toc.failed, which writer_seal()
	 * reports.
	 */
	buf_put_u32(&writer->toc, type);
	buf_put_u32(&writer->toc, 0);
	buf_put_u64(&writer->toc, at);
	writer->sections++;
	if (off)
		*off = at;
	return 0;
}

int writer_put(struct writer *writer, uint32_t type, const struct buf *payload, int level,
	       uint64_t *off, struct wm_error *err)
{
	uint64_t at = writer->off;

	if (is_well(writer, err))
		/* The failure stays, and later sections are refused. */
		put_section(writer, type, payload, level, &writer->failed);
	if (writer->failed.code && make_room(writer, &writer->failed)) {
		writer_retry(writer);
		put_section(writer, type, payload, level, &writer->failed);
	}
	return is_well(writer, err) ? list(writer, type, at, off) : writer->failed.code;
}

int writer_put_stored(struct writer *writer, const struct section *section,
		      const struct buf *stored, uint64_t *off, struct wm_error *err)
{
	uint64_t at = writer->off;

	if (is_well(writer, err))
		put_stored(writer, section, stored->data, &writer->failed);
	return is_well(writer, err) ? list(writer, section->type, at, off) :
				      writer->failed.code;
}

int writer_resume(struct writer **out, int fd, const char *path, struct wm_error *err)
{
	int ret = writer_new(out, fd, path, err);

	if (!ret)
		/* Sections that are there are taken over by writer_keep(). */
		(*out)->off = FILE_HEADER_BYTES;
	return ret;
}

int writer_keep(struct writer *writer, const struct section *section,
		struct wm_error *err)
{
	/* Sections are adjacent: the next one begins where the last one ended. */
	if (section->off != writer->off)
		return wm_fail(err, WM_E_DAMAGED, section->off, "the file changed");
	writer->off = section_end(section);
	return list(writer, section->type, section->off, NULL);
}

/* Cuts off all that is after the sections that were kept. */
int writer_cut(struct writer *writer, struct wm_error *err)
{
	if (ftruncate(writer->fd, (off_t)writer->off) < 0)
		return wm_fail_write(err, writer->path);
	return 0;
}

/* ---- the end -------------------------------------------------------------------------- */

uint64_t writer_bytes(const struct writer *writer)
{
	return writer->off;
}

const char *writer_failed(const struct writer *writer)
{
	return writer->failed.code ? writer->failed.text : NULL;
}

void writer_retry(struct writer *writer)
{
	writer->failed.code = 0;
}

/* Whether the file system has room for that many more bytes. The file is unchanged afterwards. */
static bool has_room(struct writer *writer, size_t bytes)
{
	static const uint8_t zeros[4096];
	uint64_t off = writer->off, end = off + bytes;

	while (off < end) {
		size_t n = end - off < sizeof(zeros) ? end - off : sizeof(zeros);
		ssize_t done = pwrite(writer->fd, zeros, n, (off_t)off);

		if (done < 0 && errno != EINTR)
			break;
		off += done > 0 ? (uint64_t)done : 0;
	}
	return ftruncate(writer->fd, (off_t)writer->off) == 0 && off >= end;
}

static void drop_last(struct writer *writer)
{
	writer->off = writer_section_off(writer, writer->sections - 1);
	writer->sections--;
	writer->toc.len -= TOC_ENTRY_BYTES;
}

void writer_retry_end(struct writer *writer, size_t bytes)
{
	uint64_t end = writer->off;
	size_t room = bytes + writer->toc.len;

	writer_retry(writer);
	/* What a branch has of its trunk is not its own. */
	if (writer->trunk >= 0)
		return;
	/* Twice: a file system frees whole blocks only. */
	while (!has_room(writer, room) && writer_sections(writer) &&
	       end - writer->off < 2 * room)
		drop_last(writer);
}

int writer_seal(struct writer *writer, struct wm_error *err)
{
	uint8_t trailer[FILE_TRAILER_BYTES];
	struct buf payload = BUF_INIT;
	uint64_t at = writer->off;
	int ret;

	if (writer->sealed)
		return 0;
	buf_put_u64(&payload, writer->sections);
	buf_put(&payload, writer->toc.data, writer->toc.len);
	payload.failed |= writer->toc.failed;
	/* Compressed: rows of the table are much alike. */
	ret = put_section(writer, SECTION_TOCS, &payload, 3, err);
	buf_fini(&payload);
	if (ret)
		return ret;
	/* The trailer has the table's place, by which a reader begins. */
	file_trailer_put(trailer, at);
	ret = append(writer, &(struct iovec){ trailer, sizeof(trailer) }, 1, err);
	writer->sealed = !ret;
	return ret;
}

/* Some file systems count no links: there the name decides. */
static bool is_gone(const struct writer *writer)
{
	struct stat file, named;

	return !fstat(writer->fd, &file) && !file.st_nlink &&
	       (stat(writer->path, &named) || named.st_dev != file.st_dev ||
		named.st_ino != file.st_ino);
}

static bool is_overwritten(const struct writer *writer)
{
	char head[sizeof(FILE_MAGIC) - 1];

	return pread(writer->fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	       memcmp(head, FILE_MAGIC, sizeof(head)) != 0;
}

/*
 * Whether the file is there. A program that tidies its folder removes or empties the trace of
 * itself, and all writes succeed nevertheless.
 */
static int check_file(const struct writer *writer, struct wm_error *err)
{
	if (writer->temporary)
		return 0;
	if (is_gone(writer))
		return wm_fail(err, WM_E_OUTPUT, 0,
			       "%s was removed or replaced while it was written: the "
			       "trace is lost",
			       writer->path);
	if (is_overwritten(writer))
		return wm_fail(
			err, WM_E_OUTPUT, 0,
			"%s was overwritten while it was written: the trace is lost",
			writer->path);
	return 0;
}

int writer_finish(struct writer *writer, struct wm_error *err)
{
	int ret = writer_seal(writer, err);

	/* An earlier failure is the cause of what fails now. */
	if (!is_well(writer, err))
		ret = writer->failed.code;
	if (!ret)
		ret = check_file(writer, err);
	/* Some file systems report a failed write only now. */
	if (close(writer->fd) < 0 && !ret)
		ret = wm_fail_write(err, writer->path);
	/* writer_free() must not close it again. */
	writer->fd = -1;
	writer_free(writer);
	return ret;
}

void writer_abort(struct writer *writer)
{
	if (writer)
		writer_free(writer);
}
