// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions of a log, whose ids are addresses with their instructions, become blocks; see
 * import/path.c. An ecall that has no line of its own, but a trap's, has no instruction in
 * the log either: it is what that trap says it is.
 *
 * Whether an instruction may end a block is found out once for each id.
 */
#include <stdlib.h>

#include "base/error.h"
#include "import/log.h"
#include "import/path.h"
#include "isa/flow.h"

enum { ECALL = 0x73 };

static int import_cpu(struct import_path *path, const struct pclog *log, unsigned cpu,
		      struct wm_error *err)
{
	struct pclog_reader *reader = malloc(sizeof(*reader));
	const uint32_t *ids;
	size_t n;
	int ret;

	if (!reader)
		return wm_fail_nomem(err, "reading a log");
	pclog_reader_init(reader, log, cpu);
	while (!(ret = pclog_next(reader, &ids, &n, err)))
		for (size_t i = 0; !ret && i < n; i++) {
			uint32_t word = log->words[ids[i] - 1];

			ret = import_path_insn(path, log->pcs[ids[i] - 1],
					       word ? word : ECALL, err);
		}
	free(reader);
	return ret == WM_END ? import_path_end(path, err) : ret;
}

int import_pclog(struct import_file *file, const struct pclog *log, unsigned xlen,
		 struct wm_error *err)
{
	struct import_path *path = malloc(sizeof(*path));
	int ret = path ? 0 : wm_fail_nomem(err, "reading a log");

	if (!ret)
		import_path_init(path, file, xlen);
	for (unsigned cpu = 0; !ret && cpu < log->cpus; cpu++) {
		if (!pclog_length(log, cpu))
			continue;
		ret = import_file_stream(file, cpu, err);
		if (!ret)
			ret = import_cpu(path, log, cpu, err);
	}
	free(path);
	return ret;
}
