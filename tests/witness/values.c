// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A witness for values: notes every load and store of a guest, with the instruction that
 * made it and that one's ordinal in its thread. It shares no code with Waymark.
 *
 * QEMU leaves the memory callbacks of an instruction in force when its block is left early;
 * helpers of later blocks then call them. A callback of each instruction tells which one
 * runs, so a memory callback of another one is known to be stale.
 *
 * Arguments: dir=DIR (an existing folder); kinds=loads, stores or all; data=on; insns=on, to
 * note where instructions begin, too; stale=on, to note stale callbacks; sum=on, to keep a
 * sum for each thread and no list; from=ADDRESS, to=ADDRESS, to register memory callbacks of
 * these instructions only; entries=N, the room in a thread's file; kill=N, to have the process
 * killed by SIGKILL when a thread has begun its N-th instruction.
 *
 * A thread's file begins with an entry of its first instruction, so that a thread without
 * any access has a file, too. With sum=on its one entry is the sum.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "plugin/qemu_api.h"
#include "values.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			       char **argv);

/* An instruction of a translation; lives as long as QEMU may run it. */
struct site {
	uint64_t pc;
	bool atomic; /* it stores what it makes of what it loads, on RISC-V */
};

struct thread {
	const struct site *now; /* the instruction that began last */
	uint64_t begun;
	struct values_sum sum;
};

static struct thread threads[LOG_VCPUS_MAX];
static bool kind_wanted[2] = { true, true };
static bool is_riscv, data_wanted, insns_wanted, stale_wanted, sum_wanted;
static uint64_t kill_at, from, to;

/* ---- data ---------------------------------------------------------------- */

#if QEMU_PLUGIN_API >= 4
/* QEMU gives the operand of an atomic operation; memory has what it stored. */
static void read_stored(uint64_t address, struct values_entry *entry)
{
	static __thread GByteArray *bytes;

	if (!bytes)
		bytes = g_byte_array_new();
	g_byte_array_set_size(bytes, 0);
	if (!qemu_plugin_read_memory_vaddr(address, bytes, entry->size))
		abort();
	memcpy(entry->data, bytes->data, entry->size);
}

static void read_data(qemu_plugin_meminfo_t info, const struct site *site,
		      struct values_entry *entry)
{
	qemu_plugin_mem_value value = qemu_plugin_mem_get_value(info);

	if (site->atomic && entry->kind == VALUES_ENTRY_STORE) {
		read_stored(entry->address, entry);
		return;
	}
	switch (value.type) {
	case QEMU_PLUGIN_MEM_VALUE_U8:
		entry->data[0] = value.data.u8;
		break;
	case QEMU_PLUGIN_MEM_VALUE_U16:
		entry->data[0] = value.data.u16;
		break;
	case QEMU_PLUGIN_MEM_VALUE_U32:
		entry->data[0] = value.data.u32;
		break;
	case QEMU_PLUGIN_MEM_VALUE_U64:
		entry->data[0] = value.data.u64;
		break;
	case QEMU_PLUGIN_MEM_VALUE_U128:
		entry->data[0] = value.data.u128.low;
		entry->data[1] = value.data.u128.high;
		break;
	}
}
#else
/* QEMU's own: the host address of guest address 0. */
extern uint64_t guest_base;

/* What is there right after the access: the same, where nobody else writes. */
static void read_data(qemu_plugin_meminfo_t info, const struct site *site,
		      struct values_entry *entry)
{
	(void)info, (void)site;
	memcpy(entry->data, (const void *)(guest_base + entry->address), entry->size);
}
#endif

/* ---- what happens -------------------------------------------------------- */

static void note(unsigned vcpu, const struct values_entry *entry)
{
	struct thread *thread = &threads[vcpu];

	if (!sum_wanted) {
		log_put(vcpu, entry);
		return;
	}
	if (entry->kind != VALUES_ENTRY_INSN)
		values_add(&thread->sum, entry);
	log_put(vcpu, &thread->sum);
}

