// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A witness for the registers of RISC-V: reads all 64 of them before every instruction, and
 * notes those that are not what they were before the one before it. It decodes no
 * instruction, and shares no code with Waymark.
 *
 * From QEMU 9.0 on registers come from its API, by their places in GDB's descriptions: the
 * first 32 of "...riscv.cpu" are x0 to x31, of "...riscv.fpu" f0 to f31. QEMU 7.2 has them in
 * its CPU state, which is right at the start of blocks only: run it with -singlestep.
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
#define WORD_ECALL 0x73
enum { FIRST_FP = 32, REGISTERS = 64 };

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			       char **argv);

struct site {
	uint64_t pc;
	uint32_t word;
};

struct thread {
	const struct site *before; /* NULL: nothing has run */
	uint64_t begun;
	uint64_t registers[REGISTERS];
};

static struct thread threads[LOG_VCPUS_MAX];

/* ---- registers ----------------------------------------------------------- */

#if QEMU_PLUGIN_API >= 4
static struct qemu_plugin_register *handles[REGISTERS];

/* Those of one description, in its order. */
static void find(const char *feature, struct qemu_plugin_register **to)
{
	GArray *list = qemu_plugin_get_registers();
	unsigned n = 0;

	for (unsigned i = 0; i < list->len && n < FIRST_FP; i++) {
		qemu_plugin_reg_descriptor *it =
			(qemu_plugin_reg_descriptor *)list->data + i;

		if (it->feature && strstr(it->feature, feature))
			to[n++] = it->handle;
	}
	if (n < FIRST_FP)
		abort();
}

static void read_all(const char *state, uint64_t *registers)
{
	static __thread GByteArray *bytes;

	(void)state;
	if (!bytes)
		bytes = g_byte_array_new();
	for (unsigned i = 0; i < REGISTERS; i++) {
		g_byte_array_set_size(bytes, 0);
		if (qemu_plugin_read_register(handles[i], bytes) != 8)
			abort();
		memcpy(&registers[i], bytes->data, 8);
	}
}
#else
static void read_all(const char *state, uint64_t *registers)
{
	memcpy(registers, state, FIRST_FP * 8);
	/* Between them, the upper halves that RV128 has. */
	memcpy(registers + FIRST_FP, state + 2 * FIRST_FP * 8, FIRST_FP * 8);
}
#endif

/* ---- what happens -------------------------------------------------------- */

static void note(unsigned vcpu, unsigned kind, unsigned number, uint64_t value)
{
	const struct thread *thread = &threads[vcpu];
	struct values_entry entry = { .insn = thread->begun - 1,
				      .pc = thread->before ? thread->before->pc : 0,
				      .address = number,
				      .data = { value },
				      .size = 8,
				      .kind = kind };

	log_put(vcpu, &entry);
}

__attribute__((used)) static void insn_with_state(unsigned vcpu, void *cookie,
						  const char *state)
{
	struct thread *thread = &threads[vcpu];
	uint64_t now[REGISTERS];

	read_all(state, now);
	if (thread->before && thread->before->word == WORD_ECALL)
		note(vcpu, VALUES_ENTRY_CALL, 0, 0);
	for (unsigned i = 0; i < REGISTERS; i++)
		if (now[i] != thread->registers[i])
			note(vcpu,
			     thread->before ? VALUES_ENTRY_CHANGED : VALUES_ENTRY_FIRST,
			     i, now[i]);
	memcpy(thread->registers, now, sizeof(now));
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

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
#if QEMU_PLUGIN_API >= 4
	if (!handles[0]) {
		find("riscv.fpu", handles + FIRST_FP);
		find("riscv.cpu", handles);
	}
#endif
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct site *site = calloc(1, sizeof(*site));

		if (!site)
			abort();
		site->pc = qemu_plugin_insn_vaddr(insn);
		insn_copy(insn, &site->word, qemu_plugin_insn_size(insn));
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn,
						       QEMU_PLUGIN_CB_R_REGS, site);
	}
}

static void on_vcpu_init(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
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
	(void)info;
	if (argc != 1 || strncmp(argv[0], "dir=", 4) != 0 ||
	    !log_open(argv[0] + 4, 1u << 23, sizeof(struct values_entry)) ||
	    pthread_atfork(NULL, NULL, forked_child)) {
		perror("witness");
		return -1;
	}
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
