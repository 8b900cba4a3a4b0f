// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel has its vDSO among its constants, aligned to a page, because it maps these pages into
 * programs. So an ELF file begins there, for each kind of program one.
 */
#include "program/kernel/vdso.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "program/kernel/image.h"

enum { PAGE = 4096 };

/* Where the kernel's bytes are: in memory, or in a file. */
struct source {
	const uint8_t *bytes; /* [n]; NULL: they are in the file open at fd */
	size_t n;
	int fd;
};

/* How many bytes there are at `off`, of those that fit. */
static size_t get(const struct source *source, uint64_t off, void *to, size_t room)
{
	ssize_t n;

	if (!source->bytes) {
		n = pread(source->fd, to, room, (off_t)off);
		return n > 0 ? (size_t)n : 0;
	}
	if (off >= source->n)
		return 0;
	if (room > source->n - off)
		room = source->n - off;
	memcpy(to, source->bytes + off, room);
	return room;
}

static bool find(struct vdso *vdso, const struct source *source)
{
	static const uint8_t begin[] = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64 };
	uint8_t first[sizeof(begin)], data[VDSO_BYTES_MAX];

	for (uint64_t off = 0; get(source, off, first, sizeof(first)) == sizeof(first);
	     off += PAGE)
		if (!memcmp(first, begin, sizeof(begin)) &&
		    vdso_read(vdso, data, get(source, off, data, sizeof(data))))
			return true;
	return false;
}

bool kernel_vdso_read(struct vdso *vdso, int fd)
{
	struct source source = { .fd = fd };
	struct kernel_image image;
	bool good;

	if (!kernel_image_read(&image, fd))
		return find(vdso, &source);
	source.bytes = image.bytes;
	source.n = image.n_bytes;
	good = image.bytes && find(vdso, &source);
	kernel_image_fini(&image);
	return good;
}
