// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each callback that is registered with QEMU is a function of this file, which calls the
 * plugin's: before version 7 of the API the plugin's id comes first, from 7 on a pointer
 * that was registered with the callback comes last. Neither is needed: there is one plugin
 * in a process.
 */
#include "plugin/core/callbacks.h"

#include "plugin/core/resets.h"

static qemu_plugin_id_t plugin;

static struct {
	void (*vcpu_begins)(unsigned vcpu), (*vcpu_ends)(unsigned vcpu);
	void (*vcpu_waits)(unsigned vcpu);
	void (*translated)(struct qemu_plugin_tb *tb);
	void (*flushed)(void);
	void (*exits)(void);
	void (*before_call)(unsigned vcpu, int64_t number, const uint64_t args[]);
	void (*after_call)(unsigned vcpu, int64_t number, int64_t value);
	void (*left)(unsigned vcpu, enum qemu_plugin_discon_type type, uint64_t from,
		     uint64_t to);
} calls;

void callbacks_begin(qemu_plugin_id_t id)
{
	plugin = id;
	resets_init(id);
}

static void on_vcpu_init QEMU_PARAMETERS(unsigned vcpu)
{
	QEMU_UNUSED();
	calls.vcpu_begins(vcpu);
}

static void on_vcpu_exit QEMU_PARAMETERS(unsigned vcpu)
{
	QEMU_UNUSED();
	calls.vcpu_ends(vcpu);
	resets_thread_ends();
}

void callbacks_on_vcpu(void (*begins)(unsigned vcpu), void (*ends)(unsigned vcpu))
{
	calls.vcpu_begins = begins;
	calls.vcpu_ends = ends;
	qemu_plugin_register_vcpu_init_cb(plugin, on_vcpu_init QEMU_NO_DATA);
	qemu_plugin_register_vcpu_exit_cb(plugin, on_vcpu_exit QEMU_NO_DATA);
}

static void on_vcpu_idle QEMU_PARAMETERS(unsigned vcpu)
{
	QEMU_UNUSED();
	calls.vcpu_waits(vcpu);
}

void callbacks_on_idle(void (*waits)(unsigned vcpu))
{
	calls.vcpu_waits = waits;
	qemu_plugin_register_vcpu_idle_cb(plugin, on_vcpu_idle QEMU_NO_DATA);
}

static void on_translation QEMU_PARAMETERS(struct qemu_plugin_tb *tb)
{
	QEMU_UNUSED();
	calls.translated(tb);
}

void callbacks_on_translation(void (*translated)(struct qemu_plugin_tb *tb))
{
	calls.translated = translated;
	qemu_plugin_register_vcpu_tb_trans_cb(plugin, on_translation QEMU_NO_DATA);
}

static void on_flush QEMU_RESET_PARAMETERS
{
	QEMU_UNUSED();
	calls.flushed();
}

void callbacks_off_translation(void)
{
	qemu_plugin_register_vcpu_tb_trans_cb(plugin, NULL QEMU_NO_DATA);
}

void callbacks_on_flush(void (*flushed)(void))
{
	calls.flushed = flushed;
	qemu_plugin_register_flush_cb(plugin, on_flush QEMU_NO_DATA);
}

static void on_exit_in_order QEMU_EXIT_PARAMETERS
{
	QEMU_UNUSED();
	(void)unused_data;
	calls.exits();
}

void callbacks_on_exit(void (*exits)(void))
{
	calls.exits = exits;
	qemu_plugin_register_atexit_cb(plugin, on_exit_in_order, NULL);
}

static void on_syscall QEMU_PARAMETERS(unsigned vcpu, int64_t number, uint64_t a1,
				       uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
				       uint64_t a6, uint64_t a7, uint64_t a8)
{
	QEMU_UNUSED();
	(void)a7, (void)a8;
	resets_call_begins();
	calls.before_call(vcpu, number, (uint64_t[]){ a1, a2, a3, a4, a5, a6 });
}

static void on_syscall_ret QEMU_PARAMETERS(unsigned vcpu, int64_t number, int64_t value)
{
	QEMU_UNUSED();
	resets_call_ends();
	calls.after_call(vcpu, number, value);
}

void callbacks_on_syscall(void (*before)(unsigned vcpu, int64_t number,
					 const uint64_t args[]),
			  void (*after)(unsigned vcpu, int64_t number, int64_t value))
{
	calls.before_call = before;
	calls.after_call = after;
	qemu_plugin_register_vcpu_syscall_cb(plugin, on_syscall QEMU_NO_DATA);
	qemu_plugin_register_vcpu_syscall_ret_cb(plugin, on_syscall_ret QEMU_NO_DATA);
}

bool callbacks_have_discontinuities(void)
{
	return qemu_plugin_register_vcpu_discon_cb;
}

static void on_discon QEMU_PARAMETERS(unsigned vcpu, enum qemu_plugin_discon_type type,
				      uint64_t from, uint64_t to)
{
	QEMU_UNUSED();
	calls.left(vcpu, type, from, to);
}

void callbacks_on_discontinuity(void (*left)(unsigned vcpu,
					     enum qemu_plugin_discon_type type,
					     uint64_t from, uint64_t to))
{
	calls.left = left;
	qemu_plugin_register_vcpu_discon_cb(plugin, QEMU_PLUGIN_DISCON_ALL,
					    on_discon QEMU_NO_DATA);
}
