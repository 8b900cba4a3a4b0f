// SPDX-License-Identifier: GPL-2.0-or-later
// A guest that spoils the memory of its recorder: "vandal zero|punch PART [stop]". It says its
// pid, is told the memory's path, and works before and after what it does. With "stop" the
// collector stands still meanwhile, so that what is spoilt has not been read.

#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/arena.h"

#define ARENA(member) (BOARD_BYTES + offsetof(struct arena, member))

static const struct part {
	const char *name;
	off_t at;
	size_t bytes;
} parts[] = {
	{ "board", 0, 4096 },
	{ "places", offsetof(struct board, slot) & ~4095ul, 8192 },
	{ "header", ARENA(header), 4096 },
	{ "heads", ARENA(heads), 4096 },
	{ "messages", ARENA(messages), MESSAGE_RING_BYTES },
	{ "tail", ARENA(tails), 4096 },
	{ "lane", ARENA(large), sizeof(((struct arena *)0)->large[0]) },
	{ "all", 0, ARENA(large[1]) },
	{ "nothing", 0, 0 },
};

/* Code of their own, so that each tells of new blocks. */
#define WORK(name)                                                 \
	__attribute__((noinline)) static unsigned name(unsigned n) \
	{                                                          \
		volatile unsigned x = n;                           \
                                                                   \
		for (unsigned i = 0; i < n; i++)                   \
			x = x % 3 ? x * 3 + 1 : x / 2 + i;         \
		return x;                                          \
	}
WORK(before)
WORK(unread)
WORK(after)
WORK(childs)

static void spoil(int fd, const struct part *part, bool punch)
{
	char *zeros = calloc(1, part->bytes + 1);
	bool good;

	if (!part->bytes)
		return;
	if (punch)
		good = !fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				  part->at, (off_t)part->bytes);
	else
		good = zeros &&
		       pwrite(fd, zeros, part->bytes, part->at) == (ssize_t)part->bytes;
	if (!good)
		exit(3);
}

/* Waits until the collector has read ids of the first thread. */
static void wait_for_reader(int fd)
{
	uint64_t tail = 0;

	while (!tail) {
		if (pread(fd, &tail, sizeof(tail), ARENA(tails)) != sizeof(tail))
			exit(8);
		usleep(1000);
	}
}

/*
 * A child that does it when it is told to, for the parent may not get far afterwards. *tell is
 * where it is told, *told where it says that it is done.
 */
static void fork_vandal(int fd, const struct part *part, bool punch, pid_t stopped,
			int *tell, int *told)
{
	int to[2], from[2];
	char byte = 0;

	if (pipe(to) || pipe(from))
		exit(6);
	*tell = to[1];
	*told = from[0];
	if (fork())
		return;
	close(to[1]);
	if (read(to[0], &byte, 1) == 1)
		spoil(fd, part, punch);
	if (stopped)
		kill(stopped, SIGCONT);
	_exit(write(from[1], &byte, 1) != 1);
}

static void fork_one(void)
{
	pid_t child = fork();

	if (!child) {
		childs(100);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
	char path[64] = "";
	const struct part *part = parts;
	pid_t collector;
	bool stop = argc > 3;
	int fd, tell, told;
	char byte = 0;

	printf("%d\n", (int)getpid());
	fflush(stdout);
	if (argc < 3 || scanf("%63s", path) != 1)
		return 2;
	while (strcmp(part->name, argv[2]))
		part++;
	collector = (pid_t)atoi(path + strlen("/proc/"));
	fd = open(path, O_RDWR);
	if (fd < 0)
		return 4;
	if (ftruncate(fd, 4096) == 0)
		return 5;
	fork_vandal(fd, part, argv[1][0] == 'p', stop ? collector : 0, &tell, &told);
	before(20000);
	wait_for_reader(fd);
	if (stop)
		kill(collector, SIGSTOP);
	unread(20000);
	if (write(tell, &byte, 1) != 1 || read(told, &byte, 1) != 1)
		return 6;
	after(20000);
	fork_one();
	return 7;
}
