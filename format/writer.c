// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Appends sections to a file. Each write goes to the offset at which the file should end,
 * and is undone when it fails. So the file is a valid trace after every section, and a
 * full disk costs no more than what comes later.
 *
 * Invariant: bytes [0, off) of the file are a header and whole sections, and `toc` lists
 * exactly these. After an error in `failed` nothing is appended until writer_retry().
 *
 * The file has a temporary name next to its final one until writer_publish(), so that a
 * recording that does not start leaves nothing.
 */
#include "format/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zstd.h>

#include "format/section.h"

#define TOC_ENTRY_BYTES 16
#define COPY_BYTES (1u << 20) /* at a time, where copy_file_range() does not work */

struct writer {
	int fd;
	int trunk;		/* the file that it branched from, or -1 */
	uint64_t trunk_end;	/* bytes of the trunk that belong to this file */
	mode_t mode;		/* access rights of the published file */
	bool keeps_old;		/* an earlier file of the name stays, as NAME.old */
	char *path, *temporary; /* temporary: NULL once published */
	uint32_t features;
	uint64_t off; /* where the next section goes */
	struct buf toc;
	uint64_t sections;
	bool sealed; /* the table of contents is written */
	ZSTD_CCtx *zstd;
	struct buf packed;
	struct writer *beside;	/* the file that is to replace it; NULL: none */
	struct wm_error failed; /* code 0 as long as all is well */
};

