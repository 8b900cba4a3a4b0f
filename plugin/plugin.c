// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The TCG plugin's entry: reads the arguments, connects to the collector, and starts to
 * record the kind of emulation that this QEMU does.
 *
 * Arguments: arena=PATH (of the shared memory, from `waymark record`), or out=FILE
 * [waymark=PATH] to have a collector started; guide=NAME of a managed program, fetches=yes if
 * it tells what fetches bytecodes; after=exec, name=HEX, its name, and mask=HEX, its mask of
 * signals, in a program that a recorded process has become; spare=yes alone when the plugin is
 * loaded a second time. No thread, no zstd and no ELF in the guest's process.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/core/callbacks.h"
#include "plugin/core/link.h"
#include "plugin/core/notice.h"
#include "plugin/core/resets.h"
#include "plugin/core/tracer.h"
#include "plugin/system/system.h"
#include "plugin/user/lend.h"
#include "plugin/user/mask.h"
#include "plugin/user/title.h"
#include "plugin/user/user.h"

#define PLUGIN_EXPORT __attribute__((visibility("default")))

PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
				      int argc, char **argv);

/* The value of argument `key`, or NULL. */
static const char *argument(int argc, char **argv, const char *key)
{
	size_t n = strlen(key);

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], key, n) && argv[i][n] == '=')
			return argv[i] + n + 1;
	return NULL;
}

/* `handed`: a descriptor that the program before has left open for this one; NULL: none. */
static int open_arena(const char *path, const char *handed)
{
	int fd = handed ? atoi(handed) : open(path, O_RDWR | O_CLOEXEC);

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
	const char *refused;
	int fd;

	/*
	 * Before the first notice(): after execve() descriptor 2 may be any file of the
	 * guest's.
	 */
	if (argument(argc, argv, "after"))
		notice_nobody();
	if (argument(argc, argv, "spare")) {
		resets_keep_spare(id);
		return 0;
	}
	/* Whatever else fails: QEMU takes the mask over when its plugins are loaded. */
	if (!info->system_emulation) {
		title_take(argument(argc, argv, "name"));
		mask_begin(argument(argc, argv, "mask"));
	}
	/* Only the recorder of `record --system` begins a trace of a machine. */
	refused = !info->system_emulation ? NULL :
		  out			  ? "use waymark record --system" :
					    system_refuses(info);
	if (refused) {
		notice("%s", refused);
		return -1;
	}
	/* Exactly one of the two. */
	if (!arena == !out) {
		notice("the plugin needs out=FILE: "
		       "-plugin libwaymark-v%d.so,out=run.wmk",
		       QEMU_PLUGIN_API);
		return -1;
	}
	fd = arena ? open_arena(arena, argument(argc, argv, "fd")) :
		     spawn_collector(out, argument(argc, argv, "waymark"));
	if (fd < 0 || !link_open(fd, argument(argc, argv, "guide"),
				 argument(argc, argv, "fetches"))) {
		/* A recorder that went away ends no program. */
		if (arena && !info->system_emulation)
			user_untraced(id, info->target_name, arena);
		return arena ? 0 : -1;
	}
	lend_init(slot_board()->lends);
	/*
	 * Loaded by hand: nobody has stored where stderr leads. After `waymark record`
	 * the board has it from the launch, which may differ from what this process has
	 * as descriptor 2.
	 */
	if (out)
		slot_board()->outlet = outlet_of(STDERR_FILENO);
	/* A machine's guest has no descriptors of QEMU's. */
	if (!info->system_emulation)
		notice_guest(&slot_board()->outlet);
	tracer_start(id, info->system_emulation ? &system_emulation : &user_emulation,
		     info->target_name);
	return 0;
}
