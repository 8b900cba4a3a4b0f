// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callbacks of a block are called in the order QEMU calls them in: those of the block, in
 * the order they were registered in, then those of each instruction before it. Assembly
 * calls them, with the CPU state where QEMU has it (rbp on x86_64, x19 on aarch64).
 *
 * In version 1 of the API the translator's bytes are handed out where they are: 4 of them
 * at least, and behind an instruction of 2 bytes there is anything at all; here it is 0xff.
 */
#include "tests/unit/fake/qemu.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/fake/arguments.h"
#include "tests/unit/fake/registers.h"

enum { BLOCKS_MAX = 64, INSNS_MAX = 64, CALLS_MAX = 8, INSN_ROOM = 16 };

struct callback {
	qemu_plugin_vcpu_udata_cb_t call;
	enum qemu_plugin_cb_flags flags;
	void *udata;
};

struct callbacks {
	struct callback list[CALLS_MAX];
	size_t n;
};

struct mem_callback {
	qemu_plugin_vcpu_mem_cb_t call;
	void *udata;
};

struct qemu_plugin_insn {
	uint64_t address;
	size_t size;
	uint8_t data[INSN_ROOM];
	struct callbacks before;
	struct mem_callback at_access; /* one at most */
};

struct qemu_plugin_tb {
	uint64_t address;
	struct qemu_plugin_insn insns[INSNS_MAX];
	size_t n;
	bool translated;
	struct callbacks at_entry;
	const struct fake_access *accesses; /* [accesses_count] */
	size_t accesses_count;
};

static struct qemu_plugin_tb blocks[BLOCKS_MAX];
static size_t blocks_count;
static unsigned translations;
static const void *cpu_state;
static const struct fake_access *accessed; /* now, else NULL */

static struct {
	qemu_plugin_vcpu_simple_cb_t init, exit, idle;
	qemu_plugin_vcpu_tb_trans_cb_t translate;
	qemu_plugin_vcpu_syscall_cb_t syscall;
	qemu_plugin_vcpu_syscall_ret_cb_t syscall_ret;
	qemu_plugin_vcpu_discon_cb_t discon;
	qemu_plugin_udata_cb_t at_exit;
	void *at_exit_udata;
} hooks;
static qemu_plugin_reset_cb_t reset; /* is due; else NULL */
static bool runs_on;		     /* then it is not yet */

/* ---- the plugin API ------------------------------------------------------ */

void qemu_plugin_register_vcpu_init_cb(
	qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb QEMU_DATA_PARAMETER)
{
	assert(id == ID);
	IS_NO_DATA();
	hooks.init = cb;
}

void qemu_plugin_register_vcpu_exit_cb(
	qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb QEMU_DATA_PARAMETER)
{
	assert(id == ID);
	IS_NO_DATA();
	hooks.exit = cb;
}

void qemu_plugin_register_vcpu_idle_cb(
	qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb QEMU_DATA_PARAMETER)
{
	assert(id == ID);
	IS_NO_DATA();
	hooks.idle = cb;
}

void qemu_plugin_register_flush_cb(qemu_plugin_id_t id,
				   qemu_plugin_simple_cb_t cb QEMU_DATA_PARAMETER)
{
	assert(id == ID && cb);
	IS_NO_DATA();
}

void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t cb,
				    void *udata)
{
	assert(id == ID);
	hooks.at_exit = cb;
	hooks.at_exit_udata = udata;
}

void qemu_plugin_register_vcpu_tb_trans_cb(
	qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t cb QEMU_DATA_PARAMETER)
{
	assert(id == ID);
	IS_NO_DATA();
	hooks.translate = cb;
}

void qemu_plugin_register_vcpu_syscall_cb(
	qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_cb_t cb QEMU_DATA_PARAMETER)
{
	assert(id == ID);
	IS_NO_DATA();
	hooks.syscall = cb;
}

void qemu_plugin_register_vcpu_syscall_ret_cb(
	qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_ret_cb_t cb QEMU_DATA_PARAMETER)
{
	assert(id == ID);
	IS_NO_DATA();
	hooks.syscall_ret = cb;
}

void qemu_plugin_register_vcpu_discon_cb(
	qemu_plugin_id_t id, enum qemu_plugin_discon_type type,
	qemu_plugin_vcpu_discon_cb_t cb QEMU_DATA_PARAMETER)
{
	assert(id == ID && type == QEMU_PLUGIN_DISCON_ALL);
	IS_NO_DATA();
	hooks.discon = cb;
}

static void append(struct callbacks *callbacks, struct callback callback)
{
	assert(callbacks->n < CALLS_MAX);
	callbacks->list[callbacks->n++] = callback;
}

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  qemu_plugin_vcpu_udata_cb_t cb,
					  enum qemu_plugin_cb_flags flags, void *udata)
{
	append(&tb->at_entry, (struct callback){ cb, flags, udata });
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_vcpu_udata_cb_t cb,
					    enum qemu_plugin_cb_flags flags, void *udata)
{
	append(&insn->before, (struct callback){ cb, flags, udata });
}

