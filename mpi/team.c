// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * MPI as a team (query/team.h): a module that the command loads when it was started by an MPI
 * launcher, so that it needs no MPI otherwise.
 *
 * MPI counts bytes in an int, so longer ones go in pieces. The shared counter is one number in
 * the memory of rank 0, which others add to without its help (MPI_Fetch_and_op, MPI 3.1,
 * section 11.3.4). Errors of MPI end the job: that is its default handler.
 */
#include <mpi.h>
#include <stdlib.h>

#include "query/team.h"

enum { PIECE = 1 << 30, TAG = 1 };

static MPI_Win window;
static uint64_t *counter; /* of rank 0: what next() gives next */

static uint64_t next(const struct team *team)
{
	const uint64_t one = 1;
	uint64_t number;

	(void)team;
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
	MPI_Fetch_and_op(&one, &number, MPI_UINT64_T, 0, 0, MPI_SUM, window);
	MPI_Win_unlock(0, window);
	return number;
}

static void restart(const struct team *team)
{
	/* Nobody asks before it is 0, and nobody sets it while one still asks. */
	MPI_Barrier(MPI_COMM_WORLD);
	if (!team->rank) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
		*counter = 0;
		MPI_Win_unlock(0, window);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

static unsigned first_failed(const struct team *team, bool failed)
{
	unsigned mine = failed ? team->rank : team->size, first;

	MPI_Allreduce(&mine, &first, 1, MPI_UNSIGNED, MPI_MIN, MPI_COMM_WORLD);
	return first;
}

/* The bytes of the next piece of so many that are left. */
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

static void receive(const struct team *team, unsigned from, struct buf *bytes)
{
	uint64_t n;

	(void)team;
	MPI_Recv(&n, 1, MPI_UINT64_T, (int)from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (!buf_reserve(bytes, n))
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (uint64_t at = 0; at < n; at += (uint64_t)piece_of(n - at))
		MPI_Recv(bytes->data + bytes->len + at, piece_of(n - at), MPI_BYTE,
			 (int)from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	bytes->len += n;
}

static void broadcast(const struct team *team, struct buf *bytes)
{
	uint64_t n = bytes->len;

	MPI_Bcast(&n, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	if (team->rank) {
		bytes->len = 0;
		if (!buf_reserve(bytes, n))
			MPI_Abort(MPI_COMM_WORLD, 2);
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

__attribute__((visibility("default"))) const struct team *waymark_team(void);

const struct team *waymark_team(void)
{
	static struct team team = {
		.next = next,
		.restart = restart,
		.first_failed = first_failed,
		.send = send,
		.receive = receive,
		.broadcast = broadcast,
		.leave = leave,
	};
	int rank, size;

	if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
		return NULL;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	team.rank = (unsigned)rank;
	team.size = (unsigned)size;
	MPI_Win_allocate(rank ? 0 : sizeof(*counter), sizeof(*counter), MPI_INFO_NULL,
			 MPI_COMM_WORLD, &counter, &window);
	return &team;
}
