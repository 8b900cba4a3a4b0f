// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What was written to a file, read back: which sections, and their bytes.
 *
 * The list of them is the table of contents as it will stand at the end of the file: type,
 * zero, offset, in 16 bytes each. A section ends where the next one begins, so no lengths are
 * kept. The file was written by this process; when it has other bytes, somebody changed it.
 */
#include "format/writer-data.h"

#include <errno.h>
#include <unistd.h>

uint64_t writer_sections(const struct writer *writer)
{
	/* Without memory for the list nothing can be read back. */
	return writer->toc.failed ? 0 : writer->sections;
}

/* `index` must be below writer_sections(). */
uint32_t writer_section_type(const struct writer *writer, uint64_t index)
{
	const uint8_t *entry = writer->toc.data + index * TOC_ENTRY_BYTES;
	struct span span = span_of(entry, TOC_ENTRY_BYTES);

	return span_u32(&span);
}

uint64_t writer_section_off(const struct writer *writer, uint64_t index)
{
	const uint8_t *entry = writer->toc.data + index * TOC_ENTRY_BYTES;
	/* It is after the type and the zero. */
	struct span span = span_of(entry + 8, 8);

	/* After the last section comes the place of the next. */
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
		/* The file is shorter than what was written to it. */
		if (!n)
			return wm_fail(err, WM_E_DAMAGED, off, "the file changed");
		to += n;
		bytes -= (size_t)n;
		off += (uint64_t)n;
	}
	return 0;
}

/*
 * The buffer is used again, also after a failure. The header must agree with the list,
 * and the payload with the header.
 */
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
