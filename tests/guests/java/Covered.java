// SPDX-License-Identifier: GPL-2.0-or-later
import java.util.function.IntSupplier;

/** Lines and branches that run and that do not, for a report of coverage. */
public class Covered {
	interface Shape {
		int area();
	}

	static class Square implements Shape {
		final int side;

		Square(int side) {
			this.side = side;
		}

		public int area() {
			return side * side;
		}

		int never() {
			return side + 1;
		}
	}

	static int pick(int n) {
		if (n > 2)
			return 1;
		else if (n == 2 || n < -5)
			return 2;
		return 3;
	}

	static int sum(int[] values) {
		int total = 0;
		for (int value : values) {
			if (value < 0)
				continue;
			total += value > 10 ? 10 : value;
		}
		while (total > 1000)
			total -= 100;
		return total;
	}

	static int choose(int n) {
		switch (n) {
		case 0:
			return 10;
		case 1:
			return 11;
		case 2:
		case 3:
			return 12;
		case 1000:
			return 13;
		default:
			return 14;
		}
	}

	static int either(boolean a, boolean b) {
		return a && b ? 1 : 0;
	}

	static int apply(IntSupplier supplier) {
		return supplier.getAsInt();
	}

	public static void main(String[] args) {
		int total = pick(1) + pick(3) + sum(new int[] { 1, -1, 20 }) + choose(1) + choose(3);
		total += new Square(3).area() + either(true, false) + apply(() -> 7);
		if (args.length > 3)
			total = choose(1000);
		System.out.println(total);
	}
}
