// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parallel_for(): workers take the next index from a counter. After a failure the counter
 * jumps to the end, so no new index begins; those that run finish, and the lowest index
 * that failed decides the result. So the result does not depend on the number of threads.
 *
 * parallel_in_order() adds a second step that must see the indexes in order, with a
 * bounded number of results in memory. Invariant: indexes below `taken` are done; made[]
 * covers the `window` indexes from `taken` on.
 *
 * Example, if the window were 3: indexes 0, 1, 2 are being made. 2 finishes first:
 * made[2] is set, but `taken` is 0, so nothing is taken, and its thread waits to make 3.
 * When 0 finishes, its thread takes 0 and wakes the others; when 1 finishes, its thread
 * takes 1 and 2.
 */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define THREADS_MAX 256

struct loop {
	uint64_t n;
	int (*body)(void *cookie, uint64_t index, unsigned worker);
	void *cookie;
	_Atomic uint64_t next;
	_Atomic unsigned workers;
	pthread_mutex_t lock;
	uint64_t failed_index;
	int failed;
};

unsigned parallel_threads(void)
{
	cpu_set_t set;
	/*
	 * The CPUs that this process may use, not those that the machine has: containers
	 * and taskset(1) restrict them.
	 */
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n < 1 ? 1 : (unsigned)n;
}

static void note(struct loop *loop, uint64_t index, int ret)
{
	pthread_mutex_lock(&loop->lock);
	/*
	 * Of several failures the one with the lowest index counts, as if the loop were
	 * serial.
	 */
	if (!loop->failed || index < loop->failed_index) {
		loop->failed = ret;
		loop->failed_index = index;
	}
	pthread_mutex_unlock(&loop->lock);
	/*
	 * Indexes are handed out in order, so all indexes below a failed one have begun
	 * and will finish.
	 */
	atomic_store(&loop->next, loop->n);
}

static void *work(void *cookie)
{
	struct loop *loop = cookie;
	unsigned worker = atomic_fetch_add(&loop->workers, 1);
	uint64_t index;

	/* May pass n by as many as there are threads: no overflow for any real n. */
	while ((index = atomic_fetch_add(&loop->next, 1)) < loop->n) {
		int ret = loop->body(loop->cookie, index, worker);

		if (ret)
			note(loop, index, ret);
	}
	return NULL;
}

int parallel_for(uint64_t n, unsigned threads,
		 int (*body)(void *cookie, uint64_t index, unsigned worker), void *cookie)
{
	struct loop loop = {
		.n = n,
		.body = body,
		.cookie = cookie,
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	pthread_t others[THREADS_MAX];
	unsigned started = 0;

	if (threads > n)
		threads = (unsigned)n;
	if (threads > THREADS_MAX)
		threads = THREADS_MAX;
	/*
	 * The caller's thread is a worker, too. If a thread cannot be created, those that
	 * exist do all the work.
	 */
	while (started + 1 < threads &&
	       !pthread_create(&others[started], NULL, work, &loop))
		started++;
	work(&loop);
	for (unsigned i = 0; i < started; i++)
		pthread_join(others[i], NULL);
	return loop.failed;
}

/* ---- in order ------------------------------------------------------------ */

enum { AHEAD = 3 }; /* for each thread: indexes that are made and not taken */

struct order {
	const struct parallel_steps *steps;
	void *cookie;
	uint64_t taken; /* indexes below are done */
	uint64_t window;
	bool *made; /* [window] by index modulo window */
	bool taking;
	int ret; /* of failed_index, the lowest that failed; 0: none */
	uint64_t failed_index;
	pthread_mutex_t lock;
	pthread_cond_t moved;
};

static bool is_over(const struct order *order, uint64_t index)
{
	/* Work below the failed index goes on: it might fail at an even lower one. */
	return order->ret && order->failed_index < index;
}

/* Waits until `index` is inside the window; false when a lower index has failed. */
static bool wait_turn(struct order *order, uint64_t index)
{
	bool go_on;

	pthread_mutex_lock(&order->lock);
	/*
	 * No deadlock: the thread with the index `taken` is always inside the window, so
	 * it never waits here.
	 */
	while (!is_over(order, index) && index >= order->taken + order->window)
		pthread_cond_wait(&order->moved, &order->lock);
	go_on = !is_over(order, index);
	pthread_mutex_unlock(&order->lock);
	return go_on;
}

/* This and the next two functions: the caller holds the lock. */
static void fail(struct order *order, uint64_t index, int ret)
{
	if (order->ret && order->failed_index < index)
		return;
	order->ret = ret;
	order->failed_index = index;
	pthread_cond_broadcast(&order->moved);
}

static bool can_take(const struct order *order)
{
	return order->made[order->taken % order->window] &&
	       !(order->ret && order->failed_index <= order->taken);
}

/* Takes all that is next in order, unless another thread is doing so. */
static void take_made(struct order *order)
{
	/*
	 * The thread that is taking looks again after each step, so it will find what was
	 * just made.
	 */
	if (order->taking)
		return;
	order->taking = true;
	while (can_take(order)) {
		uint64_t index = order->taken;
		int ret;

		pthread_mutex_unlock(&order->lock);
		/*
		 * Without the lock: a step may be long, and others make results
		 * meanwhile. `taking` keeps the steps in order.
		 */
		ret = order->steps->take(order->cookie, index);
		pthread_mutex_lock(&order->lock);
		if (ret)
			fail(order, index, ret);
		order->made[index % order->window] = false;
		order->taken++;
		pthread_cond_broadcast(&order->moved);
	}
	order->taking = false;
}

static int make_and_take(void *cookie, uint64_t index, unsigned worker)
{
	struct order *order = cookie;
	int ret;

	/* 0, although the loop has failed: the lowest failure is already noted. */
	if (!wait_turn(order, index))
		return 0;
	ret = order->steps->make(order->cookie, index, worker);
	pthread_mutex_lock(&order->lock);
	if (ret)
		fail(order, index, ret);
	else
		order->made[index % order->window] = true;
	take_made(order);
	ret = order->ret;
	pthread_mutex_unlock(&order->lock);
	return ret;
}

int parallel_in_order(uint64_t n, unsigned threads, const struct parallel_steps *steps,
		      void *cookie)
{
	bool made[THREADS_MAX * AHEAD] = { false };
	struct order order = {
		.steps = steps,
		.cookie = cookie,
		.window = (uint64_t)AHEAD * (threads > THREADS_MAX ? THREADS_MAX :
					     threads		   ? threads :
								     1),
		.made = made,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.moved = PTHREAD_COND_INITIALIZER,
	};

	parallel_for(n, threads, make_and_take, &order);
	return order.ret;
}
