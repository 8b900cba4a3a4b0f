// SPDX-License-Identifier: GPL-2.0-or-later
// What the cc1 workload compiles; it is preprocessed first and never run. The file
// includes itself, once for each element type, -DFAMILIES=n (1 to 4) times: sorted
// arrays, hash tables, trees, matrices, parsers. 0 is a small part of one family.
#ifndef ELEM

#ifndef FAMILIES
#define FAMILIES 1
#endif

#include <errno.h>
#include <stdlib.h>
#if FAMILIES > 0
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#endif

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define NAME(noun) PASTE(noun, ELEM)

typedef unsigned long ulong_t;

#define ELEM int
#include __FILE__
#if FAMILIES > 1
#define ELEM double
#include __FILE__
#endif
#if FAMILIES > 2
#define ELEM ulong_t
#include __FILE__
#endif
#if FAMILIES > 3
#define ELEM short
#include __FILE__
#endif

#else /* one family */

struct NAME(vec) {
	ELEM *at;
	size_t used, room;
};

#if FAMILIES > 0
struct NAME(tree) {
	struct NAME(tree) *left, *right;
	ELEM key;
	int height;
	unsigned count;
};

struct NAME(table) {
	struct NAME(entry) {
		struct NAME(entry) *next;
		char *name;
		ELEM value;
	} **slots;
	size_t used, size;
};
#endif

int NAME(vec_push)(struct NAME(vec) *v, ELEM value)
{
	if (v->used == v->room) {
		size_t room = v->room ? v->room * 2 : 8;
		ELEM *at = realloc(v->at, room * sizeof(*at));

		if (!at)
			return -ENOMEM;
		v->at = at;
		v->room = room;
	}
	v->at[v->used++] = value;
	return 0;
}

static void NAME(sift)(ELEM *a, size_t i, size_t n)
{
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		ELEM t = a[i];

		if (child + 1 < n && a[child] < a[child + 1])
			child++;
		if (!(t < a[child]))
			return;
		a[i] = a[child];
		a[child] = t;
	}
}

#if FAMILIES > 0
void NAME(vec_sort)(ELEM *a, size_t n)
{
	while (n > 16) {
		ELEM pivot = a[n / 2];
		size_t i = 0, j = n - 1;

		for (;;) {
			while (a[i] < pivot)
				i++;
			while (pivot < a[j])
				j--;
			if (i >= j)
				break;
			ELEM t = a[i];
			a[i++] = a[j];
			a[j--] = t;
		}
		if (i < n - i) {
			NAME(vec_sort)(a, i);
			a += i;
			n -= i;
		} else {
			NAME(vec_sort)(a + i, n - i);
			n = i;
		}
	}
	for (size_t i = n / 2; i-- > 0;)
		NAME(sift)(a, i, n);
	for (size_t end = n; end-- > 1;) {
		ELEM t = a[0];

		a[0] = a[end];
		a[end] = t;
		NAME(sift)(a, 0, end);
	}
}

static int NAME(height)(const struct NAME(tree) *t)
{
	return t ? t->height : 0;
}

static struct NAME(tree) *NAME(rotate)(struct NAME(tree) *t, int left)
{
	struct NAME(tree) *up = left ? t->right : t->left;

	if (left) {
		t->right = up->left;
		up->left = t;
	} else {
		t->left = up->right;
		up->right = t;
	}
	t->height = 1 + (NAME(height)(t->left) > NAME(height)(t->right) ?
			 NAME(height)(t->left) : NAME(height)(t->right));
	up->height = 1 + (NAME(height)(up->left) > NAME(height)(up->right) ?
			  NAME(height)(up->left) : NAME(height)(up->right));
	return up;
}

struct NAME(tree) *NAME(tree_insert)(struct NAME(tree) *t, ELEM key)
{
	int lean;

	if (!t) {
		t = calloc(1, sizeof(*t));
		if (t) {
			t->key = key;
			t->height = 1;
		}
		return t;
	}
	if (key < t->key)
		t->left = NAME(tree_insert)(t->left, key);
	else if (t->key < key)
		t->right = NAME(tree_insert)(t->right, key);
	else
		t->count++;
	lean = NAME(height)(t->left) - NAME(height)(t->right);
	if (lean > 1) {
		if (NAME(height)(t->left->left) < NAME(height)(t->left->right))
			t->left = NAME(rotate)(t->left, 1);
		return NAME(rotate)(t, 0);
	}
	if (lean < -1) {
		if (NAME(height)(t->right->right) < NAME(height)(t->right->left))
			t->right = NAME(rotate)(t->right, 0);
		return NAME(rotate)(t, 1);
	}
	t->height = 1 + (NAME(height)(t->left) > NAME(height)(t->right) ?
			 NAME(height)(t->left) : NAME(height)(t->right));
	return t;
}

