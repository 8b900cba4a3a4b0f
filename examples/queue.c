// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An example of a program that crashes after a while: in its last round it takes one item
 * more from its queue than it has put in, and follows a null pointer. README.md shows how
 * a flight recorder, which keeps only the end of a run, finds the place.
 */
#include <stdio.h>
#include <stdlib.h>

struct item {
	struct item *next;
	unsigned value;
};

struct queue {
	struct item *first;
};

static void put(struct queue *queue, unsigned value)
{
	struct item *item = malloc(sizeof(*item));

	item->value = value;
	item->next = queue->first;
	queue->first = item;
}

/*
 * Takes the first item without a check that there is one: the bug. noinline keeps the
 * function visible in the trace.
 */
__attribute__((noinline)) static unsigned take(struct queue *queue)
{
	struct item *item = queue->first;
	unsigned value = item->value;

	queue->first = item->next;
	free(item);
	return value;
}

int main(void)
{
	struct queue queue = { 0 };
	unsigned sum = 0;

	for (unsigned round = 0; round < 100000; round++) {
		for (unsigned i = 0; i < round % 10; i++)
			put(&queue, i);
		/* The last round takes one item too many. */
		for (unsigned i = 0; i < round % 10 + (round == 99999); i++)
			sum += take(&queue);
	}
	printf("%u\n", sum);
	return 0;
}
