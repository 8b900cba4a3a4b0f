// SPDX-License-Identifier: GPL-2.0-or-later
// The hooks of -finstrument-functions: which functions were entered, how deep among those
// that are compiled so. Written to descriptor 3 when the program ends: thread, depth and
// address of each entry. What jumps out of functions puts the depth right itself.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __cplusplus
#define WITNESS extern "C" __attribute__((no_instrument_function))
#else
#define WITNESS __attribute__((no_instrument_function))
#endif

enum { WITNESS_MOST = 1 << 20 };

static __thread unsigned witness_depth;
static unsigned witness_n;
static struct {
	int thread;
	unsigned depth;
	void *function;
} witness_entries[WITNESS_MOST];

WITNESS void __cyg_profile_func_enter(void *function, void *site);
WITNESS void __cyg_profile_func_exit(void *function, void *site);

WITNESS void __cyg_profile_func_enter(void *function, void *site)
{
	unsigned i = __atomic_fetch_add(&witness_n, 1, __ATOMIC_RELAXED);

	(void)site;
	if (i >= WITNESS_MOST)
		abort();
	witness_entries[i].thread = gettid();
	witness_entries[i].depth = witness_depth++;
	witness_entries[i].function = function;
}

WITNESS void __cyg_profile_func_exit(void *function, void *site)
{
	(void)function;
	(void)site;
	witness_depth--;
}

WITNESS __attribute__((destructor)) void witness_write(void)
{
	for (unsigned i = 0; i < witness_n; i++)
		dprintf(3, "%d %u %lx\n", witness_entries[i].thread,
			witness_entries[i].depth,
			(unsigned long)witness_entries[i].function);
}
