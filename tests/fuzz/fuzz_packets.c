// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes, after one that chooses the format and one for its settings, as packets of
 * code that has every kind of instruction.
 */
#include "fuzz.h"
#include "packets/etrace.h"
#include "packets/ntrace.h"

enum { START = 0x1000, INSNS_MOST = 100000 };

struct counts {
	uint64_t insns;
	bool has_hart;
};

static int hart(void *cookie, uint32_t number, uint32_t context, struct wm_error *err)
{
	struct counts *counts = cookie;

	(void)number;
	(void)context;
	(void)err;
	counts->has_hart = true;
	return 0;
}

/* What runs is code that is there; a long way is ended. */
static int insn(void *cookie, uint64_t address, const struct packet_insn *at,
		struct wm_error *err)
{
	struct counts *counts = cookie;

	MUST(counts->has_hart && address >= START && (at->bytes == 2 || at->bytes == 4));
	*err = (struct wm_error){ WM_E_RANGE, 0, "enough" };
	return counts->insns++ < INSNS_MOST ? 0 : WM_E_RANGE;
}

static int trap(void *cookie, const struct packet_trap *what, struct wm_error *err)
{
	const struct counts *counts = cookie;

	(void)what;
	(void)err;
	MUST(counts->has_hart);
	return 0;
}

static int gap(void *cookie, struct wm_error *err)
{
	const struct counts *counts = cookie;

	(void)err;
	MUST(counts->has_hart);
	return 0;
}

static void set_clock(void *cookie, uint64_t ns)
{
	(void)cookie;
	(void)ns;
}

/* From START on: addi; beqz -2; jal +8; c.nop; c.jr ra; ecall; jalr; c.j -4; ebreak. */
static const uint8_t text[] = { 0x7d, 0x15, 0x7d, 0xdd, 0x6f, 0x00, 0x80,
				0x00, 0x01, 0x00, 0x01, 0x00, 0x82, 0x80,
				0x73, 0x00, 0x00, 0x00, 0xe7, 0x80, 0x05,
				0x00, 0xf5, 0xbf, 0x73, 0x00, 0x10, 0x00 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct packet_settings settings = { .resync = 1024 };
	struct counts counts = { 0 };
	struct packet_sink sink = { hart, insn, trap, gap, set_clock, &counts };
	struct packet_code code;
	struct wm_error err = { 0 };
	uint8_t *copy;
	int ret;

	watch_cpu();
	if (bytes < 2)
		return 0;
	settings.source_bits = data[1] % 3 * (data[0] & 1 ? 6 : 8);
	settings.contexts = data[1] & 0x80;
	settings.modes = data[1] & 0x40 ? PACKET_ADDRESSES : 0;
	MUST(packet_code_init(&code, data[0] & 2 ? 32 : 64, &err) == 0);
	copy = malloc(sizeof(text));
	MUST(copy);
	memcpy(copy, text, sizeof(text));
	MUST(packet_code_segment(&code, START, copy, sizeof(text), &err) == 0);
	ret = (data[0] & 1 ? ntrace_read : etrace_read)(data + 2, bytes - 2, &code,
							&settings, &sink, &err);
	MUST(ret == 0 || (ret < 0 && *err.text));
	packet_code_fini(&code);
	return 0;
}
