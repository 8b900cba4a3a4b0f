// SPDX-License-Identifier: GPL-2.0-or-later
// A compiler in small that lists its code as a jitdump, whose name is gone before it has
// mapped it, and in a child as a map at /tmp/perf-PID.map: two functions at one place, one
// after the other, and a third that has lines.

#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ADDI(imm) (0x00050513u | (uint32_t)(imm) << 20) /* addi a0, a0, imm */
#define BNEZ_BACK 0xfe051ee3u				/* bnez a0, -4 */
#define RET 0x00008067u

typedef long (*code_fn)(long);

static FILE *dump, *map;
static uint32_t *memory;

static void put32(uint32_t value)
{
	fwrite(&value, sizeof(value), 1, dump);
}

static void put64(uint64_t value)
{
	fwrite(&value, sizeof(value), 1, dump);
}

static void put_record(uint32_t kind, uint32_t bytes)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	put32(kind);
	put32(bytes + 16);
	put64((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
}

/* The file of a jitdump, mapped as perf wants it. */
static int open_dump(void)
{
	char name[64];
	void *mark;

	snprintf(name, sizeof(name), "jit-%d.dump", (int)getpid());
	dump = fopen(name, "w+");
	if (!dump)
		return -1;
	unlink(name);
	mark = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0);
	put32(0x4a695444);
	put32(1);
	put32(40);
	put32(243);
	put32(0);
	put32((uint32_t)getpid());
	put64(0);
	put64(0);
	return mark == MAP_FAILED ? -1 : 0;
}

/* Two lines: of the loop, and of the return. */
static void list_lines(const uint32_t *at, const char *file)
{
	put_record(2, 16 + 16 + (uint32_t)strlen(file) + 1 + 16 + 2);
	put64((uintptr_t)at);
	put64(2);
	put64((uintptr_t)at);
	put32(7);
	put32(0);
	fwrite(file, strlen(file) + 1, 1, dump);
	put64((uintptr_t)at + 8);
	put32(9);
	put32(0);
	fwrite("\xff", 2, 1, dump); /* the same file */
}

static void list(const uint32_t *at, const uint32_t *code, size_t bytes, const char *name)
{
	if (map) {
		fprintf(map, "%" PRIxPTR " %zx %s\n", (uintptr_t)at, bytes, name);
		return;
	}
	put_record(0, 40 + (uint32_t)strlen(name) + 1 + (uint32_t)bytes);
	put32((uint32_t)getpid());
	put32((uint32_t)getpid());
	put64((uintptr_t)at);
	put64((uintptr_t)at);
	put64(bytes);
	put64(0);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite(code, bytes, 1, dump);
}

/* A loop that counts a0 down by `step`. */
static code_fn generate(uint32_t *at, int step, const char *name)
{
	uint32_t code[] = { ADDI(-step & 0xfff), BNEZ_BACK, RET };

	memcpy(at, code, sizeof(code));
	__asm__ volatile("fence.i" ::: "memory");
	list(at, code, sizeof(code), name);
	return (code_fn)(uintptr_t)at;
}

static int child(void)
{
	char name[64];

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(name, "w");
	return !map || generate(memory + 64, 5, "of the child")(500) || fclose(map);
}

int main(void)
{
	int status = 0;
	pid_t pid;
	long left;

	memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || open_dump())
		return 1;
	left = generate(memory, 2, "first")(200);
	left += generate(memory, 4, "second /a/b.js:12:3")(400);
	list_lines(memory + 32, "/a/lines.js");
	left += generate(memory + 32, 1, "third")(100);
	fflush(dump);
	pid = fork();
	if (!pid)
		_exit(child());
	return left != 0 || waitpid(pid, &status, 0) != pid || status || fclose(dump);
}
