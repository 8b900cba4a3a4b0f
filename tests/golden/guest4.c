// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a golden file with values is a recording of: accesses of every size, strided and
 * not, of floats, atomic ones, and one whose address is not aligned; a function with an
 * argument and a result.
 */
enum { SYS_EXIT_GROUP = 94, CELLS = 48 };

static long cells[CELLS];
static double weights[CELLS];
static unsigned char bytes[256];
static unsigned word;

static __attribute__((noinline)) unsigned mix(unsigned x)
{
	return x * 2654435761u ^ x >> 7;
}

static __attribute__((noinline)) void strided(unsigned step)
{
	for (unsigned i = 0; i < CELLS; i++) {
		cells[i] += (long)i * step - 9;
		weights[i] = weights[i] * 0.5 + i;
	}
}

static __attribute__((noinline)) void scattered(unsigned n)
{
	unsigned x = n;

	for (unsigned i = 0; i < n; i++) {
		x = mix(x);
		bytes[x % 256] = (unsigned char)(bytes[x >> 8 & 255] + i);
		((unsigned short *)bytes)[x >> 16 & 127] ^= (unsigned short)x;
	}
}

static __attribute__((noinline)) void atomically(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		__atomic_fetch_add(&word, i, __ATOMIC_SEQ_CST);
		__atomic_compare_exchange_n(&word, &(unsigned){ 3 }, i, 0,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	}
}

static __attribute__((noinline)) unsigned unaligned(unsigned at)
{
	unsigned value;

	__asm__ volatile("lw %0, 0(%1)" : "=r"(value) : "r"(bytes + 1 + 4 * at));
	return value;
}

static __attribute__((noreturn)) void end(long status)
{
	register long a7 __asm__("a7") = SYS_EXIT_GROUP;
	register long a0 __asm__("a0") = status;

	__asm__ volatile("ecall" : : "r"(a7), "r"(a0));
	__builtin_unreachable();
}

__attribute__((used)) static void run(void)
{
	unsigned x = 0;

	for (unsigned i = 1; i < 5; i++) {
		strided(i);
		scattered(8 * i);
		atomically(i);
		x = mix(x + unaligned(i) + word);
	}
	end(x & 63);
}

__asm__(".globl _start\n"
	"_start:\n"
	".option push\n"
	".option norelax\n"
	"la gp, __global_pointer$\n"
	".option pop\n"
	"andi sp, sp, -16\n"
	"call run\n");
