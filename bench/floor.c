// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The floor that Waymark's plugin is measured against. At each block it does the least
 * that any plugin that records blocks must do: a callback stores a number. The number
 * goes into a ring in private memory that nobody reads.
 *
 * Every translation gets a new id, without a search for an earlier translation of the
 * same block. There is no check for a full ring, no shared memory and no other process.
 * So the time that a guest takes under Waymark beyond the time under this plugin is
 * Waymark's overhead.
 */
#include "plugin/qemu_api.h"

#define FLOOR_EXPORT __attribute__((visibility("default")))

/* 256 KiB for each vCPU. The size is a constant, so the compiler wraps with a mask. */
enum { RING_IDS = 1 << 16, VCPUS_MAX = 64 };

FLOOR_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
FLOOR_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
				     int argc, char **argv);

struct ring {
	uint64_t head;
	uint32_t ids[RING_IDS];
};

static struct ring rings[VCPUS_MAX];
static uint32_t last_id;

/* The work that is measured. From the 64th vCPU on, rings are shared. */
static void on_block(unsigned vcpu, void *id)
{
	struct ring *ring = &rings[vcpu % VCPUS_MAX];

	ring->ids[ring->head++ % RING_IDS] = (uint32_t)(uintptr_t)id;
}

static void on_translation QEMU_PARAMETERS(struct qemu_plugin_tb *tb)
{
	/* Several vCPUs may translate at the same time. */
	uint32_t id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);

	QEMU_UNUSED();
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
					     (void *)(uintptr_t)id);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	(void)info, (void)argc, (void)argv;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation QEMU_NO_DATA);
	return 0;
}
