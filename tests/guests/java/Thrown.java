// SPDX-License-Identifier: GPL-2.0-or-later
/* Exceptions that leave several frames, of compiled and interpreted methods. */
public class Thrown {
	static class Own extends RuntimeException {
		final int n;

		Own(int n) {
			super("", null, false, false);
			this.n = n;
		}
	}

	static int leaf(int n) { return n * 31 + 7; }
	static int thrown(int n, int from) {
		if (n == 0)
			throw new Own(from);
		return thrown(n - 1, from) + 1;
	}
	static int caught(int n) {
		try { return thrown(n, n) + leaf(2); } catch (Own e) { return leaf(e.n); }
	}
	static int implicit(int[] a, int n) {
		if (n > 0) return implicit(a, n - 1) + leaf(n);
		return a[7];
	}
	static int bounds(int[] a, int n) {
		try { return implicit(a, n); } catch (ArrayIndexOutOfBoundsException e) { return leaf(n); }
	}
	static int nulls(int[] a, int n) {
		try { return implicit(a, n); } catch (NullPointerException e) { return leaf(n + 1); }
	}
	static int done;
	static int finals(int n) {
		try {
			if (n == 0) throw new Own(1);
			return finals(n - 1);
		} finally { done += leaf(n); }
	}
	static int outer(int n) {
		try { return finals(n); } catch (Own e) { return leaf(e.n); }
	}
	static int selective(int n) {
		try { return n > 3 ? thrown(n, n) : selective2(n); } catch (IllegalStateException e) { return 1; }
	}
	static int selective2(int n) {
		if (n == 2) throw new IllegalStateException();
		return thrown(n, n);
	}
	static int rethrow(int n) {
		try { return selective(n); } catch (Own e) { if (e.n > 2) throw e; return 5; }
	}
	static int round(int n) {
		int[] a = new int[4];
		int sum = caught(n) + bounds(a, n) + nulls(null, n) + outer(n);
		try { sum += rethrow(n); } catch (Own e) { sum += leaf(e.n); }
		return sum + leaf(sum);
	}
	public static void main(String[] args) {
		int sum = 0;
		for (int i = 0; i < 100; i++)
			sum = sum * 31 + round(i % 7);
		System.out.println(sum + " " + done);
	}
}
