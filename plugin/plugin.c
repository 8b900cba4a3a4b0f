// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The TCG plugin: names each translation block by a dense id when QEMU translates it,
 * and stores that id into the vCPU's lane each time QEMU enters it.
 *
 * What a block costs when it runs is in plugin/pieces.c; everything else happens once per
 * block of code, per thread, or per 4,096 blocks executed. No thread, no zstd, no ELF in the guest's
 * process. Arguments: arena=PATH (of the shared memory, from `waymark record`), or
 * out=FILE [waymark=PATH] to have a collector started; after=exec in a program that a
 * recorded process has become.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "format/arena.h"
#include "plugin/abi.h"
#include "plugin/exec.h"
#include "plugin/guest.h"
#include "plugin/hold.h"
#include "plugin/link.h"
#include "plugin/modules.h"
#include "plugin/naming.h"
#include "plugin/notice.h"
#include "plugin/pieces.h"
#include "plugin/places.h"
#include "plugin/qemu_api.h"
#include "plugin/shape.h"
#include "plugin/signals.h"
#include "plugin/spawn.h"
#include "plugin/steps.h"
#include "plugin/syscalls.h"
#include "plugin/windows.h"

#define PLUGIN_EXPORT __attribute__((visibility("default")))

PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
				      int argc, char **argv);

static qemu_plugin_id_t plugin_id;
static bool sees_signals, precise;

static void tell_translation(const struct qemu_plugin_tb *tb)
{
	uint64_t fields[] = { qemu_plugin_tb_vaddr(tb), shape_insns(tb) };

	link_event_locked(LANE_NONE, WM_EVENT_TB_TRANSLATE, fields, 2, NULL);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	void *host = qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0));
	struct maps_place place;

	(void)id;
	link_lock();
	link_begin(); /* not before: QEMU loads plugins even if it cannot load the guest */
	guest_learn(address, host);
	place = modules_find(address, host);
	if (link_wants(WM_EVENT_TB_TRANSLATE) && windows_open())
		tell_translation(tb);
	if (sees_signals && signals_handled_at(address))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, signals_on_handler,
						     QEMU_PLUGIN_CB_R_REGS,
						     (void *)(uintptr_t)address);
	if (!precise && shape_insns(tb) == 1 && steps_is_one(naming_blocks(), address))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, steps_on_entry,
						     QEMU_PLUGIN_CB_NO_REGS,
						     (void *)(uintptr_t)address);
	pieces_register(tb, place);
	link_unlock();
}

static void on_vcpu_init(qemu_plugin_id_t id, unsigned vcpu)
{
	/* QEMU 7.2 calls this on the parent's thread: only the first one's id is known. */
	struct message_thread thread = { .ns = clock_ns(),
					 .vcpu = vcpu,
					 .tid = vcpu ? 0 : (uint32_t)getpid() };

	(void)id;
	probes_fire(WM_EVENT_VCPU_INIT, (uint64_t[]){ vcpu, thread.tid }, 2, NULL);
	link_attach(vcpu);
	windows_thread_begins(vcpu);
	if (vcpu >= LANES_MAX)
		return;
	thread.position = link_position(vcpu);
	link_lock();
	link_send(MESSAGE_THREAD, &(struct part){ &thread, sizeof(thread) }, 1);
	link_unlock();
}

static void on_vcpu_exit(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
	syscalls_thread_ends(vcpu);
}

static void on_exit_in_order(qemu_plugin_id_t id, void *unused)
{
	bool waits = hold_waits();

	(void)id, (void)unused;
	link_exit();
	if (waits)
		hold_wait();
}

static void register_callbacks(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init);
	qemu_plugin_register_vcpu_exit_cb(id, on_vcpu_exit);
	if (windows_code() != CODE_BARE)
		qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_in_order, NULL);
	syscalls_register(id);
}

static void translate_afresh(void)
{
	qemu_plugin_reset(plugin_id, register_callbacks);
}

/* A handler was installed at a place that is a block's start already: look again. */
static void on_new_handler(uint64_t address)
{
	bool translated;

	link_lock();
	translated = sees_signals && naming_has(address);
	link_unlock();
	if (translated)
		translate_afresh();
}

/* The value of argument `key`, or NULL. */
static const char *argument(int argc, char **argv, const char *key)
{
	size_t n = strlen(key);

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], key, n) && argv[i][n] == '=')
			return argv[i] + n + 1;
	return NULL;
}

static void describe(const qemu_info_t *info)
{
	struct arena_header *header = &place_arena()->header;
	const struct board *board = place_board();
	const struct abi *abi = abi_find(info->target_name);
	bool is_riscv = !strncmp(info->target_name, "riscv", 5);

	if (abi)
		guest_init(abi->word);
	shape_guest(info->target_name);
	naming_init(info->target_name, board->qemu_version);
	precise = board->precise;
	sees_signals = signals_init(abi);
	header->sizes_rule = is_riscv ? SIZES_RISCV : SIZES_LISTED;
	header->blind = !sees_signals;
	snprintf(header->isa, sizeof(header->isa), "%s", info->target_name);
	exec_init(abi, header->program, sizeof(header->program));
	syscalls_init(info->target_name, abi, on_new_handler);
	pieces_init(info->target_name, precise);
	places_init(&board->orders, header->program);
	windows_init(&board->orders, translate_afresh);
}

static int open_arena(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		notice("cannot open the recorder's memory: %s; the program "
		       "runs untraced\n",
		       strerror(errno));
	return fd;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	const char *arena = argument(argc, argv, "arena");
	const char *out = argument(argc, argv, "out");
	int fd;

	if (argument(argc, argv, "after"))
		notice_nobody();
	if (info->system_emulation) {
		notice("full-system emulation is not supported yet");
		return -1;
	}
	if (!arena == !out) {
		notice("the plugin needs out=FILE: "
		       "-plugin libwaymark-v%d.so,out=run.wmk",
		       QEMU_PLUGIN_API);
		return -1;
	}
	fd = arena ? open_arena(arena) :
		     spawn_collector(out, argument(argc, argv, "waymark"));
	/* A recorder that went away ends no program: without callbacks it runs as ever. */
	if (fd < 0 || !link_open(fd))
		return arena ? 0 : -1;
	plugin_id = id;
	if (out)
		place_board()->outlet = outlet_of(STDERR_FILENO);
	notice_guest(&place_board()->outlet);
	describe(info);
	hold_ask();
	register_callbacks(id);
	return 0;
}
