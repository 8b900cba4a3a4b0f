// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A team of forked processes, in place of MPI's: the command loads this module when it lies
 * beside it and the environment says that MPI started it. So tests run all that several
 * processes do together, with real processes, in the time that forking takes.
 *
 * Only rank 0 is started; waymark_team() forks the others. They talk by socket pairs, one for
 * each two, and share a page with the counter, and with what each says about its success.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "query/team.h"

enum { MOST = 16 };

static struct shared {
	_Atomic uint64_t counter;
	atomic_flag claimed;
	pthread_barrier_t barrier;
	bool failed[MOST];
} * shared;
static int sockets[MOST][MOST]; /* [of this rank][to that one] */
static pid_t children[MOST];

static void give_up(const char *what)
{
	perror(what);
	_exit(3);
}

static void wait_for_all(void)
{
	pthread_barrier_wait(&shared->barrier);
}

static uint64_t next(const struct team *team)
{
	(void)team;
	return atomic_fetch_add(&shared->counter, 1);
}

static void restart(const struct team *team)
{
	wait_for_all();
	if (!team->rank)
		atomic_store(&shared->counter, 0);
	wait_for_all();
}

static bool claim(const struct team *team)
{
	(void)team;
	return !atomic_flag_test_and_set(&shared->claimed);
}

static unsigned first_failed(const struct team *team, bool failed)
{
	unsigned first = 0;

	shared->failed[team->rank] = failed;
	wait_for_all();
	while (first < team->size && !shared->failed[first])
		first++;
	wait_for_all();
	return first;
}

static void write_all(int to, const void *data, size_t bytes)
{
	const char *at = data;

	for (ssize_t n; bytes; at += n, bytes -= (size_t)n) {
		n = write(to, at, bytes);
		if (n < 0 && errno == EINTR)
			n = 0;
		if (n < 0)
			give_up("a team's write");
	}
}

static void read_all(int from, void *data, size_t bytes)
{
	char *at = data;

	for (ssize_t n; bytes; at += n, bytes -= (size_t)n) {
		n = read(from, at, bytes);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			give_up("a team's read");
	}
}

static void send_to(const struct team *team, unsigned to, const struct buf *bytes)
{
	uint64_t n = bytes->len;

	write_all(sockets[team->rank][to], &n, sizeof(n));
	write_all(sockets[team->rank][to], bytes->data, n);
}

static void receive(const struct team *team, unsigned from, struct buf *bytes)
{
	uint64_t n;

	read_all(sockets[team->rank][from], &n, sizeof(n));
	if (!buf_reserve(bytes, n))
		give_up("a team's memory");
	read_all(sockets[team->rank][from], bytes->data + bytes->len, n);
	bytes->len += n;
}

static void broadcast(const struct team *team, struct buf *bytes)
{
	for (unsigned i = 1; !team->rank && i < team->size; i++)
		send_to(team, i, bytes);
	if (!team->rank)
		return;
	bytes->len = 0;
	receive(team, 0, bytes);
}

static void leave(const struct team *team)
{
	for (unsigned i = 1; !team->rank && i < team->size; i++)
		waitpid(children[i], NULL, 0);
}

static void share(unsigned size)
{
	pthread_barrierattr_t attributes;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		give_up("a team's memory");
	pthread_barrierattr_init(&attributes);
	pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&shared->barrier, &attributes, size);
	for (unsigned i = 0; i < size; i++)
		for (unsigned j = 0; j < i; j++) {
			int pair[2];

			if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
				give_up("a team's sockets");
			sockets[i][j] = pair[0];
			sockets[j][i] = pair[1];
		}
}

__attribute__((visibility("default"))) const struct team *waymark_team(void);

const struct team *waymark_team(void)
{
	static struct team team = {
		.next = next,
		.restart = restart,
		.claim = claim,
		.first_failed = first_failed,
		.send = send_to,
		.receive = receive,
		.broadcast = broadcast,
		.leave = leave,
	};

	team.size = (unsigned)strtoul(getenv("OMPI_COMM_WORLD_SIZE"), NULL, 10);
	if (team.size > MOST)
		return NULL;
	share(team.size);
	for (unsigned i = 1; i < team.size; i++) {
		children[i] = fork();
		if (children[i] < 0)
			give_up("a team's fork");
		if (!children[i]) {
			team.rank = i;
			break;
		}
	}
	return &team;
}
