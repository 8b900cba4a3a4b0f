// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program of a machine that maps other code where it had some: two libraries, code of its own
 * making, and the first library again. Between them nothing is there. Before each call it
 * prints what its kernel says of the place, "REMAP START-END FILE".
 *
 * usage: remap FIRST SECOND
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PLACE ((char *)0x2000000000)

enum { BYTES = 0x1000, ENTRY_AT = 24 /* of an ELF header: where its only function is */ };

static void print_map(void)
{
	char line[256], file[128];
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;

	while (maps && fgets(line, sizeof(line), maps)) {
		*file = 0;
		if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %127s", &start, &end, file) >= 2 &&
		    start == (uintptr_t)PLACE)
			printf("REMAP 0x%lx-0x%lx %s\n", start, end, file);
	}
	if (maps)
		fclose(maps);
}

static void run(unsigned rounds)
{
	uint64_t entry;
	void (*function)(unsigned);

	memcpy(&entry, PLACE + ENTRY_AT, sizeof(entry));
	function = (void (*)(unsigned))(PLACE + entry);
	print_map();
	__builtin___clear_cache(PLACE, PLACE + BYTES);
	function(rounds);
	munmap(PLACE, BYTES);
}

static void map(const char *path)
{
	int fd = open(path, O_RDONLY);

	mmap(PLACE, BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0);
}

/* A loop of two instructions, so 2 * rounds + 2 of them: sub, bnez; and before them nop, ret. */
static void make_code(void)
{
	static const uint16_t code[] = { 0x0001, 0x157d, 0xfd7d, 0x8082 };
	uint64_t entry = 0x40;

	mmap(PLACE, BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	memcpy(PLACE + ENTRY_AT, &entry, sizeof(entry));
	memcpy(PLACE + entry, code, sizeof(code));
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	map(argv[1]);
	run(1000);
	map(argv[2]);
	run(2000);
	make_code();
	run(5000);
	map(argv[1]);
	run(10000);
	return 0;
}
