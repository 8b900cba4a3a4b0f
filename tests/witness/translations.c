// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A witness for translations: writes down the address and the number of instructions of
 * each block that QEMU translates, a line each, in the order in which it does. It shares no
 * code with Waymark.
 *
 * Arguments: out=FILE, made anew.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "plugin/qemu_api.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			       char **argv);

static int out = -1;

/* At once: nothing tells of the end of every process. */
static void on_translation QEMU_PARAMETERS(struct qemu_plugin_tb *tb)
{
	QEMU_UNUSED();
	dprintf(out, "0x%" PRIx64 " %zu\n", qemu_plugin_tb_vaddr(tb),
		qemu_plugin_tb_n_insns(tb));
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return -1;
	out = open(argv[0] + 4, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC,
		   0666);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation QEMU_NO_DATA);
	return out < 0 ? -1 : 0;
}
