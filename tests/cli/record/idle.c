// SPDX-License-Identifier: GPL-2.0-or-later
// A thread that runs a little and then sleeps to the end, while another runs thousands of
// blocks that are new: what is kept for the first knows nothing of these.

#include <pthread.h>
#include <stdio.h>

#define R4(m, p) m(p##0) m(p##1) m(p##2) m(p##3)
#define R16(m, p) R4(m, p##0) R4(m, p##1) R4(m, p##2) R4(m, p##3)
#define R64(m, p) R16(m, p##0) R16(m, p##1) R16(m, p##2) R16(m, p##3)
#define R256(m, p) R64(m, p##0) R64(m, p##1) R64(m, p##2) R64(m, p##3)
#define R1024(m, p) R256(m, p##0) R256(m, p##1) R256(m, p##2) R256(m, p##3)
#define R4096(m) R1024(m, 0) R1024(m, 1) R1024(m, 2) R1024(m, 3)

#define CASE(n)                      \
	if (x & 1)                   \
		x = (x ^ 0x##n) * 3; \
	else                         \
		x += 0x##n;

static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;

static void *sleeper(void *unused)
{
	pthread_mutex_lock(&busy); /* never to be had */
	return unused;
}

int main(void)
{
	unsigned x = 1;
	pthread_t thread;

	pthread_mutex_lock(&busy);
	pthread_create(&thread, NULL, sleeper, NULL);
	R4096(CASE)
	printf("idle %08x\n", x);
	return 0;
}
