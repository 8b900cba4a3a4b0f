/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this plugin uses of QEMU's plugin API, declared from QEMU's documentation so that
 * no QEMU source is needed. The functions are QEMU's and are found when it loads the
 * plugin.
 *
 * QEMU_PLUGIN_API is the version of the API to build for. QEMU takes a range of them, and
 * refuses the others: 7.2 those up to 1, 9.2 and 10.0 those from 2 to 4, 10.2 from 2 to
 * 5, 11.1 version 7 alone. What differs between them is here, so that the source has no
 * conditions.
 */
#ifndef PLUGIN_QEMU_API_H
#define PLUGIN_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef QEMU_PLUGIN_API
#define QEMU_PLUGIN_API 1
#endif

typedef uint64_t qemu_plugin_id_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;

typedef struct {
	const char *target_name; /* "riscv64" */
	struct {
		int min, cur; /* plugin API versions this QEMU takes */
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus; /* only when system_emulation */
	} system;
} qemu_info_t;

/* Of one access to memory. */
typedef uint32_t qemu_plugin_meminfo_t;

enum qemu_plugin_mem_rw {
	QEMU_PLUGIN_MEM_R = 1,
	QEMU_PLUGIN_MEM_W,
	QEMU_PLUGIN_MEM_RW,
};

enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS,
	QEMU_PLUGIN_CB_R_REGS,
	QEMU_PLUGIN_CB_RW_REGS,
};

/*
 * Callbacks of the plugin as a whole (plugin/core/callbacks.h). QEMU_PARAMETERS() are those
 * of one, QEMU_UNUSED() uses the one among them that the plugin does not need, and
 * QEMU_NO_DATA follows the function where it is registered.
 */
#if QEMU_PLUGIN_API >= 7
#define QEMU_PARAMETERS(...) (__VA_ARGS__, void *unused_data)
#define QEMU_RESET_PARAMETERS (void *unused_data)
#define QEMU_EXIT_PARAMETERS (void *unused_data)
#define QEMU_UNUSED() ((void)unused_data)
#define QEMU_NO_DATA , NULL
#define QEMU_DATA_PARAMETER , void *udata
#else
#define QEMU_PARAMETERS(...) (qemu_plugin_id_t unused_id, __VA_ARGS__)
#define QEMU_RESET_PARAMETERS (qemu_plugin_id_t unused_id)
#define QEMU_EXIT_PARAMETERS (qemu_plugin_id_t unused_id, void *unused_data)
#define QEMU_UNUSED() ((void)unused_id)
#define QEMU_NO_DATA
#define QEMU_DATA_PARAMETER
#endif

typedef void(*qemu_plugin_reset_cb_t) QEMU_RESET_PARAMETERS;
typedef void(*qemu_plugin_simple_cb_t) QEMU_RESET_PARAMETERS;
typedef void(*qemu_plugin_udata_cb_t) QEMU_EXIT_PARAMETERS;
typedef void(*qemu_plugin_vcpu_simple_cb_t) QEMU_PARAMETERS(unsigned vcpu);
typedef void(*qemu_plugin_vcpu_tb_trans_cb_t) QEMU_PARAMETERS(struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned vcpu, void *udata);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned vcpu, qemu_plugin_meminfo_t info,
					  uint64_t address, void *udata);
typedef void(*qemu_plugin_vcpu_syscall_cb_t)
	QEMU_PARAMETERS(unsigned vcpu, int64_t num, uint64_t a1, uint64_t a2, uint64_t a3,
			uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
typedef void(*qemu_plugin_vcpu_syscall_ret_cb_t)
	QEMU_PARAMETERS(unsigned vcpu, int64_t num, int64_t ret);

void qemu_plugin_register_vcpu_init_cb(
	qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb QEMU_DATA_PARAMETER);
void qemu_plugin_register_vcpu_exit_cb(
	qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb QEMU_DATA_PARAMETER);
void qemu_plugin_register_vcpu_idle_cb(
	qemu_plugin_id_t id, qemu_plugin_vcpu_simple_cb_t cb QEMU_DATA_PARAMETER);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t cb,
				    void *udata);
void qemu_plugin_register_vcpu_tb_trans_cb(
	qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t cb QEMU_DATA_PARAMETER);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  qemu_plugin_vcpu_udata_cb_t cb,
					  enum qemu_plugin_cb_flags flags, void *udata);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_vcpu_udata_cb_t cb,
					    enum qemu_plugin_cb_flags flags, void *udata);
/*
 * The callback comes after the access. For reads alone, 7.2 calls it at writes only, and
 * for writes alone at both: ask for both, and look.
 */
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      qemu_plugin_vcpu_mem_cb_t cb,
				      enum qemu_plugin_cb_flags flags,
				      enum qemu_plugin_mem_rw rw, void *udata);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
/* The log2 of the bytes accessed. */
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
void qemu_plugin_register_vcpu_syscall_cb(
	qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_cb_t cb QEMU_DATA_PARAMETER);
void qemu_plugin_register_vcpu_syscall_ret_cb(
	qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_ret_cb_t cb QEMU_DATA_PARAMETER);
/*
 * Where the guest's program counter jumps without a branch. Of an exception and of a host
 * call `from` is the instruction that raised it, of an interrupt the next one. QEMU has it
 * from 10.2 on: before, the function is NULL.
 */
enum qemu_plugin_discon_type {
	QEMU_PLUGIN_DISCON_INTERRUPT = 1 << 0,
	QEMU_PLUGIN_DISCON_EXCEPTION = 1 << 1,
	QEMU_PLUGIN_DISCON_HOSTCALL = 1 << 2,
	QEMU_PLUGIN_DISCON_ALL = -1,
};
typedef void(*qemu_plugin_vcpu_discon_cb_t)
	QEMU_PARAMETERS(unsigned vcpu, enum qemu_plugin_discon_type type, uint64_t from,
			uint64_t to);
