// SPDX-License-Identifier: GPL-2.0-or-later

/*
 * One thread that calls much and decides little, so that gaps between windows have one way often.
 * What it executes depends on nothing, so every run executes the same bytecodes.
 */
public class Gaps {
	interface Shape {
		int area(int by);

		default int twice(int by) { return area(by) + area(by + 1); }
	}

	static class Square implements Shape {
		int side = 3;

		public int area(int by) { return side * side * by; }
	}

	/* It has no area() of its own. */
	static final class Named extends Square {
		int name() { return side ^ 21; }
	}

	static final class Line implements Shape {
		final int length;

		Line(int length) { this.length = length; }

		public int area(int by) { return length + by; }
	}

	private int state = 12345;

	static int leaf(int n) { return n * 31 + 7; }

	static int straight(int a, int b) {
		int c = a * b + 7;
		int d = c ^ a << 3;
		int e = d - (b >>> 2) + leaf(c & 255);

		c = e + d * 5 - leaf(e);
		d = c ^ e ^ 99;
		return c + d + e;
	}

	static int nested(int n) { return straight(n, leaf(n)) + straight(leaf(n + 1), n); }

	static int recursive(int n, int sum) { return n == 0 ? sum : recursive(n - 1, leaf(sum)); }

	private int next() {
		state = state * 1103515245 + 12345;
		return state >>> 16 & 32767;
	}

	private int fields(int n) {
		state ^= n;
		state += leaf(state);
		return state & 1023;
	}

	static int caught(int n) {
		try {
			return leaf(n) / (n & 7);
		} catch (ArithmeticException e) {
			return 5;
		}
	}

	private int round(Shape one, Shape other, Named named) {
		int result = nested(next()) + fields(3) + one.twice(next()) + named.name();

		if (next() % 3 == 0)
			result ^= other.area(result) + named.area(2);
		for (int i = next() & 3; i > 0; i--)
			result += straight(i, result);
		return result + recursive(next() & 3, result) + caught(next());
	}

	public static void main(String[] args) {
		Gaps gaps = new Gaps();
		Named named = new Named();
		int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 400, sum = 0;

		for (int i = 0; i < rounds; i++)
			sum = sum * 31 + gaps.round(i % 2 == 0 ? new Line(i) : named, new Line(sum), named);
		System.out.println(sum);
	}
}
