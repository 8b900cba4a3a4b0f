// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System calls only mark memory as changed (plugin/user/maps.c). What is mapped there is
 * looked up when code is translated there, and it is reported to the collector then. The
 * plugin waits until the collector has handled that message, so that it reads the file's
 * build-id and symbols before the program can change the file.
 */
#include "plugin/user/modules.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "plugin/core/link.h"
#include "plugin/user/guest.h"

enum { ELF_BYTES_MAX = 32 << 10 }; /* a vDSO has some 8 KiB */

static void tell(const struct maps_module *found, const char *path)
{
	struct message_module module = { found->start, found->end, found->file_off,
					 found->dev,   found->ino, found->mtime_ns,
					 clock_ns() };

	link_send(MESSAGE_MODULE,
		  (struct message_part[]){ { &module, sizeof(module) },
					   { path, strlen(path) } },
		  2);
}

/* QEMU from 8.2 on gives the guest a vDSO, as the kernel does: an ELF file in its own memory. */
static void tell_elf(uint64_t start, uint64_t end)
{
	static uint8_t data[ELF_BYTES_MAX];
	size_t bytes = end - start < sizeof(data) ? (size_t)(end - start) : sizeof(data);

	if (guest_read(start, data, SELFMAG) && !memcmp(data, ELFMAG, SELFMAG) &&
	    guest_read(start, data, bytes))
		link_send(MESSAGE_ELF,
			  (struct message_part[]){ { &start, sizeof(start) },
						   { data, bytes } },
			  2);
}

struct code_origin modules_find(uint64_t address, const void *host)
{
	struct code_origin origin;
	struct maps_module found;

	if (!maps_find(address, host, &origin, &found)) {
		if (found.bare_first)
			tell_elf(found.start, found.end);
		return origin;
	}
	/* The memory without a file is reported first, for the code that ran there. */
	if (found.bare_before)
		tell(&found, "");
	tell(&found, found.path);
	/*
	 * Without `ino` the path no longer leads to the file, so there is nothing to read
	 * in time.
	 */
	if (found.ino)
		link_settle();
	return origin;
}

/*
 * A guest that makes code lists it in jit-PID.dump, and maps that file only so that others
 * find it. The collector opens it by the descriptor, so the plugin waits for that, too.
 */
static void tell_dump(int64_t fd)
{
	static const char first[] = "jit-", last[] = ".dump";
	struct message_dump dump = { .fd = (int32_t)fd };
	char link[32], path[PATH_MAX];
	const char *name;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", (int)fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return;
	path[n] = 0;
	name = strrchr(path, '/');
	/* Its name may have "(deleted)" behind it. */
	if (!name || strncmp(name + 1, first, strlen(first)) || !strstr(name, last))
		return;
	link_send(MESSAGE_DUMP, (struct message_part[]){ { &dump, sizeof(dump) } }, 1);
	link_settle();
}

static void mapped(uint64_t start, uint64_t bytes, uint64_t flags)
{
	if (flags & MAP_ANONYMOUS)
		maps_anonymous(start, start + bytes);
	else
		maps_forget(start, start + bytes);
}

void modules_syscall(const struct abi *abi, int64_t number, const uint64_t *args,
		     int64_t value)
{
	/* QEMU sign-extends the registers of 32-bit guests. */
	uint64_t mask = abi->word == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t start = (uint64_t)value & mask;

	if (value < 0 && value > -4096)
		return; /* it failed */
	link_lock();
	if (number == abi->mmap || number == abi->mmap2) {
		mapped(start, args[1] & mask, args[3]);
		if (!(args[3] & MAP_ANONYMOUS) && args[2] & PROT_EXEC)
			tell_dump((int32_t)args[4]);
	} else if (number == abi->munmap) {
		maps_forget(args[0] & mask, (args[0] & mask) + (args[1] & mask));
	} else if (number == abi->mremap) {
		maps_forget(args[0] & mask, (args[0] & mask) + (args[1] & mask));
		maps_forget(start, start + (args[2] & mask));
	} else if (number == abi->old_mmap || number == abi->shmat ||
		   number == abi->shmdt) {
		/* The arguments do not have the size. */
		maps_forget(0, UINT64_MAX);
	}
	link_unlock();
}
