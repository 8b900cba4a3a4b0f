// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

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
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n < 1 ? 1 : (unsigned)n;
}

static void note(struct loop *loop, uint64_t index, int ret)
{
	pthread_mutex_lock(&loop->lock);
	if (!loop->failed || index < loop->failed_index) {
		loop->failed = ret;
		loop->failed_index = index;
	}
	pthread_mutex_unlock(&loop->lock);
	atomic_store(&loop->next, loop->n);
}

static void *work(void *cookie)
{
	struct loop *loop = cookie;
	unsigned worker = atomic_fetch_add(&loop->workers, 1);
	uint64_t index;

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
	while (started + 1 < threads &&
	       !pthread_create(&others[started], NULL, work, &loop))
		started++;
	work(&loop);
	for (unsigned i = 0; i < started; i++)
		pthread_join(others[i], NULL);
	return loop.failed;
}
