// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A witness of whole machines, for QEMU 10.2: hashes the address of every instruction that
 * each hart begins. Where a block is entered, QEMU's function for registers gives the
 * program counter, and so the distance of this entry from the address that the block was
 * translated at. It shares no code with Waymark. Which hart it is, QEMU says; with turns=on,
 * when several run in one thread, it does not, and mhartid does.
 * With values=loads, stores or all the accesses to memory are hashed as well, each with the
 * instruction that began last; data=on: with their data. An instruction that QEMU runs alone, because it
 * accesses a device, has begun where it was left.
 *
 * Arguments: out=FILE, made anew, HARTS_MAX times struct harts_seen; list=FILE: the
 * addresses of hart 0 as well, 8 bytes each; accesses=FILE: all accesses, as text, with their
 * hart and, of RISC-V, whether paging is on; turns=on; of a machine that is recorded in part
 * from=ADDRESS@N, to=ADDRESS@N: a window between the times that any hart comes there (insn@N:
 * when a hart has executed N); only=ADDRESS@BYTES: code there alone.
 * at=ADDRESS@ITEMS, several times: values at a place, as accesses (harts-registers.h);
 * ret=ADDRESS, several times: what the function there returns, where it is back, the same way;
 * writes=on: which registers instructions change, with the values.
 */
#include "harts.h"
#include "harts-registers.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plugin/qemu_api.h"

enum { LONG_MODE = 1 << 10, PAGE_BYTES = 4096 };
#define PAGING (UINT64_C(1) << 31)

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			       char **argv);

static struct harts_seen *seen;
static FILE *list;
static struct {
	struct qemu_plugin_register *pc, *id;
	GByteArray *bytes;
	struct qemu_plugin_register *cr0, *efer; /* x86's; NULL: another machine */
	struct qemu_plugin_register *satp;	 /* RISC-V's */
	bool is_arm;
	uint64_t block, high;	/* the kernel's block and instruction that began last */
	bool paged;		/* the block that the hart is in */
	uint64_t distance;	/* of the block that the hart is in */
	uint64_t pc_now;	/* of the instruction that began last */
	bool wanted;		/* it is in what is recorded */
	uint64_t registers[64]; /* as that one found them */
} harts[HARTS_MAX];

static bool kinds[2], data_wanted; /* of accesses: loads, stores */
static FILE *accesses_list;

static bool writes_wanted;
static struct harts_sum unwanted; /* of what is not recorded */

static bool turns;
static unsigned turn; /* the hart whose it is */

/* Ends of the window; times 0: none. */
static struct point {
	uint64_t address, times, reached;
	bool insn; /* the address is a number of instructions */
} opens, closes;
static struct point only; /* at address, that number of bytes; 0: everywhere */
static bool is_open = true;
static uint64_t executed[HARTS_MAX];

static bool reaches(struct point *point, unsigned vcpu, uint64_t pc)
{
	uint64_t now = point->insn ? executed[vcpu] : pc;

	return point->times && now == point->address && ++point->reached == point->times;
}

/* Whether the instruction is in what is recorded. A window ends before it begins. */
static bool is_in_part(unsigned vcpu, uint64_t pc)
{
	if (reaches(&closes, vcpu, pc))
		is_open = false;
	if (reaches(&opens, vcpu, pc))
		is_open = true;
	executed[vcpu]++;
	return is_open && (!only.times || pc - only.address < only.times);
}

static void read_point(struct point *point, const char *text)
{
	const char *at = text ? strchr(text, '@') : NULL;

	if (!at)
		return;
	point->insn = !strncmp(text, "insn", 4);
	point->address = strtoull(point->insn ? at + 1 : text, NULL, 0);
	point->times = point->insn ? 1 : strtoull(at + 1, NULL, 0);
}

static uint64_t read_register(unsigned vcpu, struct qemu_plugin_register *which)
{
	GByteArray *bytes = harts[vcpu].bytes;
	uint64_t value;

	g_byte_array_set_size(bytes, 0);
	if (!(qemu_plugin_read_register(which, bytes) > 0) || bytes->len != sizeof(value))
		abort();
	memcpy(&value, bytes->data, sizeof(value));
	return value;
}

/*
 * x86's program counter counts from the base of a segment, which is 0 in 64-bit mode. Before
 * that, without paging, a block is at one address only. (Paging without 64-bit mode has no
 * segments in what is tested.)
 */
