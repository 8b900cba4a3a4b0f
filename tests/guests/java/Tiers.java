// SPDX-License-Identifier: GPL-2.0-or-later

/*
 * What compilers make of methods: recursion, a long loop that is left and entered compiled,
 * a method whose class stops being the only one. How often each is called, and each branch
 * taken, is known by reckoning.
 */
public class Tiers {
	static int calls;

	static int fib(int n) {
		if (n < 2)
			return n;
		return fib(n - 1) + fib(n - 2);
	}

	/* A method of its own in all tiers: too large to be inlined, or forbidden by the test. */
	static int collatz(long n) {
		int steps = 0;
		while (n != 1) {
			if ((n & 1) == 0)
				n = n / 2;
			else
				n = 3 * n + 1;
			steps++;
		}
		return steps;
	}

	/* One call, which the compilers enter in its midst. */
	static long loop(int rounds) {
		long sum = 0;
		for (int i = 0; i < rounds; i++)
			if (i % 3 == 0)
				sum += i;
			else
				sum ^= i;
		return sum;
	}

	interface Shape {
		int area(int by);
	}

	static class Square implements Shape {
		public int area(int by) { return by * by; }
	}

	static class Line implements Shape {
		public int area(int by) { return 0; }
	}

	static int measure(Shape shape, int by) {
		return shape.area(by);
	}

	static long shapes(Shape shape, int rounds) {
		long sum = 0;
		for (int i = 0; i < rounds; i++)
			sum += measure(shape, i);
		return sum;
	}

	public static void main(String[] words) {
		long sum = fib(20);
		for (int i = 1; i <= 3000; i++)
			sum += collatz(i);
		sum += loop(200000);
		sum += shapes(new Square(), 20000);
		sum += shapes(new Line(), 5000);
		System.out.println(sum);
	}
}
