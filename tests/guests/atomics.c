// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: atomic operations: lr/sc loops (QEMU may end blocks at them), amo
// instructions with their orderings, and fences.

#include <stdatomic.h>
#include <stdio.h>

static _Atomic unsigned long word;
static _Atomic int half;
static _Atomic unsigned flags;

int main(void)
{
	unsigned long sum = 0;

	for (unsigned i = 0; i < 20000; i++) {
		unsigned long seen = atomic_load(&word);
		int few = (int)i;

		while (!atomic_compare_exchange_weak(&word, &seen, seen * 3 + i))
			;
		if (!atomic_compare_exchange_strong(&half, &few, (int)(i * 7)))
			sum += (unsigned)few;
		atomic_fetch_add_explicit(&word, i, memory_order_relaxed);
		atomic_fetch_xor_explicit(&flags, i, memory_order_acq_rel);
		sum ^= atomic_exchange_explicit(&flags, i * 5, memory_order_acquire);
		atomic_fetch_or(&half, 1);
		if (i % 4 == 0)
			atomic_thread_fence(memory_order_seq_cst);
		atomic_store_explicit(&flags, i + 1, memory_order_release);
	}
	printf("atomics %016lx %d\n", sum + atomic_load(&word), atomic_load(&half));
	return 0;
}
