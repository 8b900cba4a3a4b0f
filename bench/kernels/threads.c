// SPDX-License-Identifier: GPL-2.0-or-later
// Threads that each do the same work, in short blocks, and share nothing: so the work is
// in proportion to their number. Words and lines of a text are counted, over and over.
// Arguments: the number of threads (1), and how often each reads its text.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MAX = 64, TEXT = 4096 };

struct worker {
	pthread_t thread;
	unsigned long times, words, lines;
	char text[TEXT];
	char apart[128]; /* the next one is in another cache line */
};

static void write_text(char *text)
{
	unsigned seed = 5;

	for (int i = 0; i < TEXT; i++) {
		seed = seed * 1664525 + 1013904223;
		text[i] = "etaoin shrdlu cm\n"[(seed >> 20) % 17];
	}
}

/* One branch or two for each character. */
static void count(struct worker *worker)
{
	int in_word = 0;

	for (int i = 0; i < TEXT; i++) {
		char c = worker->text[i];

		if (c == '\n')
			worker->lines++;
		if (c == ' ' || c == '\n') {
			in_word = 0;
		} else if (!in_word) {
			in_word = 1;
			worker->words++;
		}
	}
}

static void *work(void *arg)
{
	struct worker *worker = arg;

	write_text(worker->text);
	for (unsigned long i = 0; i < worker->times; i++)
		count(worker);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct worker workers[THREADS_MAX];
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	unsigned long times = argc > 2 ? strtoul(argv[2], NULL, 0) : 100000;
	unsigned long words = 0, lines = 0;

	if (threads < 1 || threads > THREADS_MAX)
		return 2;
	for (int i = 0; i < threads; i++) {
		workers[i].times = times;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(workers[i].thread, NULL);
		words += workers[i].words;
		lines += workers[i].lines;
	}
	printf("threads %d, %lu words, %lu lines\n", threads, words, lines);
	return 0;
}
