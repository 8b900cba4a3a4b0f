// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An ELF file whose debugging information means harm: whatever it is, the lines taken from
 * it hold together.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "elf/lines.h"
#include "fuzz.h"

static bool check(void *cookie, const struct elf_line *line)
{
	const struct interner *files = cookie;

	MUST(line->start < line->end);
	MUST(line->line && line->file && line->file <= files->count);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct interner files = INTERNER_INIT;
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct elf_lines *lines;
	struct elf_line line;

	watch_cpu();
	MUST(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
	lines = elf_lines_open(fd, "/nonexistent/elf", "", &files);
	for (uint64_t off = 0; lines && off < bytes; off += 16)
		if (elf_lines_at(lines, off, &line)) {
			MUST(line.start <= off && off < line.end);
			check(&files, &line);
		}
	if (lines)
		MUST(elf_lines_each(lines, check, &files));
	elf_lines_close(lines);
	interner_fini(&files);
	return 0;
}
