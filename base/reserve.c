// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plain mappings: the kernel gives a page when it is first touched. A clear by
 * MADV_DONTNEED drops the pages, which read as zeros from then on.
 */
#include "base/reserve.h"

#include <sys/mman.h>

void *reserve_alloc(size_t bytes)
{
	/*
	 * NORESERVE: sizes are upper bounds far above what is touched, and must not count
	 * against the limit on committed memory.
	 */
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void reserve_free(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}

void reserve_clear(void *pages, size_t bytes)
{
	madvise(pages, bytes, MADV_DONTNEED);
}
