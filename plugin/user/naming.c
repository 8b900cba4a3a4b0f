// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread's own name is asked for when it makes itself known and when it ends, and it changes
 * that by prctl(). One that another thread names may be within a call until the process ends,
 * so nobody would ask. Hence the file is watched that the name is written to: the path when it
 * is opened, then what is written to its descriptor, until that is closed.
 *
 * Example: openat(AT_FDCWD, "/proc/self/task/812/comm", O_RDWR) is 5, write(5, "worker", 6):
 * thread 812 is "worker".
 */
#include "plugin/user/naming.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "plugin/core/link.h"
#include "plugin/user/guest.h"

enum { PATH_BYTES = 64, NAME_BYTES = 16 }; /* the kernel keeps 15 bytes of a name */

static __thread __attribute__((tls_model("initial-exec"))) struct {
	uint32_t tid; /* whose file is open; 0: none is */
	int64_t fd;   /* below 0: it is being opened */
} naming;

/* The thread whose name is in the file; 0: it is no such file. */
static uint32_t named_by(const char *path)
{
	unsigned process, tid;
	int end = 0;

	if (!strcmp(path, "/proc/self/comm"))
		return (uint32_t)getpid();
	if (sscanf(path, "/proc/self/task/%u/comm%n", &tid, &end) == 1 && end &&
	    !path[end])
		return tid;
	if (sscanf(path, "/proc/%u/task/%u/comm%n", &process, &tid, &end) == 2 && end &&
	    !path[end] && process == (unsigned)getpid())
		return tid;
	return 0;
}

void naming_call(const struct abi *abi, int64_t number, const uint64_t *args)
{
	char path[PATH_BYTES];

	if (number != abi->openat && number != abi->open)
		return;
	naming.tid = 0;
	naming.fd = -1;
	if (guest_string(args[number == abi->openat], path, sizeof(path)) == GUEST_WHOLE)
		naming.tid = named_by(path);
}

static void send_name(uint64_t address, uint64_t bytes)
{
	struct message_name message = { .ns = clock_ns(), .tid = naming.tid };
	char name[NAME_BYTES] = "";

	if (bytes > sizeof(name) - 1)
		bytes = sizeof(name) - 1;
	if (!guest_read(address, name, bytes))
		return;
	name[strcspn(name, "\n")] = 0;
	link_lock();
	link_send(MESSAGE_NAME,
		  (struct message_part[]){ { &message, sizeof(message) },
					   { name, strlen(name) } },
		  2);
	link_unlock();
}

void naming_returned(const struct abi *abi, int64_t number, const uint64_t *args,
		     int64_t value)
{
	if (!naming.tid)
		return;
	if (naming.fd < 0 && (number == abi->openat || number == abi->open) && value >= 0)
		naming.fd = value;
	else if (naming.fd < 0 || (number == abi->close && (int64_t)args[0] == naming.fd))
		naming.tid = 0;
	else if (number == abi->write && (int64_t)args[0] == naming.fd && value > 0)
		send_name(args[1], (uint64_t)value);
}
