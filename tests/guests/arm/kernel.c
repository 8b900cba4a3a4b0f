// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: the helpers of the kernel, high in the address space, where QEMU has no code
// but does what is asked.

#include <stdio.h>

typedef int (*compare_fn)(int old, int new, volatile int *at);

int main(void)
{
	compare_fn compare = (compare_fn)0xffff0fc0;
	void (*barrier)(void) = (void (*)(void))0xffff0fa0;
	void *(*get_tls)(void) = (void *(*)(void))0xffff0fe0;
	volatile int word = 0;
	int good = 0;

	for (int i = 0; i < 20; i++) {
		good += !compare(i, i + 1, &word);
		barrier();
		good += get_tls() == __builtin_thread_pointer();
	}
	printf("kernel %d %d\n", good, word);
	return 0;
}
