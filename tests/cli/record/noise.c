// SPDX-License-Identifier: GPL-2.0-or-later
// Branches that nobody can foretell, always the same ones: traces of it are large. Runs for
// that many rounds, as its second argument says: "named", once more with another name;
// "threads", "forks", in others, too.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) static void turn(unsigned long way)
{
	if (way & 1)
		sink += 3;
	if (way & 2)
		sink ^= 5;
	if (way & 4)
		sink += sink;
}

static void *make_noise(void *rounds)
{
	unsigned long state = 88172645463325252;

	for (long i = atol(rounds); i > 0; i--) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		turn(state >> 20);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";

	make_noise(argv[1]);
	if (!strcmp(how, "named")) {
		prctl(PR_SET_NAME, "late");
		make_noise(argv[1]);
	}
	if (!strcmp(how, "threads")) {
		pthread_t threads[3];

		for (int i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, make_noise, argv[1]);
		for (int i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
	}
	if (!strcmp(how, "forks"))
		for (int i = 0; i < 2; i++)
			if (fork() == 0) {
				make_noise(argv[1]);
				_exit(0);
			}
	write(1, "done\n", 5);
	return 0;
}