ELEM *NAME(table_find)(struct NAME(table) *table, const char *name, int create)
{
	uint64_t hash = 0xcbf29ce484222325u;
	struct NAME(entry) **at, *e;

	for (const char *s = name; *s; s++)
		hash = (hash ^ (unsigned char)*s) * 0x100000001b3u;
	if (create && table->used >= table->size) {
		size_t size = table->size ? table->size * 2 : 16;
		struct NAME(entry) **slots = calloc(size, sizeof(*slots));

		if (!slots)
			return NULL;
		for (size_t i = 0; i < table->size; i++) {
			while ((e = table->slots[i])) {
				uint64_t h = 0xcbf29ce484222325u;

				table->slots[i] = e->next;
				for (const char *s = e->name; *s; s++)
					h = (h ^ (unsigned char)*s) * 0x100000001b3u;
				e->next = slots[h & (size - 1)];
				slots[h & (size - 1)] = e;
			}
		}
		free(table->slots);
		table->slots = slots;
		table->size = size;
	}
	if (!table->size)
		return NULL;
	for (at = &table->slots[hash & (table->size - 1)]; *at; at = &(*at)->next)
		if (!strcmp((*at)->name, name))
			return &(*at)->value;
	if (!create || !(e = calloc(1, sizeof(*e))))
		return NULL;
	e->name = strdup(name);
	*at = e;
	table->used++;
	return &e->value;
}

void NAME(matrix_multiply)(size_t n, ELEM c[restrict n][n], ELEM a[n][n], ELEM b[n][n])
{
	for (size_t i = 0; i < n; i++) {
		memset(c[i], 0, sizeof(c[i]));
		for (size_t k = 0; k < n; k++)
			for (size_t j = 0; j < n; j++)
				c[i][j] += a[i][k] * b[k][j];
	}
}

static ELEM NAME(parse_sum)(const char **text, struct NAME(table) *names);

static ELEM NAME(parse_factor)(const char **text, struct NAME(table) *names)
{
	while (isspace((unsigned char)**text))
		++*text;
	if (isdigit((unsigned char)**text)) {
		ELEM value = 0;

		while (isdigit((unsigned char)**text))
			value = value * 10 + (*(*text)++ - '0');
		return value;
	}
	if (isalpha((unsigned char)**text)) {
		char name[32];
		size_t len = 0;
		ELEM *found;

		while (isalnum((unsigned char)**text)) {
			if (len < sizeof(name) - 1)
				name[len++] = **text;
			++*text;
		}
		name[len] = 0;
		found = NAME(table_find)(names, name, 0);
		return found ? *found : 0;
	}
	switch (*(*text)++) {
	case '-': return -NAME(parse_factor)(text, names);
	case '+': return NAME(parse_factor)(text, names);
	case '!': return !NAME(parse_factor)(text, names);
	case '(': {
		ELEM value = NAME(parse_sum)(text, names);

		if (**text == ')')
			++*text;
		return value;
	}
	default:
		--*text;
		errno = EINVAL;
		return 0;
	}
}

static ELEM NAME(parse_product)(const char **text, struct NAME(table) *names)
{
	ELEM value = NAME(parse_factor)(text, names);

	while (**text == '*' || **text == '/') {
		char op = *(*text)++;
		ELEM other = NAME(parse_factor)(text, names);

		if (op == '*')
			value *= other;
		else if (other)
			value /= other;
		else
			errno = EDOM;
	}
	return value;
}

static ELEM NAME(parse_sum)(const char **text, struct NAME(table) *names)
{
	ELEM value = NAME(parse_product)(text, names);

	while (**text == '+' || **text == '-') {
		if (*(*text)++ == '+')
			value += NAME(parse_product)(text, names);
		else
			value -= NAME(parse_product)(text, names);
	}
	return value;
}

ELEM NAME(evaluate)(const char *text, struct NAME(table) *names)
{
	errno = 0;
	return NAME(parse_sum)(&text, names);
}

size_t NAME(longest_common)(const ELEM *a, size_t n, const ELEM *b, size_t m)
{
	size_t row[m + 1];

	memset(row, 0, sizeof(row));
	for (size_t i = 0; i < n; i++) {
		size_t diagonal = 0;

		for (size_t j = 0; j < m; j++) {
			size_t above = row[j + 1];

			if (a[i] == b[j])
				row[j + 1] = diagonal + 1;
			else if (row[j] > above)
				row[j + 1] = row[j];
			diagonal = above;
		}
	}
	return row[m];
}

int NAME(vec_print)(FILE *out, const struct NAME(vec) *v, const char *style)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < v->used; i++) {
		double x = (double)v->at[i];

		sum += x;
		squares += x * x;
		switch (style[i % 4]) {
		case 'h': fprintf(out, "%#" PRIx64 " ", (uint64_t)x); break;
		case 'e': fprintf(out, "%.3e ", x); break;
		case 'r': fprintf(out, "%.2f ", sqrt(fabs(x))); break;
		case 's': fprintf(out, "%s ", x < 0 ? "below" : "above"); break;
		default: fprintf(out, "%g ", x); break;
		}
	}
	if (v->used)
		fprintf(out, "mean %g variance %g\n", sum / v->used,
			squares / v->used - sum / v->used * (sum / v->used));
	return ferror(out) ? -EIO : 0;
}

#endif /* FAMILIES > 0 */

#undef ELEM
#endif
