// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code that is replaced under the address where it ran: by a device, which writes other code
 * there without an instruction of a hart; by another address space; by a large page over small
 * ones; and by a reset, after which all of it runs again. Each call's result says which version
 * of the code ran; the machine's exit status is 0 when all were right.
 *
 * For qemu-system-riscv64 -M virt -m 64 -bios none with a virtio-blk-device that has
 * replaced-code.S.
 */
#include <stdint.h>

enum { PAGE = 4096, SECTOR = 512, CODE = 2 * PAGE, SECOND = PAGE - 6, VERSIONS = 5 };
enum { LARGE_PAGE = 2 << 20, ENTRIES = PAGE / 8, RUNS = 3 };

/* What QEMU's test device does. */
enum { ENDS = 0x5555, FAILS = 0x3333, RESETS = 0x7777 };
static volatile uint32_t *const test_device = (uint32_t *)0x100000;

/* Behind the program, so a reset leaves it. */
static volatile uint32_t *const runs = (uint32_t *)0x83000000;

int64_t in_supervisor(uint64_t address);
void finish(int failed);
void run(void);

static void check(int64_t result, int64_t expected)
{
	if (result != expected)
		finish(1);
}

void finish(int failed)
{
	uint32_t order = ENDS;

	*runs += 1;
	if (failed)
		order = 1u << 16 | FAILS;
	else if (*runs < RUNS)
		order = RESETS;
	for (;;)
		*test_device = order;
}

/* ---- the disk, as the specification of virtio 1.2 has it: 2.7, 4.2.2, 5.2.6 ------------- */

enum { SLOT_BYTES = 0x1000, SLOTS = 8, BLOCK_DEVICE = 2, QUEUE = 8 };
enum { NEXT = 1, DEVICE_WRITES = 2 };
enum { ACKNOWLEDGED = 1, DRIVER = 2, DRIVER_OK = 4, FEATURES_OK = 8 };
enum {
	DEVICE_ID = 0x8,
	DRIVER_FEATURES = 0x20,
	FEATURES_HALF = 0x24,
	QUEUE_SIZE = 0x38,
	QUEUE_READY = 0x44,
	NOTIFY = 0x50,
	STATUS = 0x70,
	DESCRIPTORS = 0x80,
	AVAILABLE = 0x90,
	USED = 0xa0,
};

static uint64_t disk; /* its registers */
static struct {
	uint64_t address;
	uint32_t bytes;
	uint16_t flags, next;
} descriptors[QUEUE] __attribute__((aligned(PAGE)));
static struct {
	uint16_t flags, index, ring[QUEUE], event;
} available __attribute__((aligned(PAGE)));
static volatile struct {
	uint16_t flags, index;
	struct {
		uint32_t id, bytes;
	} ring[QUEUE];
	uint16_t event;
} used __attribute__((aligned(PAGE)));
static struct {
	uint32_t type, reserved;
	uint64_t sector;
} request;
static volatile uint8_t request_status;

static volatile uint32_t *disk_register(uint64_t offset)
{
	return (volatile uint32_t *)(disk + offset);
}

static void set_address(uint64_t offset, volatile void *to)
{
	*disk_register(offset) = (uint32_t)(uintptr_t)to;
	*disk_register(offset + 4) = 0;
}

static void open_disk(void)
{
	unsigned slot = 1;

	do {
		disk = 0x10000000 + SLOT_BYTES * slot;
	} while (*disk_register(DEVICE_ID) != BLOCK_DEVICE && ++slot <= SLOTS);
	/* A reset leaves what is no part of the program's file. */
	available.index = used.index = 0;
	*disk_register(STATUS) = 0;
	*disk_register(STATUS) = ACKNOWLEDGED | DRIVER;
	*disk_register(FEATURES_HALF) = 1;
	*disk_register(DRIVER_FEATURES) = 1; /* version 1 */
	*disk_register(STATUS) = ACKNOWLEDGED | DRIVER | FEATURES_OK;
	*disk_register(QUEUE_SIZE) = QUEUE;
	set_address(DESCRIPTORS, descriptors);
	set_address(AVAILABLE, &available);
	set_address(USED, &used);
	*disk_register(QUEUE_READY) = 1;
	*disk_register(STATUS) = ACKNOWLEDGED | DRIVER | FEATURES_OK | DRIVER_OK;
}

static void describe(unsigned i, volatile void *what, uint32_t bytes, uint16_t flags)
{
	descriptors[i].address = (uintptr_t)what;
	descriptors[i].bytes = bytes;
	descriptors[i].flags = flags;
	descriptors[i].next = (uint16_t)(i + 1);
}

