// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the sections of a file and reads their payloads.
 *
 * With a table of contents, opening reads the table and the headers of the sections, but
 * no payload. Without one the recorder was killed, or still runs: then the reader walks
 * from section to section, checks each payload and stops at the first damage. What it
 * serves is always the beginning of the file, without holes: an analysis must not take a
 * file with a hole for a complete one.
 *
 * Invariant: sections[] are adjacent in the file, their headers were checked, and their
 * compressed payloads unpack to less than reader_memory_max() in all. Payloads are
 * checked when they are read. Example: a file of 1 MiB may unpack to 128 MiB + 256 MiB at
 * most.
 */
#include "format/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "format/tape.h"

struct reader {
	int fd; /* -1: the file is in memory */
	const uint8_t *memory;
	uint64_t bytes;
	uint32_t features; /* incompatible ones */
	struct section *sections;
	size_t count, allocated;
	uint64_t unpacked; /* sum of the compressed sections' raw sizes */
	const char *why;   /* why there is no table of contents; NULL: there is one */
	uint64_t end;	   /* without a table: where intact sections end */
	struct tape *tape; /* while the trace is opened; NULL: none */
	bool was_written;  /* a recorder wrote to it when it was opened */
};

/* pread() of all. */
static int copy_from_file(const struct reader *reader, uint64_t off, void *data,
			  size_t bytes, struct wm_error *err)
{
	uint8_t *to = data;

	while (bytes) {
		ssize_t n = pread(reader->fd, to, bytes, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return wm_fail_errno(err, "cannot read the trace");
		if (!n) /* the file shrank after it was opened */
			return wm_fail(err, WM_E_DAMAGED, off, "the file ends too early");
		to += n;
		off += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return 0;
}

int reader_copy(const struct reader *reader, uint64_t off, void *data, size_t bytes,
		struct wm_error *err)
{
	struct tape *tape = reader->tape;
	int ret;

	/* Compared without a sum: offsets come from the file and could overflow. */
	if (off > reader->bytes || bytes > reader->bytes - off)
		return wm_fail(err, WM_E_DAMAGED, off, "the file ends too early");
	if (reader->fd < 0) {
		memcpy(data, reader->memory + off, bytes);
		return 0;
	}
	if (tape && tape->plays && tape_take(tape, off, data, bytes))
		return 0;
	ret = copy_from_file(reader, off, data, bytes, err);
	if (!ret && tape && !tape->plays)
		tape_note(tape, off, data, bytes);
	return ret;
}

/* Reads a section header and checks that its payload lies within the file. */
static int get_header(const struct reader *reader, uint64_t off, struct section *section,
		      uint8_t bytes[SECTION_HEADER_BYTES], uint64_t *checksum,
		      struct wm_error *err)
{
	int ret = reader_copy(reader, off, bytes, SECTION_HEADER_BYTES, err);

	if (ret)
		return ret;
	/* Type 0: no field of the header can be right. */
	if (!section_header_get(bytes, section, checksum)) {
		*section = (struct section){ .off = off };
		return wm_fail(err, WM_E_DAMAGED, off, "a section header is damaged");
	}
	section->off = off;
	if (section->stored > reader->bytes - off - SECTION_HEADER_BYTES)
		return wm_fail(err, WM_E_DAMAGED, off, "a section is cut short");
	return 0;
}

/*
 * Reads the stored payload into *stored and checks it against the header in the file.
 *
 * The header is read again, because the checksum covers it. The file may have changed
 * since the section was listed, so the fields that callers use are compared as well. One
 * more byte is reserved, so that an empty payload has data, too.
 */
static int read_stored(const struct reader *reader, const struct section *section,
		       struct buf *stored, struct wm_error *err)
{
	uint8_t bytes[SECTION_HEADER_BYTES];
	struct section now;
	uint64_t checksum;
	int ret = get_header(reader, section->off, &now, bytes, &checksum, err);

	if (ret)
		return ret;
	stored->len = 0;
	if (!buf_reserve(stored, now.stored + 1))
		return wm_fail_nomem(err, "reading a section");
	ret = reader_copy(reader, now.off + SECTION_HEADER_BYTES, stored->data,
			  now.stored, err);
	if (ret)
		return ret;
	stored->len = now.stored;
	if (now.stored != section->stored || now.type != section->type ||
	    section_checksum(bytes, stored->data, now.stored) != checksum)
		return wm_fail(err, WM_E_DAMAGED, section->off,
			       "a section does not match its checksum");
	return 0;
}

int section_unpack(const struct section *section, const struct buf *stored,
		   struct buf *payload, struct wm_error *err)
{
	size_t bytes;

	payload->len = 0;
	/* The header bounds `raw` by SECTION_RAW_MAX. */
	if (!buf_reserve(payload, section->raw + 1))
		return wm_fail_nomem(err, "reading a section");
	bytes = ZSTD_decompress(payload->data, section->raw, stored->data, stored->len);
	if (ZSTD_isError(bytes) || bytes != section->raw)
		return wm_fail(err, WM_E_DAMAGED, section->off,
			       "a section cannot be decompressed");
	payload->len = bytes;
	return 0;
}

int reader_read(const struct reader *reader, const struct section *section,
		struct buf *payload, struct wm_error *err)
{
	struct buf stored = BUF_INIT;
	int ret;

	/* The buffer is reused: an earlier failure must not stick to it. */
	payload->failed = false;
	if (!(section->flags & SECTION_ZSTD))
		return read_stored(reader, section, payload, err);
	ret = read_stored(reader, section, &stored, err);
	if (!ret)
		ret = section_unpack(section, &stored, payload, err);
	buf_fini(&stored);
	return ret;
}

int reader_find(const struct reader *reader, uint64_t off, uint32_t type,
		struct section *section, struct wm_error *err)
{
	uint8_t bytes[SECTION_HEADER_BYTES];
	uint64_t checksum;
	int ret = get_header(reader, off, section, bytes, &checksum, err);

	/* Offsets come from other sections or the table: they can point anywhere. */
	if (!ret && section->type != type)
		ret = wm_fail(err, WM_E_DAMAGED, off, "a section is of the wrong type");
	return ret;
}

static int add_section(struct reader *reader, const struct section *section,
		       struct wm_error *err)
{
	/*
	 * A few bytes of zstd can unpack to 64 MiB; the sum is bounded by the size of the
	 * file.
	 */
	reader->unpacked += section->flags & SECTION_ZSTD ? section->raw : 0;
	if (reader->unpacked > reader_memory_max(reader))
		return wm_fail(err, WM_E_DAMAGED, section->off,
			       "more is compressed into this file than a trace has");
	if (reader->count == reader->allocated) {
		size_t n = reader->allocated * 2 + 64;
		struct section *grown = realloc(reader->sections, n * sizeof(*grown));

		if (!grown)
			return wm_fail_nomem(err, "the list of sections");
		reader->sections = grown;
		reader->allocated = n;
	}
	reader->sections[reader->count++] = *section;
	return 0;
}

/*
 * Lists the sections that a table of contents names. They must be adjacent and end at the
 * table, so that every byte of the file is accounted for. Example: payloads of 100 and 50
 * bytes; the sections are at 32 and 164, and the table must be at 246.
 */
static int list_toc(struct reader *reader, struct span toc, uint64_t toc_off,
		    struct wm_error *err)
{
	uint64_t count = span_u64(&toc), next = FILE_HEADER_BYTES;

	/* The division first: count * 16 could overflow. */
	if (count > span_left(&toc) / 16 || span_left(&toc) != count * 16)
		return wm_fail(err, WM_E_DAMAGED, toc_off,
			       "the table of contents is damaged");
	while (count--) {
		uint32_t type = span_u32(&toc);
		struct section section;
		int ret;

		/* 4 reserved bytes. */
		span_u32(&toc);
		ret = reader_find(reader, span_u64(&toc), type, &section, err);
		if (ret)
			return ret;
		if (section.off != next)
			return wm_fail(err, WM_E_DAMAGED, toc_off,
				       "the table of contents has a gap");
		next = section_end(&section);
		ret = add_section(reader, &section, err);
		if (ret)
			return ret;
	}
	if (next != toc_off)
		return wm_fail(err, WM_E_DAMAGED, toc_off,
			       "the table of contents has a gap");
	return 0;
}

static int use_toc(struct reader *reader, struct wm_error *err)
{
	uint8_t trailer[FILE_TRAILER_BYTES];
	struct buf payload = BUF_INIT;
	struct section section;
	uint64_t off;
	int ret = WM_E_DAMAGED;

	/* A shorter file has no place for a trailer: its offset would be negative. */
	if (reader->bytes < FILE_HEADER_BYTES + FILE_TRAILER_BYTES ||
	    reader_copy(reader, reader->bytes - FILE_TRAILER_BYTES, trailer,
			sizeof(trailer), err) ||
	    !file_trailer_get(trailer, &off))
		return wm_fail(err, WM_E_DAMAGED, reader->bytes, "its end is missing");
	ret = reader_find(reader, off, SECTION_TOCS, &section, err);
	/* The table is the last section: nothing may be between it and the trailer. */
	if (!ret && section_end(&section) != reader->bytes - FILE_TRAILER_BYTES)
		ret = wm_fail(err, WM_E_DAMAGED, off, "its end is damaged");
	if (!ret)
		ret = reader_read(reader, &section, &payload, err);
	if (!ret)
		ret = list_toc(reader, span_of(payload.data, payload.len), off, err);
	buf_fini(&payload);
	return ret;
}

int reader_check(const struct reader *reader, uint64_t off, struct section *section,
		 struct buf *stored, struct wm_error *err)
{
	uint8_t bytes[SECTION_HEADER_BYTES];
	uint64_t checksum;
	int ret;

	*section = (struct section){ .off = off };
	ret = get_header(reader, off, section, bytes, &checksum, err);
	return ret ? ret : read_stored(reader, section, stored, err);
}

/* Lists the sections from the start and checks each, up to the first damaged one. */
static int walk(struct reader *reader, struct wm_error *err)
{
	struct buf stored = BUF_INIT;
	struct wm_error fault = { 0 };
	struct section section;
	uint64_t off = FILE_HEADER_BYTES;
	int ret = 0;

	/* A damaged table may have been listed in part. */
	reader->count = 0;
	reader->unpacked = 0;
	reader->why = "its end is missing: the recorder was stopped, or the file was cut";
	while (!ret && off < reader->bytes) {
		if (reader_check(reader, off, &section, &stored, &fault)) {
			/* Failing memory or a failing disk is not the file's fault. */
			if (fault.code != WM_E_DAMAGED) {
				ret = wm_fail(err, fault.code, fault.offset, "%s",
					      fault.text);
				break;
			}
			reader->why = "its end is missing or damaged";
			break;
		}
		/* Callers get what a table of contents lists, not the table. */
		if (section.type != SECTION_TOCS)
			ret = add_section(reader, &section, err);
		off = section_end(&section);
	}
	reader->end = off;
	buf_fini(&stored);
	return ret;
}

int reader_no_header(const struct reader *reader, struct wm_error *err)
{
	uint8_t bytes[FILE_HEADER_BYTES];
	size_t n = reader->bytes < sizeof(bytes) ? (size_t)reader->bytes : sizeof(bytes);
	int ret = reader_copy(reader, 0, bytes, n, err);

	return ret ? ret : file_header_missing(bytes, n, err);
}

static int load(struct reader *reader, struct wm_error *err)
{
	uint8_t header[FILE_HEADER_BYTES];
	struct wm_error fault = { 0 };
	int ret;

	if (reader->bytes < FILE_HEADER_BYTES)
		return reader_no_header(reader, err);
	ret = reader_copy(reader, 0, header, sizeof(header), err);
	if (!ret)
		ret = file_header_get(header, &reader->features, err);
	if (ret)
		return ret;
	ret = use_toc(reader, &fault);
	/* Damage of the table alone does not lose the sections. */
	if (ret == WM_E_DAMAGED) {
		ret = walk(reader, err);
		/* The last section may be incomplete: that is no damage. */
		if (reader->was_written) {
			reader->why = "it is still being recorded";
			/*
			 * It moves while the recorder writes, so callers must not take it
			 * for an end.
			 */
			reader->end = 0;
		}
		return ret;
	}
	/* Other errors are not the file's: no memory, or a disk that fails. */
	if (ret)
		wm_fail(err, fault.code, fault.offset, "%s", fault.text);
	return ret;
}

static int reader_new(struct reader **out, int fd, const void *memory, uint64_t bytes,
		      struct wm_error *err)
{
	struct reader *reader = calloc(1, sizeof(*reader));

	if (!reader) {
		/* The reader owns fd, on failure too. */
		if (fd >= 0)
			close(fd);
		return wm_fail_nomem(err, "opening a trace");
	}
	reader->fd = fd;
	reader->memory = memory;
	reader->bytes = bytes;
	*out = reader;
	return 0;
}

/*
 * Whether the file is still being written: a writer holds an exclusive lock until it
 * ends.
 */
static bool is_being_written(int fd)
{
	/* Readers share the lock, so only a writer makes this fail. */
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	flock(fd, LOCK_UN);
	return false;
}

/* Regular files only: offsets have no meaning in a pipe or a terminal. */
int reader_open_unread(struct reader **reader, int fd, const char *path,
		       struct wm_error *err)
{
	/*
	 * Before the size: of a file that its writer completes meanwhile, the old size would be
	 * that of a file without an end.
	 */
	bool was_written = is_being_written(fd);
	struct stat st;
	int ret;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return wm_fail(err, WM_E_IO, 0, "cannot read %s: not a regular file",
			       path);
	}
	ret = reader_new(reader, fd, NULL, (uint64_t)st.st_size, err);
	if (!ret)
		(*reader)->was_written = was_written;
	return ret;
}

int reader_open_memory_unread(struct reader **reader, const void *data, size_t bytes,
			      struct wm_error *err)
{
	return reader_new(reader, -1, data, bytes, err);
}

static int load_or_close(struct reader *reader, struct wm_error *err)
{
	int ret = load(reader, err);

	if (ret)
		reader_close(reader);
	return ret;
}

int reader_open(struct reader **reader, const char *path, struct wm_error *err)
{
	return reader_open_taped(reader, path, NULL, err);
}

void reader_leave_tape(struct reader *reader)
{
	reader->tape = NULL;
}

int reader_open_taped(struct reader **reader, const char *path, struct tape *tape,
		      struct wm_error *err)
{
	/* O_NONBLOCK: a FIFO is refused instead of waiting for its writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), ret;

	if (fd < 0)
		return wm_fail_errno(err, "cannot open %s", path);
	ret = reader_open_unread(reader, fd, path, err);
	if (ret)
		return ret;
	(*reader)->tape = tape;
	return load_or_close(*reader, err);
}

int reader_open_memory(struct reader **reader, const void *data, size_t bytes,
		       struct wm_error *err)
{
	int ret = reader_open_memory_unread(reader, data, bytes, err);

	return ret ? ret : load_or_close(*reader, err);
}

void reader_close(struct reader *reader)
{
	if (!reader)
		return;
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->sections);
	free(reader);
}

size_t reader_sections(const struct reader *reader)
{
	return reader->count;
}

const struct section *reader_section(const struct reader *reader, size_t index)
{
	return &reader->sections[index];
}

uint32_t reader_features(const struct reader *reader)
{
	return reader->features;
}

uint64_t reader_bytes(const struct reader *reader)
{
	return reader->bytes;
}

uint64_t reader_memory_max(const struct reader *reader)
{
	/* Compared without the product, which could overflow. */
	if (reader->bytes > (FILE_UNPACKED_MAX - FILE_UNPACKED_MIN) / FILE_UNPACKED_RATIO)
		return FILE_UNPACKED_MAX;
	return FILE_UNPACKED_MIN + reader->bytes * FILE_UNPACKED_RATIO;
}

bool reader_whole(const struct reader *reader, const char **why, uint64_t *end_off)
{
	*why = reader->why;
	*end_off = reader->end;
	return !reader->why;
}