static void writer_free(struct writer *writer)
{
	if (writer->fd >= 0)
		close(writer->fd);
	if (writer->trunk >= 0)
		close(writer->trunk);
	if (writer->temporary)
		unlink(writer->temporary);
	free(writer->temporary);
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

/* Creates the file under its temporary name. */
static int create(struct writer *writer, struct wm_error *err)
{
	struct stat old;
	char *name;
	int ret = 0;

	/* Replacing a device or a directory by a file is never intended. */
	if (!stat(writer->path, &old) && !S_ISREG(old.st_mode))
		return wm_fail(err, WM_E_OUTPUT, 0, "cannot write %s: not a regular file",
			       writer->path);
	if (asprintf(&name, "%s.XXXXXX", writer->path) < 0)
		return wm_fail_nomem(err, "the trace writer");
	writer->fd = mkostemp(name, O_CLOEXEC); /* rw------- */
	if (writer->fd >= 0)
		writer->temporary = name;
	if (writer->fd < 0 || flock(writer->fd, LOCK_EX) < 0)
		ret = wm_fail_write(err, writer->path);
	if (writer->fd < 0)
		free(name);
	return ret;
}

static int writer_new(struct writer **out, int fd, const char *path, struct wm_error *err)
{
	struct writer *writer = calloc(1, sizeof(*writer));

	*out = writer;
	if (!writer) {
		if (fd >= 0)
			close(fd);
		return wm_fail_nomem(err, "the trace writer");
	}
	writer->fd = fd;
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
	ret = create(writer, err);
	if (ret)
		return ret;
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

	if (features == writer->features)
		return 0;
	writer->features = features;
	file_header_put(header, features);
	writer->off = 0;
	return append(writer, &(struct iovec){ header, sizeof(header) }, 1, err);
}

void writer_limit_mode(struct writer *writer, mode_t most)
{
	writer->mode &= most;
}

void writer_keep_old(struct writer *writer)
{
	writer->keeps_old = true;
}

/*
 * Takes the name; the earlier file becomes `old`. An exchange leaves no moment without a
 * file.
 */
static int replace_keeping(const struct writer *writer, const char *old)
{
	/* After an exchange the temporary name is that of the earlier file. */
	if (!renameat2(AT_FDCWD, writer->temporary, AT_FDCWD, writer->path,
		       RENAME_EXCHANGE))
		return rename(writer->temporary, old);
	/* There is no earlier file, or the file system cannot exchange names. */
	if (rename(writer->path, old) < 0 && errno != ENOENT)
		return -1;
	return rename(writer->temporary, writer->path);
}

static int take_name(const struct writer *writer)
{
	char *old;
	int ret;

	if (!writer->keeps_old)
		return rename(writer->temporary, writer->path);
	if (asprintf(&old, "%s.old", writer->path) < 0)
		return -1;
	ret = replace_keeping(writer, old);
	free(old);
	return ret;
}

int writer_publish(struct writer *writer, struct wm_error *err)
{
	if (!writer->temporary)
		return 0;
	fchmod(writer->fd, writer->mode); /* some file systems have no modes */
	if (take_name(writer) < 0)
		return wm_fail_write(err, writer->path);
	free(writer->temporary);
	writer->temporary = NULL;
	return 0;
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
	if (!level || !buf_reserve(&writer->packed, bound))
		return payload->data;
	bytes = ZSTD_compressCCtx(writer->zstd, writer->packed.data, bound, payload->data,
				  payload->len, level);
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
	writer->beside = NULL;
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
		(*out)->off = FILE_HEADER_BYTES;
	return ret;
}

int writer_keep(struct writer *writer, const struct section *section,
		struct wm_error *err)
{
	if (section->off != writer->off)
		return wm_fail(err, WM_E_DAMAGED, section->off, "the file changed");
	writer->off = section_end(section);
	return list(writer, section->type, section->off, NULL);
}

int writer_cut(struct writer *writer, struct wm_error *err)
{
	if (ftruncate(writer->fd, (off_t)writer->off) < 0)
		return wm_fail_write(err, writer->path);
	return 0;
}

/* ---- replacing a file by another ------------------------------------------------------ */

int writer_open_beside(struct writer **out, struct writer *writer, struct wm_error *err)
{
	int ret = writer_open(out, writer->path, err);

	if (ret)
		return ret;
	ret = writer_set_features(*out, writer->features, err);
	if (ret) {
		writer_abort(*out);
		return ret;
	}
	(*out)->mode = writer->mode;
	writer->beside = *out;
	return 0;
}

uint64_t writer_sections(const struct writer *writer)
{
	return writer->toc.failed ? 0 : writer->sections;
}

uint32_t writer_section_type(const struct writer *writer, uint64_t index)
{
	const uint8_t *entry = writer->toc.data + index * TOC_ENTRY_BYTES;
	struct span span = span_of(entry, TOC_ENTRY_BYTES);

	return span_u32(&span);
}

uint64_t writer_section_off(const struct writer *writer, uint64_t index)
{
	const uint8_t *entry = writer->toc.data + index * TOC_ENTRY_BYTES;
	struct span span = span_of(entry + 8, 8);

	return index < writer->sections ? span_u64(&span) : writer->off;
}

/* Reads bytes of the file that were written. */
static int read_back(const struct writer *writer, uint8_t *to, size_t bytes, uint64_t off,
		     struct wm_error *err)
{
	while (bytes) {
		ssize_t n = pread(writer->fd, to, bytes, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return wm_fail_errno(err, "cannot read %s", writer->path);
		if (!n)
			return wm_fail(err, WM_E_DAMAGED, off, "the file changed");
		to += n;
		bytes -= (size_t)n;
		off += (uint64_t)n;
	}
	return 0;
}

int writer_get(const struct writer *writer, uint64_t index, struct section *section,
	       struct buf *stored, struct wm_error *err)
{
	uint64_t off = writer_section_off(writer, index), checksum;
	size_t bytes = writer_section_off(writer, index + 1) - off - SECTION_HEADER_BYTES;
	uint8_t header[SECTION_HEADER_BYTES];
	int ret = read_back(writer, header, sizeof(header), off, err);

	stored->len = 0;
	stored->failed = false;
	if (ret)
		return ret;
	if (!buf_reserve(stored, bytes))
		return wm_fail_nomem(err, "a section");
	ret = read_back(writer, stored->data, bytes, off + sizeof(header), err);
	if (ret)
		return ret;
	stored->len = bytes;
	if (!section_header_get(header, section, &checksum) || section->stored != bytes ||
	    section_checksum(header, stored->data, bytes) != checksum)
		return wm_fail(err, WM_E_DAMAGED, off, "the file changed");
	section->off = off;
	return 0;
}

int writer_replace(struct writer *old, struct writer *beside, struct wm_error *err)
{
	int ret = old->temporary ? 0 : writer_publish(beside, err);

	beside->keeps_old = old->temporary && old->keeps_old;
	if (!ret)
		writer_abort(old);
	return ret;
}

/* ---- branches ------------------------------------------------------------------------- */

static int share(struct writer *branch, const struct writer *writer, struct wm_error *err)
{
	branch->trunk = fcntl(writer->fd, F_DUPFD_CLOEXEC, 0);
	branch->trunk_end = writer->off;
	branch->sections = writer->sections;
	buf_put(&branch->toc, writer->toc.data, writer->toc.len);
	branch->toc.failed |= writer->toc.failed;
	if (branch->trunk < 0)
		return wm_fail_errno(err, "cannot copy %s", writer->path);
	return branch->toc.failed ? wm_fail_nomem(err, "copying a trace") : 0;
}

int writer_branch(struct writer **branch, const struct writer *writer, const char *path,
		  struct wm_error *err)
{
	int ret = writer_open(branch, path, err);

	if (ret)
		return ret;
	ret = writer_set_features(*branch, writer->features, err);
	if (!ret)
		ret = share(*branch, writer, err);
	if (ret)
		writer_abort(*branch);
	return ret;
}

/*
 * Copies up to `bytes` at branch->off with read and write: the number copied, 0 at the
 * end, -1.
 */
static ssize_t copy_some(struct writer *branch, size_t bytes)
{
	off_t off = (off_t)branch->off;
	ssize_t n;

	branch->packed.len = 0;
	if (bytes > COPY_BYTES)
		bytes = COPY_BYTES;
	if (!buf_reserve(&branch->packed, bytes)) {
		errno = ENOMEM;
		return -1;
	}
	n = pread(branch->trunk, branch->packed.data, bytes, off);
	return n <= 0 ? n : pwrite(branch->fd, branch->packed.data, (size_t)n, off);
}

int writer_branch_fill(struct writer *branch, struct wm_error *err)
{
	bool by_hand = false;

	while (branch->off < branch->trunk_end) {
		size_t left = branch->trunk_end - branch->off;
		off_t from = (off_t)branch->off, to = from;
		ssize_t n = by_hand ? copy_some(branch, left) :
				      copy_file_range(branch->trunk, &from, branch->fd,
						      &to, left, 0);

		if (n > 0)
			branch->off += (uint64_t)n;
		else if (!by_hand) /* other file system, or one without it */
			by_hand = true;
		else if (n == 0)
			return wm_fail(err, WM_E_IO, 0, "cannot copy: the trace changed");
		else if (errno != EINTR)
			return wm_fail_write(err, branch->path);
	}
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
	ret = put_section(writer, SECTION_TOCS, &payload, 3, err);
	buf_fini(&payload);
	if (ret)
		return ret;
	file_trailer_put(trailer, at);
	ret = append(writer, &(struct iovec){ trailer, sizeof(trailer) }, 1, err);
	writer->sealed = !ret;
	return ret;
}

int writer_finish(struct writer *writer, struct wm_error *err)
{
	int ret = writer_seal(writer, err);

	if (!is_well(writer, err))
		ret = writer->failed.code;
	if (close(writer->fd) < 0 && !ret)
		ret = wm_fail_write(err, writer->path);
	writer->fd = -1;
	writer_free(writer);
	return ret;
}

void writer_abandon(struct writer *old, struct writer *beside)
{
	old->beside = NULL;
	writer_abort(beside);
}

void writer_abort(struct writer *writer)
{
	if (writer)
		writer_free(writer);
}