/* Page `page` of a version and those behind it, n in all. */
static void read_code(void *to, unsigned version, unsigned page, unsigned n)
{
	uint16_t before = used.index;

	request.sector = (uint64_t)(version * CODE + page * PAGE) / SECTOR;
	describe(0, &request, sizeof(request), NEXT);
	describe(1, to, n * PAGE, NEXT | DEVICE_WRITES);
	describe(2, &request_status, 1, DEVICE_WRITES);
	available.ring[available.index % QUEUE] = 0;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	available.index++;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*disk_register(NOTIFY) = 0;
	while (used.index == before)
		;
	__asm__ volatile("fence rw, rw; fence.i" ::: "memory");
}

/* ---- the code --------------------------------------------------------------------------- */

static uint8_t code[2][CODE] __attribute__((aligned(PAGE)));
static uint8_t large[2][LARGE_PAGE] __attribute__((aligned(LARGE_PAGE)));

static int64_t second_result(unsigned first_page, unsigned second_page)
{
	return first_page + 100 * second_page + 100;
}

static int64_t call(uint8_t *address)
{
	return ((int64_t(*)(void))address)();
}

static void by_device(void)
{
	for (unsigned i = 0; i < 60; i++) {
		unsigned version = i % VERSIONS, other = (i + 1) % VERSIONS;

		read_code(code[0], version, 0, 2);
		check(call(code[0]), version);
		check(call(code[0] + SECOND), second_result(version, version));
		read_code(code[0] + PAGE, other, 1, 1);
		check(call(code[0] + SECOND), second_result(version, other));
	}
}

/* ---- address spaces (Sv39) -------------------------------------------------------------- */

/* Of entries: valid; with all rights but the user's, accessed and dirty. */
enum { LINK = 1, LEAF = 0xcf };
#define TRANSLATED 0x40000000ull
#define SV39 (8ull << 60)
#define RAM 0x80000000ull

static uint64_t tables[2][3][ENTRIES] __attribute__((aligned(PAGE)));

static uint64_t entry(const void *page, uint64_t bits)
{
	return (uint64_t)(uintptr_t)page >> 2 | bits;
}

/* Pages 0 and 1 at TRANSLATED are the space's own code; RAM is where it is. */
static void make_space(unsigned space)
{
	uint64_t(*levels)[ENTRIES] = tables[space];

	levels[0][RAM >> 30] = entry((void *)RAM, LEAF);
	levels[0][TRANSLATED >> 30] = entry(levels[1], LINK);
	levels[1][0] = entry(levels[2], LINK);
	levels[2][0] = entry(code[space], LEAF);
	levels[2][1] = entry(code[space] + PAGE, LEAF);
}

/* Without a fence: the spaces have numbers of their own. */
static void enter(unsigned space)
{
	uint64_t satp = SV39 | (uint64_t)space << 44 | (uintptr_t)tables[space] / PAGE;

	__asm__ volatile("csrw satp, %0" ::"r"(satp) : "memory");
}

static void forget_translations(void)
{
	__asm__ volatile("sfence.vma" ::: "memory");
}

static void check_space(unsigned first_page, unsigned second_page)
{
	check(in_supervisor(TRANSLATED), first_page);
	check(in_supervisor(TRANSLATED + SECOND), second_result(first_page, second_page));
}

static void by_address_space(void)
{
	for (unsigned i = 0; i < 60; i++) {
		unsigned space = i % 2, version = i % VERSIONS;
		uint64_t(*levels)[ENTRIES] = tables[space];

		enter(space);
		check_space(space, space);
		levels[1][0] = entry(large[space], LEAF);
		forget_translations();
		check_space(2 + space, 2 + space);
		levels[1][0] = entry(levels[2], LINK);
		levels[2][1] = entry(code[!space] + PAGE, LEAF);
		forget_translations();
		check_space(space, !space);
		levels[2][1] = entry(code[space] + PAGE, LEAF);
		forget_translations();
		read_code(code[space], version, 0, 2);
		check_space(version, version);
		read_code(code[space], space, 0, 2);
	}
	__asm__ volatile("csrw satp, zero" ::: "memory");
}

void run(void)
{
	open_disk();
	by_device();
	/* Supervisor mode may access everything. */
	__asm__ volatile("csrw pmpaddr0, %0; csrw pmpcfg0, %1" ::"r"(-1ull), "r"(0x1f));
	for (unsigned space = 0; space < 2; space++) {
		read_code(code[space], space, 0, 2);
		read_code(large[space], 2 + space, 0, 2);
		make_space(space);
	}
	forget_translations();
	by_address_space();
	finish(0);
}
