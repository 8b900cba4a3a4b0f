// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The linker gives every allocation of the library to the functions here (--wrap in
 * meson.build). They count, and the one whose turn it is fails. See exhaust.h.
 */
#include "tests/unit/exhaust.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zstd.h>

#include <cmocka.h>

#include "waymark.h"

static struct {
	unsigned count;	  /* allocations since the scenario began */
	unsigned fail_at; /* which one fails; 0: none */
	bool onward;	  /* and all after it */
	long live;	  /* pieces not freed yet */
	long mapped;	  /* bytes not unmapped yet */
} memory;

static bool fails(void)
{
	memory.count++;
	return memory.fail_at && (memory.count == memory.fail_at ||
				  (memory.onward && memory.count > memory.fail_at));
}

static void *note(void *piece)
{
	memory.live += piece != NULL;
	return piece;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__real_reallocarray(void *old, size_t n, size_t bytes);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t most);
void __real_free(void *piece);
int __real_munmap(void *at, size_t bytes);
ZSTD_CCtx *__real_ZSTD_createCCtx(void);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_reallocarray(void *old, size_t n, size_t bytes);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t most);
int __wrap_asprintf(char **text, const char *format, ...);
void __wrap_free(void *piece);
void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t off);
void *__wrap_mmap64(void *at, size_t bytes, int prot, int flags, int fd, off_t off);
int __wrap_munmap(void *at, size_t bytes);
ZSTD_CCtx *__wrap_ZSTD_createCCtx(void);

void *__wrap_malloc(size_t bytes)
{
	return fails() ? NULL : note(__real_malloc(bytes));
}

void *__wrap_calloc(size_t n, size_t bytes)
{
	return fails() ? NULL : note(__real_calloc(n, bytes));
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	return fails() ? NULL : note(__real_aligned_alloc(alignment, bytes));
}

void *__wrap_realloc(void *old, size_t bytes)
{
	if (fails())
		return NULL;
	return old ? __real_realloc(old, bytes) : note(__real_realloc(old, bytes));
}

void *__wrap_reallocarray(void *old, size_t n, size_t bytes)
{
	if (fails())
		return NULL;
	return old ? __real_reallocarray(old, n, bytes) :
		     note(__real_reallocarray(old, n, bytes));
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : note(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t most)
{
	return fails() ? NULL : note(__real_strndup(text, most));
}

int __wrap_asprintf(char **text, const char *format, ...)
{
	va_list args;
	int n;

	if (fails())
		return -1;
	va_start(args, format);
	n = vasprintf(text, format, args);
	va_end(args);
	memory.live += n >= 0;
	return n;
}

void __wrap_free(void *piece)
{
	memory.live -= piece != NULL;
	__real_free(piece);
}

void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t off)
{
	long got = fails() ? -1 : syscall(SYS_mmap, at, bytes, prot, flags, fd, off);

	if (got != -1)
		memory.mapped += (long)bytes;
	return (void *)got; /* MAP_FAILED is -1 */
}

/* What mmap() is called with _FILE_OFFSET_BITS=64. */
void *__wrap_mmap64(void *at, size_t bytes, int prot, int flags, int fd, off_t off)
{
	return __wrap_mmap(at, bytes, prot, flags, fd, off);
}

int __wrap_munmap(void *at, size_t bytes)
{
	memory.mapped -= (long)bytes;
	return __real_munmap(at, bytes);
}

ZSTD_CCtx *__wrap_ZSTD_createCCtx(void)
{
	return fails() ? NULL : __real_ZSTD_createCCtx();
}

void exhaust(int (*scenario)(void), void (*check)(void))
{
	for (unsigned onward = 0; onward < 2; onward++) {
		for (unsigned n = 1;; n++) {
			long live = memory.live, mapped = memory.mapped;
			unsigned count;
			int ret;

			memory.count = 0;
			memory.fail_at = n;
			memory.onward = onward;
			ret = scenario();
			count = memory.count;
			memory.fail_at = 0;
			assert_int_equal(memory.live, live);
			assert_int_equal(memory.mapped, mapped);
			assert_true(ret == 0 || ret == WM_E_NOMEM);
			if (!ret && check)
				check();
			if (count < n) {
				assert_int_equal(ret, 0);
				break;
			}
		}
	}
}

bool exhaust_onward(void)
{
	return memory.onward;
}
