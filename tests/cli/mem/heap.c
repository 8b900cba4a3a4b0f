/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What it allocates is known: see heap.sh. */
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 50, TABLE = 4000, GROWN = 9000 };

struct item {
	struct item *next;
	long value;
};

static jmp_buf back;

__attribute__((noinline)) static struct item *make_item(struct item *next, long value)
{
	struct item *item = malloc(sizeof(*item));

	item->next = next;
	item->value = value;
	return item;
}

__attribute__((noinline)) static char *make_table(void)
{
	char *table = calloc(TABLE / 80, 80);

	table[TABLE - 1] = 1;
	return table;
}

__attribute__((noinline)) static long sum(const struct item *item)
{
	long all = 0;

	for (; item; item = item->next)
		all += item->value;
	return all;
}

__attribute__((noinline)) static void leave(void)
{
	longjmp(back, 1);
}

/* Uses what the other thread has allocated, and frees some of it. */
static void *work(void *list)
{
	struct item *item = list, *next = item->next;
	long *own = malloc(800);

	for (int i = 0; i < 100; i++)
		own[i] = sum(list);
	free(own);
	item->next = next->next;
	free(next);
	return NULL;
}

int main(void)
{
	struct item *volatile list = NULL;
	char *table = make_table();
	pthread_t thread;
	int status;

	for (long i = 0; i < TIMES; i++)
		list = make_item(list, i);
	if (!setjmp(back))
		leave();
	pthread_create(&thread, NULL, work, list);
	pthread_join(thread, NULL);
	if (!fork())
		_exit(sum(list) == 0);
	wait(&status);
	while (list) {
		struct item *next = list->next;

		free(list);
		list = next;
	}
	table = realloc(table, GROWN);
	memset(table, 7, GROWN);
	free(table);
	return status;
}
