// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: calls into the vsyscall page, where there is no code: QEMU does what is asked.

#include <stdio.h>
#include <sys/time.h>

typedef int (*gettimeofday_fn)(struct timeval *, void *);
typedef time_t (*time_fn)(time_t *);

int main(void)
{
	gettimeofday_fn get = (gettimeofday_fn)0xffffffffff600000;
	time_fn seconds = (time_fn)0xffffffffff600400;
	struct timeval now;
	int good = 0;

	for (int i = 0; i < 20; i++) {
		good += !get(&now, NULL) && now.tv_sec > 1000;
		/* Its clock is a coarser one, which may be some milliseconds behind. */
		good += seconds(NULL) >= now.tv_sec - 1;
	}
	printf("vsyscall %d\n", good);
	return 0;
}
