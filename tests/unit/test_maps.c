// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plugin/maps: what it finds is what is mapped in this very process, whose addresses are
 * DISTANCE higher than its guest's.
 */
#include "plugin/user/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

#define DISTANCE 0x12340000u
#define PAGE 4096ul

static char folder[] = "/tmp/test_maps.XXXXXX";

static uint64_t guest(const void *host)
{
	return (uint64_t)(uintptr_t)host - DISTANCE;
}

static uint32_t find(const void *host, struct maps_module *module, bool *news)
{
	struct code_origin origin;

	*news = maps_find(guest(host), host, &origin, module);
	return origin.file;
}

/* A new file of that many pages, in the test's folder. */
static int make_file(const char *name, unsigned pages)
{
	int fd;

	assert_int_equal(chdir(folder), 0);
	fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)(pages * PAGE)), 0);
	return fd;
}

static uint8_t *map(void *place, unsigned pages, int fd, uint64_t off)
{
	void *memory =
		mmap(place, pages * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | (place ? MAP_FIXED : 0) | (fd < 0 ? MAP_ANONYMOUS : 0),
		     fd, (off_t)off);

	assert_true(memory != MAP_FAILED);
	return memory;
}

/* Between two inaccessible pages, so that the kernel joins nothing to it. */
static uint8_t *make_room(unsigned pages)
{
	void *memory = mmap(NULL, (pages + 2) * PAGE, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	return (uint8_t *)memory + PAGE;
}

static void forget(const uint8_t *memory, unsigned pages)
{
	maps_forget(guest(memory), guest(memory) + pages * PAGE);
}

/* There is this path, and it has been told now; its number. */
static uint32_t expect(const uint8_t *memory, const char *path)
{
	struct maps_module module;
	bool news;
	uint32_t number = find(memory, &module, &news);

	assert_true(news);
	assert_string_equal(module.path, path);
	assert_true(module.start <= guest(memory) && guest(memory) < module.end);
	assert_int_equal(find(memory, &module, &news), number);
	assert_false(news);
	return number;
}

static uint32_t expect_no_news(const uint8_t *memory)
{
	struct maps_module module;
	bool news;
	uint32_t number = find(memory, &module, &news);

	assert_false(news);
	return number;
}

static char *path_of(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* ---- tests --------------------------------------------------------------- */

static void test_program(void **state)
{
	const void *code = (const void *)(uintptr_t)test_program;
	struct maps_module module;
	char exe[PATH_MAX] = "";
	struct stat st;
	bool news;

	(void)state;
	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	assert_int_equal(stat(exe, &st), 0);
	assert_int_not_equal(find(code, &module, &news), 0);
	assert_true(news);
	assert_string_equal(module.path, exe);
	assert_int_equal(module.ino, st.st_ino);
	assert_int_equal(module.dev, st.st_dev);
	assert_int_equal(module.mtime_ns, timespec_ns(st.st_mtim));
}

static void test_place(void **state)
{
	int fd = make_file("place", 8);
	uint8_t *memory = make_room(4);
	struct maps_module module;
	bool news;

	(void)state;
	map(memory, 4, fd, 3 * PAGE);
	assert_int_not_equal(find(memory + 5000, &module, &news), 0);
	assert_true(news);
	assert_int_equal(module.start, guest(memory));
	assert_int_equal(module.end, guest(memory) + 4 * PAGE);
	assert_int_equal(module.file_off, 3 * PAGE);
	assert_int_equal(find(NULL, &module, &news), 0);
	assert_false(news);
	close(fd);
}

static void test_remapped(void **state)
{
	int a = make_file("a", 4), b = make_file("b", 4);
	uint8_t *memory = make_room(4);
	uint32_t number_a, number_b;

	(void)state;
	map(memory, 4, a, 0);
	number_a = expect(memory, path_of("a"));
	map(memory, 4, b, 0);
	assert_int_equal(expect_no_news(memory),
			 number_a); /* not reported, not looked up */
	forget(memory, 4);
	number_b = expect(memory, path_of("b"));
	assert_int_not_equal(number_a, number_b);
	map(memory, 4, a, 0);
	forget(memory, 4);
	assert_int_equal(expect(memory, path_of("a")), number_a);
	/* The same again is no news, wherever it is cut. */
	forget(memory, 4);
	assert_int_equal(expect_no_news(memory), number_a);
	forget(memory + PAGE, 1);
	assert_int_equal(expect_no_news(memory + PAGE), number_a);
	assert_int_equal(expect_no_news(memory + 2 * PAGE), number_a);
	/* Elsewhere in the file it is other code. */
	map(memory, 3, a, PAGE);
	forget(memory, 4);
	assert_int_not_equal(expect(memory, path_of("a")), number_a);
	close(a);
	close(b);
}

static void test_no_file(void **state)
{
	int fd = make_file("gone", 4);
	uint8_t *memory = make_room(4);

	(void)state;
	map(memory, 4, -1, 0);
	assert_int_equal(expect_no_news(memory), 0);
	map(memory, 2, fd, 0);
	forget(memory, 2);
	assert_int_not_equal(expect(memory, path_of("gone")), 0);
	assert_int_equal(expect_no_news(memory + 2 * PAGE), 0);
	map(memory, 1, -1, 0);
	forget(memory, 1);
	assert_int_equal(expect(memory, ""), 0);
	forget(memory, 1);
	assert_int_equal(expect_no_news(memory), 0);
	close(fd);
}

static void test_anonymous(void **state)
{
	int fd = make_file("under", 4);
	uint8_t *memory = make_room(4);

	(void)state;
	/* Taken at its word: here it is a lie, and nobody looked. */
	map(memory, 4, fd, 0);
	maps_anonymous(guest(memory), guest(memory) + 4 * PAGE);
	assert_int_equal(expect_no_news(memory + PAGE), 0);
	forget(memory, 4);
	assert_int_not_equal(expect(memory, path_of("under")), 0);
	/* Over a file that was reported, it must be said that it is gone. */
	map(memory, 4, -1, 0);
	maps_anonymous(guest(memory), guest(memory) + 4 * PAGE);
	assert_int_equal(expect(memory, ""), 0);
	/* Empty ranges and wrong ones do no harm. */
	maps_anonymous(guest(memory), guest(memory));
	maps_forget(guest(memory), guest(memory));
	maps_forget(UINT64_MAX - 10, 10);
	maps_anonymous(UINT64_MAX - 10, 10);
	maps_anonymous(UINT64_MAX - 10, UINT64_MAX);
	assert_int_equal(expect_no_news(memory), 0);
	close(fd);
}

static bool ran_before(const uint8_t *memory, struct maps_module *module)
{
	struct code_origin origin;

	maps_find(guest(memory), memory, &origin, module);
	return origin.again;
}

/* Blocks of places that had other code are kept apart. */
static void test_again(void **state)
{
	int fd = make_file("again", 4);
	uint8_t *memory = make_room(4);
	struct maps_module module;

	(void)state;
	map(memory, 4, fd, 0);
	assert_false(ran_before(memory, &module));
	map(memory, 4, fd, PAGE);
	forget(memory, 4);
	assert_true(ran_before(memory, &module));
	assert_false(module.bare_before);
	map(memory, 4, fd, 0);
	forget(memory, 4);
	assert_true(ran_before(memory, &module));
	map(memory, 4, -1, 0);
	forget(memory, 4);
	assert_true(ran_before(memory, &module));
	/* Not that it was mapped counts, but that code ran. */
	memory = make_room(4);
	maps_anonymous(guest(memory), guest(memory) + 4 * PAGE);
	map(memory, 4, fd, 0);
	forget(memory, 4);
	assert_false(ran_before(memory, &module));
	assert_false(module.bare_before);
	memory = make_room(4);
	maps_anonymous(guest(memory), guest(memory) + 4 * PAGE);
	assert_false(ran_before(memory, &module));
	maps_anonymous(guest(memory), guest(memory) + 4 * PAGE);
	assert_false(ran_before(memory, &module));
	map(memory, 4, fd, 0);
	forget(memory, 4);
	assert_true(ran_before(memory, &module));
	assert_true(module.bare_before);
	close(fd);
}

static void test_changed_file(void **state)
{
	int fd = make_file("changing", 4);
	uint8_t *memory = make_room(4);
	uint32_t number;

	(void)state;
	map(memory, 4, fd, 0);
	number = expect(memory, path_of("changing"));
	futimens(fd, (const struct timespec[]){ { 1, 2 }, { 3, 4 } });
	forget(memory, 4);
	assert_int_not_equal(expect(memory, path_of("changing")), number);
	close(fd);
}

/* ---- names --------------------------------------------------------------- */

static struct maps_module name_of(int fd)
{
	struct maps_module module;
	bool news;

	find(map(make_room(1), 1, fd, 0), &module, &news);
	assert_true(news);
	return module;
}

static void test_names(void **state)
{
	static const char *const names[] = {
		"with blanks  in it", "new\nline", "not\\012new",
		"x (deleted)",	      "a\\b",	   "\n\n"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int fd = make_file(names[i], 1);
		struct maps_module module = name_of(fd);

		assert_string_equal(module.path, path_of(names[i]));
		assert_int_not_equal(module.ino, 0);
		close(fd);
	}
}

static void test_deleted(void **state)
{
	int fd = make_file("temporary", 1), memory = memfd_create("m", MFD_CLOEXEC);
	struct maps_module module;

	(void)state;
	unlink("temporary");
	module = name_of(fd);
	assert_string_equal(module.path, path_of("temporary (deleted)"));
	assert_int_equal(module.ino, 0);
	close(fd);
	/* Another file in its place is not it. */
	fd = make_file("replaced", 1);
	map(make_room(1), 1, fd, 0);
	unlink("replaced");
	close(make_file("replaced (deleted)", 1));
	module = name_of(fd);
	assert_string_equal(module.path, path_of("replaced (deleted)"));
	assert_int_equal(module.ino, 0);
	close(fd);
	assert_int_equal(ftruncate(memory, (off_t)PAGE), 0);
	module = name_of(memory);
	assert_string_equal(module.path, "/memfd:m (deleted)");
	assert_int_equal(module.ino, 0);
	close(memory);
}

static void test_shared_memory(void **state)
{
	void *memory = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_int_equal(expect_no_news(memory), 0);
}

/* Longer than any path may be that the kernel is given; relative ones get there. */
static void test_long_path(void **state)
{
	char name[200];
	struct maps_module module;
	unsigned depth = 30;
	int fd;

	(void)state;
	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	assert_int_equal(chdir(folder), 0);
	for (unsigned i = 0; i < depth; i++)
		assert_true(mkdir(name, 0700) == 0 && chdir(name) == 0);
	fd = open("file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(ftruncate(fd, (off_t)PAGE), 0);
	module = name_of(fd);
	assert_int_equal(strlen(module.path), strlen(folder) + depth * sizeof(name) + 5);
	assert_string_equal(module.path + strlen(module.path) - 5, "/file");
	assert_int_equal(module.ino, 0); /* nobody can open it by that name */
	close(fd);
	unlink("file");
	for (unsigned i = 0; i < depth; i++)
		assert_true(chdir("..") == 0 && rmdir(name) == 0);
}

/* ---- anything, in any order ---------------------------------------------- */

enum { NOTHING, FILE_A, FILE_B, ROOM = 40 };

struct model {
	uint8_t *memory;
	int fds[3];
	uint8_t is[ROOM], told[ROOM]; /* what each page maps, and what was said of it */
	uint32_t numbers[3];
};

static void remap(struct model *model, unsigned page, unsigned pages, unsigned what)
{
	uint8_t *place = model->memory + page * PAGE;

	map(place, pages, model->fds[what], page * PAGE);
	memset(model->is + page, (int)what, pages);
	if (what == NOTHING && rand() % 2)
		maps_anonymous(guest(place), guest(place) + pages * PAGE - 10);
	else
		maps_forget(guest(place), guest(place) + pages * PAGE - 10);
}

static void look(struct model *model, unsigned page)
{
	struct maps_module module;
	unsigned what = model->is[page];
	bool news;
	uint32_t number = find(model->memory + page * PAGE + 8, &module, &news);

	if (what && !model->numbers[what])
		model->numbers[what] = number;
	assert_int_equal(number, model->numbers[what]);
	assert_true(news || model->told[page] == what);
	if (!news)
		return;
	assert_true(module.start >= guest(model->memory));
	assert_true(module.end <= guest(model->memory) + ROOM * PAGE);
	assert_int_equal(*module.path != 0, what != NOTHING);
	for (uint64_t at = module.start; at < module.end; at += PAGE) {
		size_t i = (at - guest(model->memory)) / PAGE;

		assert_int_equal(model->is[i], what);
		model->told[i] = (uint8_t)what;
	}
	if (what)
		assert_int_equal(module.file_off, module.start - guest(model->memory));
}

static void test_random(void **state)
{
	struct model model = { .memory = make_room(ROOM),
			       .fds = { -1, make_file("random-a", ROOM),
					make_file("random-b", ROOM) } };

	(void)state;
	srand(1);
	map(model.memory, ROOM, -1, 0);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned page = (unsigned)rand() % ROOM;
		unsigned pages = 1 + (unsigned)rand() % (ROOM - page);

		switch (rand() % 8) {
		case 0:
			remap(&model, page, pages, (unsigned)rand() % 3);
			break;
		case 1: /* splits the kernel's ranges, and changes nothing */
			mprotect(model.memory + page * PAGE, pages * PAGE,
				 rand() % 2 ? PROT_READ : PROT_READ | PROT_WRITE);
			break;
		default:
			look(&model, page);
		}
	}
}

/* Ranges are many, and found all the same; most of it is memory without a file. */
static void test_many(void **state)
{
	enum { MANY = 100000 };

	(void)state;
	for (uint64_t i = 0; i < MANY; i++)
		maps_anonymous(i * 2 * PAGE, i * 2 * PAGE + PAGE);
	for (uint64_t i = 0; i < MANY; i++) {
		struct maps_module module;
		struct code_origin origin;

		assert_false(maps_find(i * 2 * PAGE + 1, NULL, &origin, &module));
		assert_int_equal(origin.file, 0);
		maps_forget(i * 2 * PAGE, i * 2 * PAGE + PAGE);
	}
}

/* From here on the kernel is one that only has the list of all mappings. */
static void test_older_kernel(void **state)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	(void)state;
	maps_forget(0, UINT64_MAX - PAGE);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		skip();
	assert_int_equal(ioctl(0, 0), -1);
	assert_int_equal(errno, ENOTTY);
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "place",	    "a",
					     "b",	    "gone",
					     "again",	    "under",
					     "changing",    "with blanks  in it",
					     "new\nline",   "not\\012new",
					     "x (deleted)", "a\\b",
					     "\n\n",	    "replaced (deleted)",
					     "random-a",    "random-b" };

	(void)state;
	if (chdir(folder))
		return -1;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(names[i]);
	return chdir("/") || rmdir(folder);
}

static int make_folder(void **state)
{
	(void)state;
	return !mkdtemp(folder);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_program),	     cmocka_unit_test(test_place),
	cmocka_unit_test(test_remapped),     cmocka_unit_test(test_no_file),
	cmocka_unit_test(test_anonymous),    cmocka_unit_test(test_again),
	cmocka_unit_test(test_changed_file), cmocka_unit_test(test_names),
	cmocka_unit_test(test_deleted),	     cmocka_unit_test(test_shared_memory),
	cmocka_unit_test(test_long_path),    cmocka_unit_test(test_random),
	cmocka_unit_test(test_older_kernel), cmocka_unit_test(test_place),
	cmocka_unit_test(test_remapped),     cmocka_unit_test(test_no_file),
	cmocka_unit_test(test_changed_file), cmocka_unit_test(test_names),
	cmocka_unit_test(test_deleted),	     cmocka_unit_test(test_long_path),
	cmocka_unit_test(test_random),	     cmocka_unit_test(test_many),
};

int main(void)
{
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
