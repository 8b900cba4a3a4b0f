// SPDX-License-Identifier: GPL-2.0-or-later
// Atomic operations of a program whose other thread does nothing meanwhile, so that QEMU carries
// them out by functions for several threads and everybody can say what they store.

#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long word = 12;
static int half = 7;

static void *wait(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

#define DO(insn, variable, operand) \
	__asm__ volatile(insn " zero, %1, %0" : "+A"(variable) : "r"((long)(operand)))

static void operate(void)
{
	DO("amoadd.d", word, 5);
	DO("amoxor.d", word, 0x30);
	DO("amoor.d", word, 0x100);
	DO("amoand.d", word, 0x1f0);
	DO("amomin.d", word, -2);
	DO("amomaxu.d", word, 3);
	DO("amoswap.d", word, 9);
	DO("amomax.d", word, -3);
	DO("amominu.d", word, 4);
	DO("amoadd.w", half, -8);
	DO("amomax.w", half, -5);
	DO("amominu.w", half, 6);
}

int main(void)
{
	pthread_t thread;

	pthread_mutex_lock(&lock);
	pthread_create(&thread, NULL, wait, NULL);
	operate();
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	operate();
	printf("%ld %d\n", word, half);
	return 0;
}
