// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads go through process_vm_readv() on the process itself: the kernel checks the
 * address, so a wild pointer of the guest is an error and not a fault inside QEMU. `base`
 * is host address minus guest address (QEMU's guest_base), and is learnt from the first
 * instruction that QEMU translates.
 *
 * Example: guest address 0x10000 is translated and QEMU has its bytes at 0x7f0000010000:
 * base is 0x7f0000000000, and guest address 0x2f000 is read at 0x7f000002f000.
 */
#include "plugin/user/guest.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static uint64_t base, mask = UINT64_MAX;

void guest_init(unsigned word)
{
	mask = word == 4 ? UINT32_MAX : UINT64_MAX;
}

void guest_learn(uint64_t address, const void *host)
{
	/*
	 * The same value each time: QEMU maps the guest's whole address space at one
	 * distance.
	 */
	base = (uintptr_t)host - address;
}

char *guest_pointer(uint64_t address)
{
	return (char *)(uintptr_t)((address & mask) + base);
}

/* How many bytes of this process could be read, counted from the first. */
static size_t read_host(const void *from, void *to, size_t bytes)
{
	struct iovec local = { to, bytes };
	struct iovec remote = { (void *)from, bytes };
	ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	return n > 0 ? (size_t)n : 0;
}

bool guest_can_be_read(void)
{
	/* Some sandboxes forbid the system call; then no signal frame can be read. */
	char from = 1, to = 0;

	return read_host(&from, &to, 1) && to == from;
}

static size_t read_some(uint64_t address, void *to, size_t bytes)
{
	return read_host(guest_pointer(address), to, bytes);
}

bool guest_read(uint64_t address, void *to, size_t bytes)
{
	return read_some(address, to, bytes) == bytes;
}

void guest_copy_data(uint64_t address, void *to, size_t bytes, bool alone)
{
	if (alone)
		memcpy(to, guest_pointer(address), bytes);
	else if (!guest_read(address, to, bytes))
		memset(to, 0, bytes);
}

bool guest_word(uint64_t address, unsigned word, uint64_t *value)
{
	/* Little-endian, so the low bytes of a short word are the first ones. */
	uint64_t wide = 0;
	bool good = guest_read(address, &wide, word);

	*value = good ? wide : 0;
	return good;
}

enum guest_text guest_string(uint64_t address, char *text, size_t size)
{
	size_t used = 0;

	/* Page by page: the next one may be unmapped. */
	while (used + 1 < size) {
		size_t want = GUEST_PAGE - (address + used) % GUEST_PAGE, got, length;

		if (want > size - 1 - used)
			want = size - 1 - used;
		got = read_some(address + used, text + used, want);
		length = strnlen(text + used, got);
		used += length;
		if (length < want) {
			text[used] = 0;
			/* A NUL was found, or the page could not be read to the end. */
			return length < got ? GUEST_WHOLE : GUEST_UNREADABLE;
		}
	}
	text[used] = 0;
	return GUEST_CUT;
}

bool guest_has_string(uint64_t address, struct guest_page *last)
{
	uint64_t page = address & ~(uint64_t)(GUEST_PAGE - 1);
	size_t off = address - page;

	for (;; page += GUEST_PAGE, off = 0) {
		/*
		 * An argument vector's strings lie side by side, so one page serves many
		 * of them.
		 */
		if (!last->read || last->address != page)
			last->read = guest_read(page, last->bytes, GUEST_PAGE);
		last->address = page;
		if (!last->read)
			return false;
		if (memchr(last->bytes + off, 0, GUEST_PAGE - off))
			return true;
	}
}