static bool is_moved(unsigned vcpu)
{
	return !harts[vcpu].cr0 || read_register(vcpu, harts[vcpu].efer) & LONG_MODE ||
	       read_register(vcpu, harts[vcpu].cr0) & PAGING;
}

/*
 * QEMU's program counter of an AArch64 hart that runs a program of 32 bits is in the block by which
 * the kernel left for it. Such a program has no code at several addresses here, nor a block at that
 * place of a page: another one there is the kernel's, in a loop.
 */
static bool is_narrow(unsigned vcpu, uint64_t pc, uint64_t address)
{
	return harts[vcpu].is_arm && address <= UINT32_MAX && pc >= harts[vcpu].block &&
	       pc <= harts[vcpu].high && (pc ^ address) % PAGE_BYTES;
}

static void on_block(unsigned vcpu, void *address)
{
	uint64_t pc;

	if (turns)
		vcpu = turn = (unsigned)read_register(0, harts[0].id) % HARTS_MAX;
	harts[vcpu].distance = 0;
	if (is_moved(vcpu)) {
		pc = read_register(vcpu, harts[vcpu].pc);
		if (!is_narrow(vcpu, pc, (uintptr_t)address)) {
			harts[vcpu].block = pc >> 63 ? pc : harts[vcpu].block;
			harts[vcpu].distance = pc - (uintptr_t)address;
		}
	}
	if (accesses_list && harts[vcpu].satp)
		harts[vcpu].paged = read_register(vcpu, harts[vcpu].satp);
	seen[vcpu].before = seen[vcpu].now;
	seen[vcpu].accesses_before = seen[vcpu].accesses;
}

static void on_insn(unsigned vcpu, void *address)
{
	uint64_t pc, before;
	bool was_wanted;

	if (turns)
		vcpu = turn;
	pc = (uintptr_t)address + harts[vcpu].distance;
	before = harts[vcpu].pc_now;
	was_wanted = harts[vcpu].wanted;
	harts[vcpu].pc_now = pc;
	if (pc >> 63)
		harts[vcpu].high = pc;
	harts[vcpu].wanted = is_in_part(vcpu, pc);
	if (writes_wanted && (was_wanted || harts[vcpu].wanted))
		writes_look(before, harts[vcpu].registers, harts[vcpu].bytes,
			    was_wanted ? &seen[vcpu].written : &unwanted);
	if (returns_are_wanted())
		returns_look(pc, vcpu, harts[vcpu].wanted, harts[vcpu].bytes,
			     &seen[vcpu].accesses);
	if (!harts[vcpu].wanted)
		return;
	harts_add(&seen[vcpu].now, pc);
	places_look(pc, harts[vcpu].bytes, &seen[vcpu].accesses);
	if (seen[vcpu].now.insns == 1)
		memcpy(seen[vcpu].registers, harts[vcpu].registers,
		       sizeof(harts[vcpu].registers));
	if (list && !vcpu)
		fwrite(&pc, sizeof(pc), 1, list);
}

static void read_data(qemu_plugin_meminfo_t info, uint64_t data[2])
{
	qemu_plugin_mem_value value = qemu_plugin_mem_get_value(info);

	switch (value.type) {
	case QEMU_PLUGIN_MEM_VALUE_U8:
		data[0] = value.data.u8;
		break;
	case QEMU_PLUGIN_MEM_VALUE_U16:
		data[0] = value.data.u16;
		break;
	case QEMU_PLUGIN_MEM_VALUE_U32:
		data[0] = value.data.u32;
		break;
	case QEMU_PLUGIN_MEM_VALUE_U64:
		data[0] = value.data.u64;
		break;
	case QEMU_PLUGIN_MEM_VALUE_U128:
		data[0] = value.data.u128.low;
		data[1] = value.data.u128.high;
		break;
	}
}

/* A callback of another instruction, which QEMU left in force, has another place in its page. */
static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address,
		      void *insn)
{
	bool is_store = qemu_plugin_mem_is_store(info);
	uint64_t data[2] = { 0 };

	if (turns)
		vcpu = turn;
	if (!harts[vcpu].wanted || !kinds[is_store] ||
	    ((uintptr_t)insn ^ harts[vcpu].pc_now) % PAGE_BYTES)
		return;
	if (data_wanted)
		read_data(info, data);
	harts_add_access(&seen[vcpu].accesses, harts[vcpu].pc_now, address,
			 1u << qemu_plugin_mem_size_shift(info), is_store, data);
	if (accesses_list)
		fprintf(accesses_list, "%u %d %llx %c %llx %u %llx\n", vcpu,
			harts[vcpu].paged, (unsigned long long)harts[vcpu].pc_now,
			is_store ? 'S' : 'L', (unsigned long long)address,
			1u << qemu_plugin_mem_size_shift(info),
			(unsigned long long)data[0]);
}

