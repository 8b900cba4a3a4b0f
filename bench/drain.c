// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recorder that stores nothing, to measure what the plugin alone costs a guest. It runs
 * QEMU with the plugin and moves the tails of all rings to their heads, some thousand
 * times a second, so the plugin need not wait. Ids and words are never read. At the end
 * it writes the guest's CPU time, in seconds, to FILE, and exits with the guest's status.
 * Its own CPU time is not included: like that of the real recorder, it is spent on
 * another core.
 *
 * usage: waymark-drain FILE PLUGIN VERSION path|mem|mem-data QEMU [ARGUMENT...]
 *
 * VERSION is QEMU's, as "7.2.22": a plugin that does not know it asks QEMU for the text of each
 * instruction, which no recording does.
 *
 * A head is a byte offset in its ring; a tail is a position, which only grows
 * (format/arena.h). Example: in a ring of 8 ids the tail is 12, which is id 4 of the
 * second lap. A head of 24 bytes is id 6. The next position with that index is 14, so the
 * tail becomes 14.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/futex.h"
#include "collect/memory.h"
#include "format/values.h"

/* A ring takes milliseconds to fill, so this is short enough. */
enum { PAUSE_US = 200 };

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "waymark-drain: %s\n", what);
	exit(2);
}

static uint32_t values_of(const char *word)
{
	if (!strcmp(word, "path"))
		return 0;
	if (!strcmp(word, "mem"))
		return VALUES_ALL;
	if (!strcmp(word, "mem-data"))
		return VALUES_ALL | VALUES_DATA;
	die("what is recorded is path, mem or mem-data");
}

/*
 * Moves a tail to a head. `head` is the index of an element in the ring, whose size is a
 * power of two. The ring is never full, so equal indexes mean that it is empty.
 */
static void drain(_Atomic uint64_t *tail, uint32_t head, uint32_t ring)
{
	uint64_t at = atomic_load(tail);

	atomic_store(tail, at + ((head - at) & (ring - 1)));
}

static void drain_all(struct arena *arena)
{
	uint32_t lanes = atomic_load(&arena->header.lanes);

	/* The guest can write to shared memory, so the number of lanes is checked. */
	for (uint32_t i = 0; i < lanes && i < LANES_MAX; i++) {
		drain(&arena->tails[i].tail,
		      atomic_load(&arena->heads[i].head) / (uint32_t)sizeof(uint32_t),
		      lane_ids(i));
		drain(&arena->value_tails[i].tail,
		      atomic_load(&arena->value_heads[i].head) /
			      (uint32_t)sizeof(uint64_t),
		      lane_words(i));
	}
	atomic_store(&arena->header.message_tail,
		     atomic_load(&arena->header.message_head));
	/* As the collector does: a thread waits until `room` changes. */
	if (atomic_load(&arena->header.waiting)) {
		atomic_fetch_add(&arena->header.room, 1);
		futex_wake_all(&arena->header.room);
	}
}

/* Executes QEMU with the plugin's option inserted after its name. */
static _Noreturn void run(const char *board, const char *plugin, char **qemu)
{
	size_t n = 0;
	char **argv, *value;

	while (qemu[n])
		n++;
	argv = calloc(n + 3, sizeof(*argv));
	if (!argv || asprintf(&value, "%s,arena=%s", plugin, board) < 0)
		die("out of memory");
	argv[0] = qemu[0];
	argv[1] = (char *)"-plugin";
	argv[2] = value;
	memcpy(argv + 3, qemu + 1, (n - 1) * sizeof(*argv));
	execvp(argv[0], argv);
	die("cannot run QEMU");
}

/* Drains until the guest ends. Returns its status, as a shell does for signals. */
static int drain_until_end(const struct memory *memory, pid_t guest, struct rusage *usage)
{
	struct arena *arena = memory_map(memory, 0);
	int status;

	if (!arena)
		die("cannot map the shared memory");
	while (!wait4(guest, &status, WNOHANG, usage)) {
		/* The plugin has not taken its arena yet: there is no lane. */
		if (atomic_load(&memory->board->slot[0]) != SLOT_FREE)
			drain_all(arena);
		usleep(PAUSE_US);
	}
	memory_unmap(arena);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage usage = { 0 };
	struct memory memory;
	struct wm_error err;
	FILE *file;
	pid_t guest;
	int status;

	if (argc < 6)
		die("usage: waymark-drain FILE PLUGIN VERSION path|mem|mem-data QEMU "
		    "[ARGUMENT...]");
	if (memory_create(&memory, &err))
		die(err.text);
	snprintf(memory.board->qemu_version, sizeof(memory.board->qemu_version), "%s",
		 argv[3]);
	memory.board->values = values_of(argv[4]);
	guest = fork();
	if (!guest)
		run(memory.board->path, argv[2], argv + 5);
	if (guest < 0)
		die("cannot start a process");
	status = drain_until_end(&memory, guest, &usage);
	memory_fini(&memory);
	file = fopen(argv[1], "w");
	if (!file ||
	    fprintf(file, "%.6f\n", seconds(usage.ru_utime) + seconds(usage.ru_stime)) <
		    0 ||
	    fclose(file))
		die("cannot write the figure");
	return status;
}
