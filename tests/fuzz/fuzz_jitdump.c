// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a jitdump: what is taken of them lies in them. */
#include "made.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct made made = MADE_INIT;
	struct wm_error err;
	int ret = made_jitdump.read(&made, (const char *)data, bytes, &err);

	MUST(!ret || ret == WM_END || ret == WM_E_FORMAT);
	MUST(!ret || !made.n);
	check_made(&made, data, bytes);
	made_fini(&made);
	return 0;
}
