// SPDX-License-Identifier: GPL-2.0-or-later
/* collect/landmarks: code by its names, in this very program. */
#include "program/landmarks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "program/elf/file.h"

/* Names as C++ has them: list::insert(int) and list::insert(char). */
void _ZN4list6insertEi(void);
void _ZN4list6insertEc(void);
int landmark_one(int x);
int landmark_two(int x);

volatile int sink;

void _ZN4list6insertEi(void)
{
	sink = 1;
}

void _ZN4list6insertEc(void)
{
	sink = 2;
}

__attribute__((noinline)) int landmark_one(int x)
{
	return x * sink + 3;
}

enum { LINE_OF_TWO = __LINE__ + 4 };

__attribute__((noinline)) int landmark_two(int x)
{
	return landmark_one(x) + sink;
}

static struct order_place *places;
static size_t n_places;

/* Looks for one landmark in this program. */
static struct landmark_find find(struct landmark landmark)
{
	struct landmark_find result = { 0 };
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	int fd;

	assert_true(length > 0);
	path[length] = 0;
	fd = elf_file_open(path);
	assert_true(fd >= 0);
	free(places);
	assert_true(
		landmarks_find(&landmark, 1, fd, path, "", &result, &places, &n_places));
	close(fd);
	return result;
}

static struct landmark symbol(const char *name, uint64_t offset)
{
	return (struct landmark){ .kind = LANDMARK_SYMBOL,
				  .name = name,
				  .value = offset,
				  .sense = ORDER_FROM,
				  .window = 3 };
}

static void test_symbols(void **state)
{
	uint64_t start;

	(void)state;
	assert_int_equal(find(symbol("landmark_one", 0)).places, 1);
	assert_int_equal(n_places, 1);
	start = places[0].start;
	assert_int_equal(places[0].end, start + 1);
	assert_int_equal(places[0].sense, ORDER_FROM);
	assert_int_equal(places[0].window, 3);
	assert_int_equal(find(symbol("landmark_one", 2)).places, 1);
	assert_int_equal(places[0].start, start + 2);
	assert_int_equal(find(symbol("landmark_on", 0)).places, 0);
	assert_int_equal(n_places, 0);
	/* Behind its end. */
	assert_true(find(symbol("landmark_one", 100000)).bytes > 4);
	assert_int_equal(n_places, 0);
	assert_int_equal(find(symbol("landmark_one", UINT64_MAX)).places, 0);
}

static void test_names_of_cxx(void **state)
{
	(void)state;
	assert_int_equal(find(symbol("_ZN4list6insertEi", 0)).places, 1);
	assert_int_equal(find(symbol("list::insert(int)", 0)).places, 1);
	assert_int_equal(find(symbol("list::insert", 0)).places, 2);
	assert_int_equal(n_places, 2);
	assert_int_equal(find(symbol("list::inser", 0)).places, 0);
	assert_int_equal(find(symbol("insert", 0)).places, 0);
}

static void test_files(void **state)
{
	struct landmark landmark = symbol("landmark_one", 0);
	struct landmark_find result;

	(void)state;
	landmark.module = "test_land*";
	result = find(landmark);
	assert_true(result.module);
	assert_int_equal(result.places, 1);
	landmark.module = "libc.so*";
	result = find(landmark);
	assert_false(result.module);
	assert_int_equal(result.places, 0);
	find((struct landmark){
		.kind = LANDMARK_MODULE, .module = "*marks", .sense = ORDER_EXCEPT });
	assert_int_equal(n_places, 1);
	assert_int_equal(places[0].start, 0);
	assert_true(landmarks_fit_file("libc.so*", "/lib/x/libc.so.6"));
	assert_false(landmarks_fit_file("libc", "/lib/x/libc.so.6"));
	assert_true(landmarks_fit_file("/lib/*/libc.so.6", "/lib/x/libc.so.6"));
	assert_false(landmarks_fit_file("x/libc.so.6", "/lib/x/libc.so.6"));
}

static void test_functions(void **state)
{
	struct landmark landmark = { .kind = LANDMARK_FUNCTIONS,
				     .name = "landmark_*",
				     .sense = ORDER_ONLY };
	uint64_t start;

	(void)state;
	find(symbol("landmark_two", 0));
	start = places[0].start;
	assert_int_equal(find(landmark).places, 2);
	assert_true(n_places == 1 || n_places == 2); /* one, if they touch */
	assert_true(places[n_places - 1].start <= start);
	assert_true(places[n_places - 1].end > start + 4);
	landmark.name = "list::insert(*)";
	assert_int_equal(find(landmark).places, 2);
	landmark.name = "*";
	assert_true(find(landmark).places > n_places);
	for (size_t i = 1; i < n_places; i++)
		assert_true(places[i].start > places[i - 1].end);
}

static struct landmark line(const char *file, uint64_t number)
{
	return (struct landmark){
		.kind = LANDMARK_LINE, .name = file, .value = number, .sense = ORDER_TO
	};
}

static void test_lines(void **state)
{
	struct landmark_find result;
	uint64_t start;

	(void)state;
	find(symbol("landmark_two", 0));
	start = places[0].start;
	result = find(line("test_landmarks.c", LINE_OF_TWO));
	assert_true(result.source);
	assert_true(result.places > 0);
	assert_true(places[0].start >= start && places[0].start < start + 64);
	assert_int_equal(find(line("unit/test_landmarks.c", LINE_OF_TWO)).places,
			 result.places);
	/* Not the end of a file's name, nor another file. */
	assert_false(find(line("marks.c", LINE_OF_TWO)).source);
	assert_false(find(line("other/test_landmarks.c", LINE_OF_TWO)).source);
	result = find(line("test_landmarks.c", LINE_OF_TWO + 2));
	assert_true(result.source);
	assert_int_equal(result.places, 0);
	assert_true(result.below >= LINE_OF_TWO - 1);
	assert_true(result.above > LINE_OF_TWO + 2);
	assert_int_equal(find(line("test_landmarks.c", 1)).below, 0);
	assert_int_equal(find(line("test_landmarks.c", UINT64_MAX)).above, 0);
}

/* What is no ELF file, or cannot be read, has nothing. */
static void test_nothing(void **state)
{
	struct landmark landmark = symbol("landmark_one", 0);
	struct landmark_find result = { 0 };
	struct order_place *none;
	size_t n;

	(void)state;
	assert_true(landmarks_find(&landmark, 1, -1, "/x", "", &result, &none, &n));
	assert_int_equal(n, 0);
	assert_int_equal(result.places, 0);
	assert_true(result.module);
	free(none);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_symbols), cmocka_unit_test(test_names_of_cxx),
	cmocka_unit_test(test_files),	cmocka_unit_test(test_functions),
	cmocka_unit_test(test_lines),	cmocka_unit_test(test_nothing),
};

int main(void)
{
	int ret = cmocka_run_group_tests(tests, NULL, NULL);

	free(places);
	return ret;
}
