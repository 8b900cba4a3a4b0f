// SPDX-License-Identifier: GPL-2.0-or-later
import java.util.function.IntUnaryOperator;

/* Calls for which an interpreter jumps to code that is not its own, and which goes on in it. */
public class Jumps {
	static int apply(IntUnaryOperator of, int n) { return of.applyAsInt(n) + of.applyAsInt(n + 1); }

	static int leaf(int n) { return n * 31 + 7; }

	static int caught(int[] array, int n) {
		try {
			array[n] = leaf(n);
			return array[0];
		} catch (ArrayIndexOutOfBoundsException e) {
			return 9;
		}
	}

	static int round(int[] array, int n) {
		int sum = caught(array, n & 7) + leaf(n);

		sum += apply(x -> x * 3 + leaf(x), sum);
		return sum + apply(x -> x + n, sum) + apply(Jumps::leaf, n);
	}

	public static void main(String[] args) {
		int[] array = new int[4];
		int sum = 0;

		for (int i = 0; i < 40; i++)
			sum = sum * 31 + round(array, i);
		System.out.println(sum);
	}
}
