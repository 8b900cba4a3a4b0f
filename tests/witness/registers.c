// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A witness for registers: reads all of them before every instruction, and notes those that
 * are not what they were before the one before it. It decodes no instruction, and shares no
 * code with Waymark.
 *
 * From QEMU 9.0 on registers come from its API, by their places in GDB's descriptions: the
 * first 32 of "...riscv.cpu" are x0 to x31, of "...riscv.fpu" f0 to f31. Each number stands
 * for 128 bits at most. QEMU 7.2 has them in
 * its CPU state, which is right at the start of blocks only: run it with -singlestep; there
 * it knows RISC-V's x and f alone.
 *
 * Argument: dir=DIR (an existing folder).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "plugin/qemu_api.h"
#include "values.h"

#define EXPORT __attribute__((visibility("default")))
enum { FIRST_FP = 32, FIRST_LONG = 128, PARTS = 16, REGISTERS = FIRST_LONG + 49 * PARTS };

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			       char **argv);

struct site {
	uint64_t pc;
};

struct thread {
	const struct site *before; /* NULL: nothing has run */
	bool called;		   /* the kernel since then */
	uint64_t begun;
	uint64_t registers[REGISTERS][2];
};

static char target[32];
static unsigned used = FIRST_LONG; /* numbers, from 0 on, that anything has */
static struct thread threads[LOG_VCPUS_MAX];

/* ---- registers ----------------------------------------------------------- */

#if QEMU_PLUGIN_API >= 4
/*
 * Numbers of registers from `to` on: the first n of a description, or those of a list. What
 * they have above 128 bits has numbers after FIRST_LONG, from the `longer`-th register on.
 */
static const struct part {
	const char *target, *feature, *names;
	unsigned n, to, longer;
} parts[] = {
	{ "riscv64", "riscv.cpu", NULL, 32, 0, 0 },
	{ "riscv64", "riscv.fpu", NULL, 32, FIRST_FP, 0 },
	{ "riscv64", "riscv.csr", "fflags frm vxsat vxrm vstart vl vtype", 7, 64, 0 },
	{ "riscv64", "riscv.vector", NULL, 32, 96, 0 },
	{ "aarch64", "aarch64.core", NULL, 32, 0, 0 },
	{ "aarch64", "aarch64.core", "cpsr", 1, 64, 0 },
	{ "aarch64", "aarch64.fpu", NULL, 32, FIRST_FP, 0 },
	{ "aarch64", "aarch64.fpu", "fpcr fpsr", 2, 65, 0 },
	{ "aarch64", "aarch64.sve", NULL, 32, FIRST_FP, 0 },
	{ "aarch64", "aarch64.sve", "fpcr fpsr", 2, 65, 0 },
	{ "aarch64", "aarch64.sve",
	  "p0 p1 p2 p3 p4 p5 p6 p7 p8 p9 p10 p11 p12 p13 p14 p15 ffr", 17, 96, 32 },
	{ "x86_64", "i386.core", NULL, 16, 0, 0 },
	{ "x86_64", "i386.core",
	  "xmm0 xmm1 xmm2 xmm3 xmm4 xmm5 xmm6 xmm7 xmm8 xmm9 xmm10 xmm11 xmm12 xmm13 "
	  "xmm14 xmm15",
	  16, FIRST_FP, 0 },
	{ "x86_64", "i386.core", "fctrl fstat mxcsr", 3, 64, 0 },
	{ "x86_64", "i386.core", "st0 st1 st2 st3 st4 st5 st6 st7", 8, 96, 0 },
};

static struct {
	const qemu_plugin_reg_descriptor *of; /* NULL: not there */
	unsigned beyond;		      /* number of its bits 128 to 255 */
	bool flags;			      /* no more than these are of user mode */
} known[FIRST_LONG];

/* Which of the part's registers has that name, the place'th; `n` if none. */
static unsigned place_of(const struct part *part, const char *name, unsigned place)
{
	const char *at = part->names;
	size_t length = strlen(name);

	for (place = at ? 0 : place; at && place < part->n; place++, at++) {
		if (!strncmp(at, name, length) && (at[length] == ' ' || !at[length]))
			break;
		at += strcspn(at, " ");
	}
	return place;
}

static void find(const struct part *part)
{
	GArray *list = qemu_plugin_get_registers();
	unsigned n = 0;

	for (unsigned i = 0; i < list->len; i++) {
		qemu_plugin_reg_descriptor *it =
			(qemu_plugin_reg_descriptor *)list->data + i;
		unsigned place = it->feature && strstr(it->feature, part->feature) ?
					 place_of(part, it->name, n++) :
					 part->n;

		if (place >= part->n)
			continue;
		known[part->to + place].of = it;
		known[part->to + place].beyond =
			FIRST_LONG + (part->longer + place) * PARTS + 1;
		known[part->to + place].flags = !strcmp(it->name, "cpsr");
	}
	/* A CPU has vectors or SVE, or none. */
	if (part->to < FIRST_FP && !known[part->to + part->n - 1].of)
		abort();
}