static void on_translation QEMU_PARAMETERS(struct qemu_plugin_tb *tb)
{
	bool registers_wanted = places_are_wanted() || writes_wanted ||
				returns_are_wanted();

	QEMU_UNUSED();
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_R_REGS,
					     (void *)(uintptr_t)qemu_plugin_tb_vaddr(tb));
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_insn_exec_cb(
			insn, on_insn,
			registers_wanted ? QEMU_PLUGIN_CB_R_REGS : QEMU_PLUGIN_CB_NO_REGS,
			(void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
		if (kinds[0] || kinds[1])
			qemu_plugin_register_vcpu_mem_cb(
				insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
				QEMU_PLUGIN_MEM_RW,
				(void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
	}
}

static void on_vcpu_init QEMU_PARAMETERS(unsigned vcpu)
{
	const GArray *registers = qemu_plugin_get_registers();
	const qemu_plugin_reg_descriptor *all = (const void *)registers->data;

	QEMU_UNUSED();
	if (vcpu >= HARTS_MAX)
		abort();
	harts[vcpu].bytes = g_byte_array_new();
	for (unsigned i = 0; i < registers->len; i++) {
		if (!strcmp(all[i].name, "pc") || !strcmp(all[i].name, "rip"))
			harts[vcpu].pc = all[i].handle;
		if (!strcmp(all[i].name, "cpsr"))
			harts[vcpu].is_arm = true;
		if (!strcmp(all[i].name, "mhartid"))
			harts[vcpu].id = all[i].handle;
		if (!strcmp(all[i].name, "satp"))
			harts[vcpu].satp = all[i].handle;
		if (!strcmp(all[i].name, "cr0"))
			harts[vcpu].cr0 = all[i].handle;
		if (!strcmp(all[i].name, "efer"))
			harts[vcpu].efer = all[i].handle;
	}
	places_find(registers);
	returns_find(registers);
	if (writes_wanted)
		seen[vcpu].watched = writes_find(registers);
	if (!harts[vcpu].pc || (turns && !harts[vcpu].id))
		abort();
}

static void on_exit_in_order QEMU_EXIT_PARAMETERS
{
	QEMU_UNUSED();
	(void)unused_data;
	if (list)
		fflush(list);
	if (accesses_list)
		fflush(accesses_list);
}

static const char *argument(int argc, char **argv, const char *key)
{
	size_t n = strlen(key);

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], key, n) && argv[i][n] == '=')
			return argv[i] + n + 1;
	return NULL;
}

static void read_kinds(const char *wanted)
{
	kinds[0] = wanted && strcmp(wanted, "stores") != 0;
	kinds[1] = wanted && strcmp(wanted, "loads") != 0;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	const char *out = argument(argc, argv, "out"), *to = argument(argc, argv, "list");
	const char *accesses;
	size_t bytes = HARTS_MAX * sizeof(*seen);
	int fd = out ? open(out, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;

	(void)info;
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "at=", 3))
			places_add(argv[i] + 3);
		else if (!strncmp(argv[i], "ret=", 4))
			returns_add(argv[i] + 4);
	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		return -1;
	seen = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	turns = argument(argc, argv, "turns");
	read_kinds(argument(argc, argv, "values"));
	data_wanted = argument(argc, argv, "data");
	writes_wanted = argument(argc, argv, "writes");
	accesses = argument(argc, argv, "accesses");
	accesses_list = accesses ? fopen(accesses, "we") : NULL;
	read_point(&opens, argument(argc, argv, "from"));
	read_point(&closes, argument(argc, argv, "to"));
	read_point(&only, argument(argc, argv, "only"));
	is_open = !opens.times;
	list = to ? fopen(to, "wbe") : NULL;
	if (seen == MAP_FAILED || (to && !list))
		return -1;
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init QEMU_NO_DATA);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation QEMU_NO_DATA);
	qemu_plugin_register_atexit_cb(id, on_exit_in_order, NULL);
	return 0;
}
