// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes a trace of a log with one line for each instruction. The log's ids stand for an
 * address with its instruction; instructions become blocks (import/path.c).
 *
 * A CPU of the log is a stream; CPUs without instructions are left out. An ecall that has
 * no line of its own, but a trap's, has no instruction word in the log either: the word
 * is 0, and ECALL is written in its place.
 */
#include <stdlib.h>

#include "base/error.h"
#include "import/log.h"
#include "import/path.h"
#include "isa/flow.h"

enum { ECALL = 0x73 };

/*
 * An instruction of 16 bits whose word has more is of another guest, and so is one at an odd
 * address.
 */
static int take(struct import_path *path, uint64_t pc, uint32_t word,
		struct wm_error *err)
{
	if (!word)
		word = ECALL;
	if (pc & 1 || ((word & 3) != 3 && word >> 16))
		return wm_fail(
			err, WM_E_FORMAT, 0,
			"the record has an instruction at 0x%llx, %08x, that RISC-V "
			"has not; of other guests QEMU's log of -d "
			"in_asm,exec,nochain is imported",
			(unsigned long long)pc, word);
	return import_path_insn(path, pc, word, err);
}

static int import_cpu(struct import_path *path, const struct pclog *log, unsigned cpu,
		      struct wm_error *err)
{
	struct pclog_reader *reader = malloc(sizeof(*reader));
	const uint32_t *ids;
	size_t n;
	int ret = 0;

	if (!reader)
		return wm_fail_nomem(err, "reading a log");
	pclog_reader_init(reader, log, cpu);
	while (!ret && !(ret = pclog_next(reader, &ids, &n, err)))
		for (size_t i = 0; !ret && i < n; i++)
			ret = take(path, log->pcs[ids[i] - 1], log->words[ids[i] - 1],
				   err);
	free(reader);
	return ret == WM_END ? import_path_end(path, err) : ret;
}

int import_pclog(struct import_file *file, const struct pclog *log, unsigned xlen,
		 struct wm_error *err)
{
	struct import_path *path = malloc(sizeof(*path));
	int ret = path ? 0 : wm_fail_nomem(err, "reading a log");

	if (!ret && log->in_parts)
		ret = wm_fail(err, WM_E_FORMAT, 0,
			      "the record has instructions in several numbers, as RISC-V "
			      "has not; of other guests QEMU's log of -d "
			      "in_asm,exec,nochain is imported");
	if (!ret)
		import_path_init(path, file, xlen);
	for (unsigned cpu = 0; !ret && cpu < log->cpus; cpu++) {
		if (!pclog_length(log, cpu))
			continue;
		ret = import_file_stream(file, cpu, 0, err);
		if (!ret)
			ret = import_cpu(path, log, cpu, err);
	}
	free(path);
	return ret;
}
