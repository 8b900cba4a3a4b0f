/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logs of other tools as traces: a CPU of theirs is a stream. */
#ifndef IMPORT_LOG_H
#define IMPORT_LOG_H

#include "import/file.h"
#include "trace/pclog.h"
#include "trace/qemulog.h"

/*
 * All instructions of a log with a line for each, which RISC-V alone has; what counts:
 * pclog_read(). What they did to registers and memory is left out.
 */
int import_pclog(struct import_file *file, const struct pclog *log, unsigned xlen,
		 struct wm_error *err);
/*
 * All blocks of QEMU's log, as whole ones: the log does not say when a signal left one
 * early. WM_E_FORMAT when the log misses blocks.
 */
int import_qemulog(struct import_file *file, const struct qemulog *log,
		   struct wm_error *err);

#endif
