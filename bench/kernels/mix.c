// SPDX-License-Identifier: GPL-2.0-or-later
// Small functions, structs, strings and branches in the proportions of plain programs: an
// order book is fed, matched and reported. Short blocks, many calls. Argument: thousands
// of orders.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum side { BUY, SELL };

struct order {
	struct order *next;
	char owner[12];
	enum side side;
	int price, amount;
};

struct book {
	struct order *best[2];
	long trades, volume, refused;
	int depth[2];
};

#define NOINLINE __attribute__((noinline))

static struct order pool[512], *unused;
static unsigned long seed = 99;

static NOINLINE int draw(int limit)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int)((seed >> 33) % (unsigned long)limit);
}

static NOINLINE struct order *order_new(void)
{
	struct order *o = unused;

	if (o)
		unused = o->next;
	return o;
}

static NOINLINE void order_free(struct order *o)
{
	o->next = unused;
	unused = o;
}

static NOINLINE void name_owner(char *to, int number)
{
	static const char *const houses[] = { "north", "south", "east", "west", "upper" };

	strcpy(to, houses[number % 5]);
	to[strlen(to) - (size_t)(number & 1)] = (char)('A' + number % 26);
	to[11] = 0;
}

static NOINLINE int better(const struct order *a, const struct order *b)
{
	if (a->side == BUY)
		return a->price > b->price;
	return a->price < b->price;
}

static NOINLINE int crosses(const struct order *buy, const struct order *sell)
{
	return buy && sell && buy->price >= sell->price;
}

static NOINLINE int same_owner(const struct order *a, const struct order *b)
{
	return strcmp(a->owner, b->owner) == 0;
}

static NOINLINE void insert(struct book *book, struct order *o)
{
	struct order **at = &book->best[o->side];

	while (*at && !better(o, *at))
		at = &(*at)->next;
	o->next = *at;
	*at = o;
	book->depth[o->side]++;
}

static NOINLINE void drop_best(struct book *book, enum side side)
{
	struct order *o = book->best[side];

	book->best[side] = o->next;
	book->depth[side]--;
	order_free(o);
}

static NOINLINE void drop_worst(struct book *book, enum side side)
{
	struct order **at = &book->best[side];

	while ((*at)->next)
		at = &(*at)->next;
	order_free(*at);
	*at = NULL;
	book->depth[side]--;
}

static NOINLINE void match(struct book *book)
{
	while (crosses(book->best[BUY], book->best[SELL])) {
		struct order *buy = book->best[BUY], *sell = book->best[SELL];
		int amount = buy->amount < sell->amount ? buy->amount : sell->amount;

		if (same_owner(buy, sell)) {
			book->refused++;
			drop_best(book, draw(2) ? BUY : SELL);
			continue;
		}
		book->trades++;
		book->volume += (long)amount * sell->price;
		buy->amount -= amount;
		sell->amount -= amount;
		if (!buy->amount)
			drop_best(book, BUY);
		if (!sell->amount)
			drop_best(book, SELL);
	}
}

static NOINLINE void feed(struct book *book)
{
	struct order *o = order_new();

	if (!o)
		return;
	name_owner(o->owner, draw(40));
	o->side = draw(2) ? BUY : SELL;
	o->price = 1000 + draw(60) + (o->side == SELL ? 12 : -12);
	o->amount = 1 + draw(9);
	insert(book, o);
}

int main(int argc, char **argv)
{
	long orders = (argc > 1 ? atol(argv[1]) : 6000) * 1000;
	struct book book = { 0 };

	for (int i = 0; i < 512; i++)
		order_free(&pool[i]);
	for (long i = 0; i < orders; i++) {
		feed(&book);
		match(&book);
		while (book.depth[BUY] + book.depth[SELL] > 24)
			drop_worst(&book, book.depth[BUY] < book.depth[SELL]);
	}
	printf("mix %ld trades, volume %ld, %ld refused, %s\n", book.trades, book.volume,
	       book.refused, book.best[BUY] ? book.best[BUY]->owner : "none");
	return 0;
}
