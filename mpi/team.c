// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * MPI as a team (query/team.h). This is a module that the command loads only when an MPI
 * launcher has started it, so the command itself needs no MPI library.
 *
 * The processes share work through one counter in the memory of rank 0: each takes the
 * next number by an atomic addition that needs no action of rank 0 (MPI_Fetch_and_op, MPI
 * 3.1, section 11.3.4). A faster process takes more numbers, so the work is not divided
 * beforehand.
 *
 * MPI counts bytes in an int, whereas a state may be larger. So a message is its length
 * and then pieces of at most 2^30 bytes. Example: 2.5 GiB are three pieces, of 1, 1 and
 * 0.5 GiB. Messages of one sender with one tag arrive in order, so pieces need no
 * numbers.
 *
 * No function returns an error: the default error handler of MPI ends the job, and says why.
 */
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "query/team.h"

/* PIECE: a round number below INT_MAX. */
enum { PIECE = 1 << 30, TAG = 1 };

/* What next() returns next, and how often claim() was called. */
enum { NUMBER, CLAIMS, COUNTERS };

static MPI_Win window;
static uint64_t *counters; /* [COUNTERS] in rank 0; in others of no size */

/* Adds one, and returns what was there. */
static uint64_t count(int counter)
{
	const uint64_t one = 1;
	uint64_t before;

	/* A shared lock is enough for an atomic addition. Unlocking completes it. */
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
	MPI_Fetch_and_op(&one, &before, MPI_UINT64_T, 0, counter, MPI_SUM, window);
	MPI_Win_unlock(0, window);
	return before;
}

static uint64_t next(const struct team *team)
{
	(void)team;
	return count(NUMBER);
}

static bool claim(const struct team *team)
{
	(void)team;
	return !count(CLAIMS);
}

static void reset(const struct team *team, int counter)
{
	if (team->rank)
		return;
	/* The lock makes a plain store visible to the others' additions. */
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
	counters[counter] = 0;
	MPI_Win_unlock(0, window);
}

static void restart(const struct team *team)
{
	/* The first barrier: the counter is not reset while others take numbers. */
	MPI_Barrier(MPI_COMM_WORLD);
	reset(team, NUMBER);
	/* The second: nobody takes a number before the reset. */
	MPI_Barrier(MPI_COMM_WORLD);
}

/* The minimum over all ranks, where `size` stands for success: it is above every rank. */
static unsigned first_failed(const struct team *team, bool failed)
{
	unsigned mine = failed ? team->rank : team->size, first;

	MPI_Allreduce(&mine, &first, 1, MPI_UNSIGNED, MPI_MIN, MPI_COMM_WORLD);
	return first;
}

/* The size of the next piece when `left` bytes remain. */
static int piece_of(uint64_t left)
{
	return left < PIECE ? (int)left : PIECE;
}

static void send(const struct team *team, unsigned to, const struct buf *bytes)
{
	uint64_t n = bytes->len;

	(void)team;
	MPI_Send(&n, 1, MPI_UINT64_T, (int)to, TAG, MPI_COMM_WORLD);
	for (uint64_t at = 0; at < n; at += (uint64_t)piece_of(n - at))
		MPI_Send(bytes->data + at, piece_of(n - at), MPI_BYTE, (int)to, TAG,
			 MPI_COMM_WORLD);
}

/* The sender may wait for its pieces to be taken: only the end of the job frees it. */
static void reserve_or_abort(const struct team *team, struct buf *bytes, uint64_t n)
{
	if (buf_reserve(bytes, n))
		return;
	fprintf(stderr,
		"waymark: process %u of the job has no memory for %" PRIu64
		" bytes of another one\n",
		team->rank, n);
	MPI_Abort(MPI_COMM_WORLD, 2);
}

static void receive(const struct team *team, unsigned from, struct buf *bytes)
{
	uint64_t n;

	MPI_Recv(&n, 1, MPI_UINT64_T, (int)from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	reserve_or_abort(team, bytes, n);
	for (uint64_t at = 0; at < n; at += (uint64_t)piece_of(n - at))
		MPI_Recv(bytes->data + bytes->len + at, piece_of(n - at), MPI_BYTE,
			 (int)from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	bytes->len += n;
}

/* Other ranks get the length first, then the bytes in place of their own. */
static void broadcast(const struct team *team, struct buf *bytes)
{
	uint64_t n = bytes->len;

	MPI_Bcast(&n, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	if (team->rank) {
		bytes->len = 0;
		reserve_or_abort(team, bytes, n);
		bytes->len = n;
	}
	for (uint64_t at = 0; at < n; at += (uint64_t)piece_of(n - at))
		MPI_Bcast(bytes->data + at, piece_of(n - at), MPI_BYTE, 0,
			  MPI_COMM_WORLD);
}

static void leave(const struct team *team)
{
	(void)team;
	MPI_Win_free(&window);
	MPI_Finalize();
}

/* The one symbol that the command looks up: a team_join of query/team.h. */
__attribute__((visibility("default"))) const struct team *waymark_team(void);

const struct team *waymark_team(void)
{
	static struct team team = {
		.next = next,
		.restart = restart,
		.claim = claim,
		.first_failed = first_failed,
		.send = send,
		.receive = receive,
		.broadcast = broadcast,
		.leave = leave,
	};
	int rank, size;

	/* MPI allows NULL here, so the command keeps its arguments. */
	if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
		return NULL;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	team.rank = (unsigned)rank;
	team.size = (unsigned)size;
	/* All ranks must call it; only rank 0 contributes memory. */
	MPI_Win_allocate(rank ? 0 : COUNTERS * sizeof(*counters), sizeof(*counters),
			 MPI_INFO_NULL, MPI_COMM_WORLD, &counters, &window);
	reset(&team, CLAIMS);
	MPI_Barrier(MPI_COMM_WORLD);
	return &team;
}
