// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory is what the program's group of processes has in memory, as the kernel counts it every
 * LOOK_MS. setrlimit() would count what QEMU reserves for itself, some gigabytes of addresses,
 * and end a program in one process where a suite wants to bound all of them.
 *
 * A program is asked to end (SIGTERM), which lets the recorder complete the trace; one that
 * does not is killed GRACE_MS later. The recorder is not of the group.
 */
#include "cli/suite/limits.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

enum { LOOK_MS = 50, GRACE_MS = 10000, NS_IN_MS = 1000000 };

/* The bytes that a process of the group has in memory; 0: it is of another one, or gone. */
static uint64_t memory_of(const char *pid, pid_t group)
{
	char path[64], text[1024];
	const char *at;
	long long pages;
	int its_group = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	at = fgets(text, sizeof(text), file);
	fclose(file);
	/* The name, in parentheses, may contain anything: the blank after it begins field 3. */
	at = at ? strrchr(text, ')') : NULL;
	at = at ? strchr(at, ' ') : NULL;
	if (!at || sscanf(at, " %*c %*d %d", &its_group) != 1 || its_group != group)
		return 0;
	/* Of fields 3 (the state) to 24: the last one. */
	for (unsigned field = 3; at && field < 24; field++)
		at = strchr(at + 1, ' ');
	pages = at ? strtoll(at, NULL, 10) : 0;
	return pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static uint64_t memory_of_group(pid_t group)
{
	DIR *all = opendir("/proc");
	uint64_t sum = 0;
	struct dirent *entry;

	while (all && (entry = readdir(all)))
		if (isdigit((unsigned char)*entry->d_name))
			sum += memory_of(entry->d_name, group);
	if (all)
		closedir(all);
	return sum;
}

static uint64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

/* Notes the limit `key` when it is exceeded. */
static void look_at(struct limited *limited, const char *key, uint64_t is, uint64_t most)
{
	if (limited->exceeded || !most || is <= most)
		return;
	limited->exceeded = key;
	limited->allowed = most;
}

/* The limits at this moment. */
static void look(struct limited *limited, uint64_t begin_ns)
{
	const struct suite_limits *limits = limited->limits;
	uint64_t seconds = (clock_ns() - begin_ns) / 1000000000;

	/* After the second that is the limit has begun, it is exceeded. */
	look_at(limited, "max-seconds", seconds + (seconds == limits->seconds),
		limits->seconds);
	look_at(limited, "max-size", size_of(limited->trace), limits->trace_bytes);
	/* It takes a walk through all processes. */
	if (limits->memory_bytes)
		look_at(limited, "max-memory", memory_of_group(limited->group),
			limits->memory_bytes);
}

/* Whether the program ended within that time. */
static bool ends_within(int pidfd, int ms)
{
	struct pollfd fd = { .fd = pidfd, .events = POLLIN };

	return poll(&fd, 1, ms) > 0;
}

static void end(const struct limited *limited, int pidfd)
{
	kill(-limited->group, SIGTERM);
	if (!ends_within(pidfd, GRACE_MS))
		kill(-limited->group, SIGKILL);
}

int limited_wait(struct limited *limited, struct wm_error *err)
{
	uint64_t begin_ns = clock_ns();
	int pidfd = (int)syscall(SYS_pidfd_open, limited->group, 0);

	if (pidfd < 0) {
		kill(-limited->group, SIGKILL);
		waitpid(limited->group, NULL, 0);
		return wm_fail_errno(err, "cannot watch a process");
	}
	while (!limited->exceeded && !ends_within(pidfd, LOOK_MS)) {
		look(limited, begin_ns);
		if (limited->exceeded)
			end(limited, pidfd);
	}
	if (waitpid(limited->group, &limited->status, 0) < 0)
		return wm_fail_errno(err, "cannot wait for a process");
	limited->milliseconds = (clock_ns() - begin_ns) / NS_IN_MS;
	close(pidfd);
	/* A short program may end above its limit before it is looked at. */
	look_at(limited, "max-size", size_of(limited->trace),
		limited->limits->trace_bytes);
	return 0;
}
