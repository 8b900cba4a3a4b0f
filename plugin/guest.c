// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugin/guest.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096 /* or a part of one */

static uint64_t base;

void guest_learn(uint64_t address, const void *host)
{
	base = (uintptr_t)host - address;
}

char *guest_pointer(uint64_t address)
{
	return (char *)(uintptr_t)(address + base);
}

size_t guest_read(uint64_t address, void *to, size_t bytes)
{
	struct iovec local = { to, bytes };
	struct iovec remote = { guest_pointer(address), bytes };
	ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	return n > 0 ? (size_t)n : 0;
}

uint64_t guest_word(uint64_t address, unsigned word)
{
	uint64_t wide = 0;

	return guest_read(address, &wide, word) == word ? wide : 0;
}

size_t guest_string(uint64_t address, char *text, size_t size)
{
	size_t used = 0;

	/* Page by page: the next one need not be there. */
	while (used + 1 < size) {
		size_t want = PAGE - (address + used) % PAGE, length;

		if (want > size - 1 - used)
			want = size - 1 - used;
		length = strnlen(text + used,
				 guest_read(address + used, text + used, want));
		used += length;
		if (length < want)
			break;
	}
	text[used] = 0;
	return used;
}
