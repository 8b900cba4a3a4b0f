// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An ELF file whose debugging information means harm: whatever it is, the lines and the
 * inlined calls taken from it hold together.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "program/elf/inlines.h"
#include "program/elf/lines.h"

static bool check(void *cookie, const struct elf_line *line)
{
	const struct interner *files = cookie;

	MUST(line->start < line->end);
	MUST(line->line && line->file && line->file <= files->count);
	return true;
}

static bool want_inline(void *cookie, const char *name, const char *linkage)
{
	(void)cookie;
	MUST(strlen(name) < SIZE_MAX && (!linkage || strlen(linkage) < SIZE_MAX));
	return true;
}

static bool take_inline(void *cookie, const struct elf_inline *part)
{
	(void)cookie;
	MUST(part->start < part->end);
	MUST(!part->into || strlen(part->into) < SIZE_MAX);
	MUST(!part->source || strlen(part->source) < SIZE_MAX);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct interner files = INTERNER_INIT;
	int fd = memfd_create("elf", MFD_CLOEXEC), copy;
	struct elf_lines *lines;
	struct elf_line line;

	const struct elf_inlines_asker asker = { want_inline, take_inline, NULL, true };

	watch_cpu();
	MUST(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
	copy = dup(fd);
	lines = elf_lines_open(fd, "/nonexistent/elf", "", &files);
	for (uint64_t off = 0; lines && off < bytes; off += 16)
		if (elf_lines_at(lines, off, &line)) {
			MUST(line.start <= off && off < line.end);
			check(&files, &line);
		}
	if (lines)
		MUST(elf_lines_each(lines, check, &files));
	elf_lines_close(lines);
	elf_inlines_each(copy, "/nonexistent/elf", "", &asker);
	interner_fini(&files);
	return 0;
}