static void on_insn(unsigned vcpu, void *cookie)
{
	struct thread *thread = &threads[vcpu];
	struct values_entry entry = { .insn = thread->begun, .kind = VALUES_ENTRY_INSN };

	thread->now = cookie;
	entry.pc = thread->now->pc;
	if (!thread->begun || insns_wanted)
		note(vcpu, &entry);
	if (++thread->begun == kill_at)
		raise(SIGKILL);
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address,
		      void *cookie)
{
	struct thread *thread = &threads[vcpu];
	const struct site *site = cookie;
	struct values_entry entry = {
		.insn = thread->begun - 1,
		.pc = site->pc,
		.address = address,
		.size = 1u << qemu_plugin_mem_size_shift(info),
		.kind = qemu_plugin_mem_is_store(info) ? VALUES_ENTRY_STORE :
							 VALUES_ENTRY_LOAD,
	};

	if (thread->now != site) {
		entry.kind = VALUES_ENTRY_STALE;
		if (stale_wanted)
			note(vcpu, &entry);
		return;
	}
	if (!kind_wanted[entry.kind])
		return;
	if (data_wanted)
		read_data(info, site, &entry);
	note(vcpu, &entry);
}

/* Opcode AMO, but load-reserved and store-conditional. */
static bool is_atomic(struct qemu_plugin_insn *insn)
{
	uint32_t word = 0;

	if (insn_copy_riscv(insn, (uint8_t *)&word) != sizeof(word))
		return false;
	return (word & 0x7f) == 0x2f && word >> 28 != 1;
}

static void on_translation QEMU_PARAMETERS(struct qemu_plugin_tb *tb)
{
	QEMU_UNUSED();
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct site *site = malloc(sizeof(*site));

		if (!site)
			abort();
		site->pc = qemu_plugin_insn_vaddr(insn);
		site->atomic = is_riscv && is_atomic(insn);
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_insn,
						       QEMU_PLUGIN_CB_NO_REGS, site);
		if (site->pc >= from && site->pc < to)
			qemu_plugin_register_vcpu_mem_cb(insn, on_access,
							 QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_RW, site);
	}
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

/* ---- arguments ----------------------------------------------------------- */

/* The value of argument `key`, or the fallback. */
static const char *argument(int argc, char **argv, const char *key, const char *fallback)
{
	size_t n = strlen(key);

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], key, n) && argv[i][n] == '=')
			return argv[i] + n + 1;
	return fallback;
}

static uint64_t number(int argc, char **argv, const char *key, const char *fallback)
{
	return strtoull(argument(argc, argv, key, fallback), NULL, 0);
}

static bool is_on(int argc, char **argv, const char *key)
{
	return !strcmp(argument(argc, argv, key, "off"), "on");
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	const char *kinds = argument(argc, argv, "kinds", "all");

	is_riscv = !strncmp(info->target_name, "riscv", 5);
	kind_wanted[VALUES_ENTRY_LOAD] = strcmp(kinds, "stores") != 0;
	kind_wanted[VALUES_ENTRY_STORE] = strcmp(kinds, "loads") != 0;
	data_wanted = is_on(argc, argv, "data");
	insns_wanted = is_on(argc, argv, "insns");
	stale_wanted = is_on(argc, argv, "stale");
	sum_wanted = is_on(argc, argv, "sum");
	kill_at = number(argc, argv, "kill", "0");
	from = number(argc, argv, "from", "0");
	to = number(argc, argv, "to", "0xffffffffffffffff");
	if (!log_open(argument(argc, argv, "dir", "."),
		      sum_wanted ? 1 : number(argc, argv, "entries", "16777216"),
		      sum_wanted ? sizeof(struct values_sum) :
				   sizeof(struct values_entry)) ||
	    pthread_atfork(NULL, NULL, forked_child)) {
		perror("witness");
		return -1;
	}
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init QEMU_NO_DATA);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation QEMU_NO_DATA);
	return 0;
}