void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      qemu_plugin_vcpu_mem_cb_t cb,
				      enum qemu_plugin_cb_flags flags,
				      enum qemu_plugin_mem_rw rw, void *udata)
{
	assert(flags == QEMU_PLUGIN_CB_NO_REGS && rw == QEMU_PLUGIN_MEM_RW);
	assert(!insn->at_access.call);
	insn->at_access = (struct mem_callback){ cb, udata };
}

/* Something of QEMU's own is in the numbers, too. */
#define INFO_OTHER 0x50000
#define INFO_STORE 0x100

bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info)
{
	return info & INFO_STORE;
}

unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info)
{
	return info & 7;
}

#if QEMU_PLUGIN_API >= 4
qemu_plugin_mem_value qemu_plugin_mem_get_value(qemu_plugin_meminfo_t info)
{
	qemu_plugin_mem_value value = { .type = info & 7 };

	/* Above what the type says there may be anything. */
	memset(&value.data, 0xff, sizeof(value.data));
	assert(accessed);
	memcpy(&value.data, accessed->data, (size_t)1 << accessed->size);
	return value;
}
#endif

void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_reset_cb_t cb QEMU_DATA_PARAMETER)
{
	assert(id == ID);
	IS_NO_DATA();
	reset = cb;
}

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb)
{
	return tb->n;
}

uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb)
{
	return tb->address;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t idx)
{
	assert(idx < tb->n);
	return (struct qemu_plugin_insn *)&tb->insns[idx];
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn)
{
	return insn->size;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn)
{
	return insn->address;
}

void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn)
{
	return (void *)insn->data;
}

char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *insn)
{
	char *text;

	return asprintf(&text, "text at %lx", (unsigned long)insn->address) < 0 ? NULL :
										  text;
}

#if QEMU_PLUGIN_API >= 3
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t bytes)
{
	size_t n = bytes < insn->size ? bytes : insn->size;

	memcpy(to, insn->data, n);
	return n;
}
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn)
{
	return insn->data;
}
#endif

/* ---- calling with a CPU state -------------------------------------------- */

/* call(vcpu, udata), with `state` in the register in which translated code has it. */
void call_with_state(qemu_plugin_vcpu_udata_cb_t call, unsigned vcpu, void *udata,
		     const void *state);

#if defined(__x86_64__)
__asm__(".pushsection .text\n"
	".globl call_with_state\n"
	".type call_with_state, @function\n"
	"call_with_state:\n"
	"	push %rbp\n"
	"	mov %rdi, %rax\n"
	"	mov %esi, %edi\n"
	"	mov %rdx, %rsi\n"
	"	mov %rcx, %rbp\n"
	"	call *%rax\n"
	"	pop %rbp\n"
	"	ret\n"
	".popsection\n");
#elif defined(__aarch64__)
__asm__(".pushsection .text\n"
	".globl call_with_state\n"
	".type call_with_state, %function\n"
	"call_with_state:\n"
	"	stp x19, x30, [sp, #-16]!\n"
	"	mov x9, x0\n"
	"	mov w0, w1\n"
	"	mov x1, x2\n"
	"	mov x19, x3\n"
	"	blr x9\n"
	"	ldp x19, x30, [sp], #16\n"
	"	ret\n"
	".popsection\n");
#else
void call_with_state(qemu_plugin_vcpu_udata_cb_t call, unsigned vcpu, void *udata,
		     const void *state)
{
	(void)state;
	call(vcpu, udata);
}
#endif

static void call_all(const struct callbacks *callbacks, unsigned vcpu)
{
	for (size_t i = 0; i < callbacks->n; i++) {
		const struct callback *callback = &callbacks->list[i];

		fake_give_registers(callback->flags != QEMU_PLUGIN_CB_NO_REGS);
		call_with_state(callback->call, vcpu, callback->udata, cpu_state);
	}
}

/* ---- blocks -------------------------------------------------------------- */

static struct qemu_plugin_tb *find(uint64_t address)
{
	for (size_t i = 0; i < blocks_count; i++)
		if (blocks[i].address == address)
			return &blocks[i];
	return NULL;
}

/* A nop of RISC-V, of 2 or 4 bytes, unlike the one before. */
static void put_nop(struct qemu_plugin_insn *insn)
{
	static uint32_t number;
	uint32_t addi = 0x13 | (number % 1024 + 1) << 20, c_nop = 1;

	number += insn->size == 4;
	memcpy(insn->data, insn->size == 4 ? &addi : &c_nop, insn->size);
}

void fake_block(uint64_t address, const char *sizes, const void *code)
{
	struct qemu_plugin_tb *tb = find(address);
	const uint8_t *from = code;

	if (!tb) {
		assert(blocks_count < BLOCKS_MAX);
		tb = &blocks[blocks_count++];
	}
	*tb = (struct qemu_plugin_tb){ .address = address };
	for (; *sizes; sizes++) {
		struct qemu_plugin_insn *insn = &tb->insns[tb->n++];

		assert(tb->n < INSNS_MAX);
		insn->address = address;
		insn->size = (size_t)(*sizes - '0');
		memset(insn->data, 0xff, sizeof(insn->data));
		if (from)
			memcpy(insn->data, from, insn->size);
		else
			put_nop(insn);
		from += from ? insn->size : 0;
		address += insn->size;
	}
}

