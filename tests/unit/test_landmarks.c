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
	/* By its last parts, which begin after a "::". */
	assert_int_equal(find(symbol("insert", 0)).places, 2);
	assert_int_equal(find(symbol("nsert", 0)).places, 0);
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
	assert_true(landmarks_fit_file("[dummy]", "[dummy]"));
	assert_true(landmarks_fit_file("dum*", "[dummy]"));
	assert_false(landmarks_fit_file("[dummy]", "/lib/dummy"));
	assert_false(landmarks_fit_file("", "[]"));
}

/* A module of a kernel, whose names are in no file, and which is in two places. */
static void test_loaded(void **state)
{
	static const uint64_t starts[] = { 0x10, 0x40, 0x1000 };
	struct symtab_range ranges[3];
	struct symtab names = { .ranges = ranges, .n_ranges = 3, .names = BUF_INIT };
	struct landmark landmarks[] = {
		{ .kind = LANDMARK_FUNCTIONS, .name = "xm*", .sense = ORDER_ONLY },
		{ .kind = LANDMARK_MODULE, .module = "dummy", .sense = ORDER_EXCEPT },
		{ .kind = LANDMARK_SYMBOL, .name = "init", .sense = ORDER_FROM },
		{ .kind = LANDMARK_SYMBOL, .module = "other", .name = "init" },
	};
	const struct elf_load code = { 0x7000, 0x7100, 0 },
			      once = { 0x9000, 0x9020, 0x1000 };
	struct landmark_find finds[4] = { 0 };
	struct order_place *found, part;
	size_t n;

	(void)state;
	buf_put(&names.names, "xmit\0stop\0init", 15);
	for (uint32_t i = 0; i < 3; i++)
		ranges[i] = (struct symtab_range){ starts[i], starts[i] + 0x20, 5 * i,
						   SYMTAB_NO_RANGE };
	assert_true(
		landmarks_find_names(landmarks, 4, &names, "[dummy]", finds, &found, &n));
	assert_int_equal(n, 3);
	assert_true(found[0].sense == ORDER_FROM && found[0].start == 0x1000);
	assert_true(found[1].start == 0x10 && found[1].end == 0x30);
	assert_true(finds[0].places == 1 && finds[2].places == 1 && !finds[3].module);

	/* At the addresses that the parts have; of all of it each part has some. */
	part = found[0];
	assert_false(landmarks_load(&part, &code));
	part = found[0];
	assert_true(landmarks_load(&part, &once));
	assert_true(part.start == 0x9000 && part.end == 0x9001);
	part = found[2];
	assert_true(landmarks_load(&part, &code));
	assert_true(part.start == 0x7000 && part.end == 0x7100);
	part = found[2];
	assert_true(landmarks_load(&part, &once));
	assert_true(part.start == 0x9000 && part.end == 0x9020);
	free(found);
	buf_fini(&names.names);
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

static inline __attribute__((always_inline)) int inlined_twice(int x)
{
	int all = 0;

	for (int i = 0; i < x; i++)
		all += sink;
	return all;
}

int inlines_twice(int x);

__attribute__((noinline)) int inlines_twice(int x)
{
	int all = inlined_twice(x + sink) * 3;

	return all + inlined_twice(x * sink);
}

/* A call that was inlined begins in the function around it, and its code lies there. */
static void test_inlined(void **state)
{
	struct landmark landmark = { .kind = LANDMARK_FUNCTIONS, .sense = ORDER_EXCEPT };
	uint64_t start, end;

	(void)state;
	landmark.name = "inlines_twice";
	find(landmark);
	assert_int_equal(n_places, 1);
	start = places[0].start;
	end = places[0].end;
	assert_int_equal(find(symbol("inlined_twice", 0)).places, 2);
	for (size_t i = 0; i < n_places; i++)
		assert_true(places[i].start >= start && places[i].start < end);
	landmark.name = "inlined_tw*";
	assert_true(find(landmark).places >= 2);
	for (size_t i = 0; i < n_places; i++)
		assert_true(places[i].start >= start && places[i].end <= end);
	landmark.no_inline = true;
	assert_int_equal(find(landmark).places, 0);
	landmark = symbol("inlined_twice", 0);
	landmark.sense = ORDER_VALUE;
	assert_int_equal(find(landmark).places, 0);
	/* Bytes after an entry are bytes of nothing in particular. */
	assert_int_equal(find(symbol("inlined_twice", 1)).places, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_symbols),	  cmocka_unit_test(test_names_of_cxx),
	cmocka_unit_test(test_files),	  cmocka_unit_test(test_loaded),
	cmocka_unit_test(test_functions), cmocka_unit_test(test_lines),
	cmocka_unit_test(test_nothing),	  cmocka_unit_test(test_inlined),
};

int main(void)
{
	int ret = cmocka_run_group_tests(tests, NULL, NULL);

	free(places);
	return ret;
}