static void find_all(void)
{
	static bool found;

	for (size_t i = 0; !found && i < sizeof(parts) / sizeof(*parts); i++)
		if (!strcmp(target, parts[i].target))
			find(&parts[i]);
	found = true;
}

/* The bytes of a register, 16 to each of its numbers. */
static void spread(uint64_t registers[REGISTERS][2], unsigned number,
		   const GByteArray *bytes)
{
	unsigned left = bytes->len, to = number;

	for (unsigned from = 0; left; from += 16) {
		unsigned n = left < 16 ? left : 16;

		memcpy(registers[to], bytes->data + from, n);
		used = to < used ? used : to + 1;
		to = from ? to + 1 : known[number].beyond;
		left -= n;
	}
	if (known[number].flags)
		registers[number][0] &= 0xf0000000;
}

static void read_all(const char *state, uint64_t registers[REGISTERS][2])
{
	static __thread GByteArray *bytes;

	(void)state;
	if (!bytes)
		bytes = g_byte_array_new();
	memset(registers, 0, used * sizeof(*registers));
	for (unsigned i = 0; i < FIRST_LONG; i++) {
		if (!known[i].of)
			continue;
		g_byte_array_set_size(bytes, 0);
		if (!(qemu_plugin_read_register(known[i].of->handle, bytes) > 0) ||
		    bytes->len < 4)
			abort();
		spread(registers, i, bytes);
	}
}
#else
static void find_all(void)
{
}

static void read_all(const char *state, uint64_t registers[REGISTERS][2])
{
	memset(registers, 0, FIRST_LONG * sizeof(*registers));
	/* Between the two, the upper halves that RV128 has. */
	for (unsigned i = 0; i < FIRST_FP; i++) {
		memcpy(registers[i], state + i * 8, 8);
		memcpy(registers[FIRST_FP + i], state + (2 * FIRST_FP + i) * 8, 8);
	}
}
#endif

/* ---- what happens -------------------------------------------------------- */

static void note(unsigned vcpu, unsigned kind, unsigned number, const uint64_t value[2])
{
	const struct thread *thread = &threads[vcpu];
	struct values_entry entry = { .insn = thread->begun - 1,
				      .pc = thread->before ? thread->before->pc : 0,
				      .address = number,
				      .data = { value[0], value[1] },
				      .size = value[1] ? 16 : 8,
				      .kind = kind };

	log_put(vcpu, &entry);
}

__attribute__((used)) static void insn_with_state(unsigned vcpu, void *cookie,
						  const char *state)
{
	struct thread *thread = &threads[vcpu];
	static __thread uint64_t now[REGISTERS][2];
	uint64_t none[2] = { 0 };

	read_all(state, now);
	if (thread->before && thread->called)
		note(vcpu, VALUES_ENTRY_CALL, 0, none);
	thread->called = false;
	for (unsigned i = 0; i < used; i++)
		if (memcmp(now[i], thread->registers[i], sizeof(now[i])) != 0)
			note(vcpu,
			     thread->before ? VALUES_ENTRY_CHANGED : VALUES_ENTRY_FIRST,
			     i, now[i]);
	memcpy(thread->registers, now, used * sizeof(*now));
	thread->before = cookie;
	thread->begun++;
}

/* QEMU's CPU state is in the register in which translated code has it. */
void on_insn(unsigned vcpu, void *cookie);
#if defined(__x86_64__)
__asm__(".text\n"
	".type on_insn, @function\n"
	"on_insn:\n"
	"	mov %rbp, %rdx\n"
	"	jmp insn_with_state\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".type on_insn, %function\n"
	"on_insn:\n"
	"	mov x2, x19\n"
	"	b insn_with_state\n");
#endif

static void on_translation QEMU_PARAMETERS(struct qemu_plugin_tb *tb)
{
	QEMU_UNUSED();
	find_all();
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct site *site = calloc(1, sizeof(*site));

		if (!site)
			abort();
		site->pc = qemu_plugin_insn_vaddr(insn);
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn,
						       QEMU_PLUGIN_CB_R_REGS, site);
	}
}

static void on_syscall QEMU_PARAMETERS(unsigned vcpu, int64_t number, uint64_t a1,
				       uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
				       uint64_t a6, uint64_t a7, uint64_t a8)
{
	QEMU_UNUSED();
	(void)number, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5;
	(void)a6, (void)a7, (void)a8;
	threads[vcpu].called = true;
}

static void on_vcpu_init QEMU_PARAMETERS(unsigned vcpu)
{
	QEMU_UNUSED();
	log_thread(vcpu);
	memset(&threads[vcpu], 0, sizeof(threads[vcpu]));
}

/* A child is a process of its own, which begins to count. */
static void forked_child(void)
{
	memset(threads, 0, sizeof(threads));
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	snprintf(target, sizeof(target), "%s", info->target_name);
	if (argc != 1 || strncmp(argv[0], "dir=", 4) != 0 ||
	    !log_open(argv[0] + 4, 1u << 23, sizeof(struct values_entry)) ||
	    pthread_atfork(NULL, NULL, forked_child)) {
		perror("witness");
		return -1;
	}
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init QEMU_NO_DATA);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall QEMU_NO_DATA);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation QEMU_NO_DATA);
	return 0;
}