static void throw_away(struct qemu_plugin_tb *tb)
{
	tb->translated = false;
	tb->at_entry.n = 0;
	for (size_t i = 0; i < tb->n; i++) {
		tb->insns[i].before.n = 0;
		tb->insns[i].at_access.call = NULL;
	}
}

/* What was asked for while a block ran. */
static void reset_when_due(void)
{
	qemu_plugin_reset_cb_t then = reset;

	if (!then || runs_on)
		return;
	reset = NULL;
	memset(&hooks, 0, sizeof(hooks));
	for (size_t i = 0; i < blocks_count; i++)
		throw_away(&blocks[i]);
	then RESET_ARGUMENTS;
}

void fake_run_on(bool on)
{
	runs_on = on;
	reset_when_due();
}

static struct qemu_plugin_tb *translate(uint64_t address)
{
	struct qemu_plugin_tb *tb = find(address);

	assert(tb);
	if (!tb->translated && hooks.translate) {
		hooks.translate ARGUMENTS(tb);
		translations++;
	}
	tb->translated = true;
	return tb;
}

static void access(unsigned vcpu, const struct qemu_plugin_insn *insn,
		   const struct fake_access *access)
{
	const struct mem_callback *callback = &insn->at_access;
	qemu_plugin_meminfo_t info = INFO_OTHER | access->size |
				     (access->is_store ? INFO_STORE : 0);

	accessed = access;
	if (callback->call)
		callback->call(vcpu, info, access->address, callback->udata);
	accessed = NULL;
}

static void access_all(unsigned vcpu, const struct qemu_plugin_tb *tb, size_t insn)
{
	for (size_t i = 0; i < tb->accesses_count; i++)
		if (tb->accesses[i].insn == insn)
			access(vcpu, &tb->insns[insn], &tb->accesses[i]);
}

void fake_accesses(uint64_t address, const struct fake_access *list, size_t n)
{
	struct qemu_plugin_tb *tb = find(address);

	assert(tb);
	tb->accesses = list;
	tb->accesses_count = n;
}

void fake_stale(unsigned vcpu, uint64_t address, const struct fake_access *stale)
{
	access(vcpu, &find(address)->insns[stale->insn], stale);
}

void fake_copy_data(uint64_t address, void *to, size_t bytes)
{
	assert(accessed && accessed->address == address);
	assert(bytes == (size_t)1 << accessed->size);
	memcpy(to, accessed->data, bytes);
}

void fake_run_partly(unsigned vcpu, uint64_t address, size_t insns)
{
	struct qemu_plugin_tb *tb;

	reset_when_due(); /* as asked for outside of any block */
	tb = translate(address);
	call_all(&tb->at_entry, vcpu);
	for (size_t i = 0; i < insns && i < tb->n; i++) {
		call_all(&tb->insns[i].before, vcpu);
		if (i + 1 < insns)
			access_all(vcpu, tb, i);
	}
	reset_when_due();
}

void fake_run(unsigned vcpu, uint64_t address)
{
	fake_run_partly(vcpu, address, INSNS_MAX);
}

bool fake_is_bare(uint64_t address)
{
	const struct qemu_plugin_tb *tb;
	size_t n;

	reset_when_due();
	tb = translate(address);
	n = tb->at_entry.n;
	for (size_t i = 0; i < tb->n; i++)
		n += tb->insns[i].before.n + !!tb->insns[i].at_access.call;
	return !n;
}

/* ---- threads and calls --------------------------------------------------- */

void fake_thread_begins(unsigned vcpu)
{
	if (hooks.init)
		hooks.init ARGUMENTS(vcpu);
	reset_when_due();
}

void fake_thread_ends(unsigned vcpu)
{
	if (hooks.exit)
		hooks.exit ARGUMENTS(vcpu);
}

void fake_syscall(unsigned vcpu, int64_t number, const uint64_t a[6], int64_t value)
{
	if (hooks.syscall)
		hooks.syscall ARGUMENTS(vcpu, number, a[0], a[1], a[2], a[3], a[4], a[5],
					0, 0);
	reset_when_due();
	if (hooks.syscall_ret)
		hooks.syscall_ret ARGUMENTS(vcpu, number, value);
	reset_when_due();
}

void fake_exit(void)
{
	if (hooks.at_exit)
		hooks.at_exit EXIT_ARGUMENTS(hooks.at_exit_udata);
}

void fake_discon(unsigned vcpu, enum qemu_plugin_discon_type type, uint64_t from,
		 uint64_t to)
{
	fake_give_registers(true);
	hooks.discon ARGUMENTS(vcpu, type, from, to);
}

void fake_idle(unsigned vcpu)
{
	fake_give_registers(true);
	hooks.idle ARGUMENTS(vcpu);
}

void fake_set_state(const void *state)
{
	cpu_state = state;
}

unsigned fake_translations(void)
{
	return translations;
}