__attribute__((weak)) void
qemu_plugin_register_vcpu_discon_cb(qemu_plugin_id_t id,
				    enum qemu_plugin_discon_type type,
				    qemu_plugin_vcpu_discon_cb_t cb QEMU_DATA_PARAMETER);
/*
 * QEMU has thrown all translated code away. Called while no vCPU runs any.
 */
void qemu_plugin_register_flush_cb(qemu_plugin_id_t id,
				   qemu_plugin_simple_cb_t cb QEMU_DATA_PARAMETER);
/*
 * Two functions of QEMU's own, which 7.2 happens to export: the vCPU of that index, and what
 * makes it forget the callbacks for its helpers' accesses. NULL where they are not exported.
 */
__attribute__((weak)) void *qemu_get_cpu(int index);
__attribute__((weak)) void qemu_plugin_disable_mem_helpers(void *cpu);
/* Takes all callbacks away and translates afresh; then calls cb, which registers anew. */
void qemu_plugin_reset(qemu_plugin_id_t id,
		       qemu_plugin_reset_cb_t cb QEMU_DATA_PARAMETER);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t idx);

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
/* The caller's to free(). */
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *insn);

#if QEMU_PLUGIN_API >= 4
/* What was loaded or stored. */
typedef struct {
	enum {
		QEMU_PLUGIN_MEM_VALUE_U8,
		QEMU_PLUGIN_MEM_VALUE_U16,
		QEMU_PLUGIN_MEM_VALUE_U32,
		QEMU_PLUGIN_MEM_VALUE_U64,
		QEMU_PLUGIN_MEM_VALUE_U128,
	} type;
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
		struct {
			uint64_t low, high;
		} u128;
	} data;
} qemu_plugin_mem_value;
qemu_plugin_mem_value qemu_plugin_mem_get_value(qemu_plugin_meminfo_t info);
#endif

/*
 * Registers are given in callbacks that ask for them: at the start of a block in all
 * versions (plugin/core/state.h), elsewhere from version 2 on, which came with 9.0. There
 * QEMU uses arrays of GLib, which is in its process: what is used of them is declared here.
 */
#if QEMU_PLUGIN_API >= 2
struct qemu_plugin_register;

typedef struct {
	struct qemu_plugin_register *handle;
	const char *name, *feature;
#if QEMU_PLUGIN_API >= 7
	bool is_readonly;
#endif
} qemu_plugin_reg_descriptor;

typedef struct {
	char *data;
	unsigned len; /* elements */
} GArray;

typedef struct {
	uint8_t *data;
	unsigned len;
} GByteArray;

/* An array of qemu_plugin_reg_descriptor, the caller's; on a vCPU's thread only. */
GArray *qemu_plugin_get_registers(void);
/*
 * Appends a register's bytes to the array. More than 0 if it could: until version 5 how many,
 * from 6 on true.
 */
#if QEMU_PLUGIN_API >= 6
typedef bool qemu_plugin_read_t;
#else
typedef int qemu_plugin_read_t;
#endif
qemu_plugin_read_t qemu_plugin_read_register(struct qemu_plugin_register *handle,
					     GByteArray *bytes);

char *g_array_free(GArray *list, int with_data);
GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *bytes, unsigned size);
#endif

#if QEMU_PLUGIN_API >= 4
/* Of the guest, as the vCPU that calls sees it: replaces what is in the array. */
bool qemu_plugin_read_memory_vaddr(uint64_t address, GByteArray *bytes, size_t size);
/* The same at a physical address; 0: it is read. From version 5 on: before, it is NULL. */
__attribute__((weak)) int qemu_plugin_read_memory_hwaddr(uint64_t address,
							 GByteArray *bytes, size_t size);
#endif

/*
 * insn_copy() copies the instruction's bytes, `bytes` of them: no more than its size.
 * insn_copy_riscv() copies all of an instruction of RISC-V, and returns how many: the
 * size is encoded in the first two, so QEMU is not called for it. There must be room for 4.
 */
#if QEMU_PLUGIN_API >= 3
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t bytes);

static inline void insn_copy(const struct qemu_plugin_insn *insn, void *to, size_t bytes)
{
	qemu_plugin_insn_data(insn, to, bytes);
}

static inline size_t insn_copy_riscv(const struct qemu_plugin_insn *insn, uint8_t *to)
{
	size_t there = qemu_plugin_insn_data(insn, to, 4);

	return there > 2 && (*to & 3) != 3 ? 2 : there;
}
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);

static inline void insn_copy(const struct qemu_plugin_insn *insn, void *to, size_t bytes)
{
	memcpy(to, qemu_plugin_insn_data(insn), bytes);
}

static inline size_t insn_copy_riscv(const struct qemu_plugin_insn *insn, uint8_t *to)
{
	/* QEMU has room for 4; which size it is, a processor cannot guess. */
	memcpy(to, qemu_plugin_insn_data(insn), 4);
	return 2u << ((*to & 3) == 3);
}
#endif

/*
 * mem_data() fills in the data that an access read or wrote, zeros above it. False where
 * QEMU does not give it: before version 4, which came with 9.2.
 */
#if QEMU_PLUGIN_API >= 4
static inline bool mem_data(qemu_plugin_meminfo_t info, uint64_t data[2])
{
	qemu_plugin_mem_value value = qemu_plugin_mem_get_value(info);

	data[1] = 0;
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
	return true;
}
#else
static inline bool mem_data(qemu_plugin_meminfo_t info, uint64_t data[2])
{
	(void)info, (void)data;
	return false;
}
#endif

#endif
