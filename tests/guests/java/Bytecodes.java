// SPDX-License-Identifier: GPL-2.0-or-later
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;

/*
 * What an interpreter of bytecode finds hard: switches of both kinds, sparse and dense,
 * wide locals, exceptions that pass several frames or that the runtime throws, monitors,
 * lambdas, pairs that HotSpot fuses. Four threads run it; what each one does depends on
 * nothing but its own number, so every run executes the same bytecodes.
 */
public class Bytecodes extends Thread {
	static final Object lock = new Object();
	static int total;

	interface Shape {
		int area();

		default int twice() { return 2 * area(); }
	}

	record Square(int side) implements Shape {
		public int area() { return side * side; }
	}

	static class Box implements Shape {
		int wide = 3, high = 4;
		Box next;
		float weight = 1.5f;

		public int area() { return wide * high; }

		float heavy() { return weight + weight; }

		Box follow() { return next; }
	}

	private final int number;
	private int sum;

	Bytecodes(int number) {
		super("worker-" + number);
		this.number = number;
	}

	static int dense(int n) {
		switch (n) {
		case 0: return 5;
		case 1: return 7;
		case 2: return 9;
		case 3:
		case 4: return 11;
		default: return -n;
		}
	}

	/* Few keys: HotSpot searches them one by one. */
	static int sparse(int n) {
		switch (n) {
		case -100: return 1;
		case 7: return 2;
		case 5000: return 3;
		default: return 0;
		}
	}

	/* Many keys: it halves them. */
	static int many(int n) {
		switch (n) {
		case 1: return 10;
		case 20: return 11;
		case 300: return 12;
		case 4000: return 13;
		case 50000: return 14;
		case 600000: return 15;
		case 7000000: return 16;
		case 80000000: return 17;
		default: return 18;
		}
	}

	static int named(String word) {
		switch (word) {
		case "one": return 1;
		case "two": return 2;
		case "Aa":
		case "BB": return 3;
		default: return 0;
		}
	}

	static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

	static int deep(int n, int kind) {
		if (n > 0)
			return deep(n - 1, kind) + 1;
		switch (kind) {
		case 0: throw new IllegalStateException("thrown");
		case 1: return new int[2][3][1].length;
		case 2: return 5 / (kind - 2);
		case 3: return new int[1][kind].length;
		case 4: return ((Box) (Object) new Box()).next.wide;
		default: return (Integer) (Object) "no number";
		}
	}

	static int caught(int kind) {
		int result = 0;

		try {
			result += deep(3, kind);
		} catch (IllegalStateException | ArithmeticException e) {
			result += 1;
		} catch (NullPointerException e) {
			result += 2;
		} catch (RuntimeException e) {
			result += 3;
		} finally {
			result += 100;
		}
		return result;
	}

	static int through(int kind) {
		try {
			try {
				return deep(1, kind);
			} finally {
				total(1);
			}
		} catch (RuntimeException e) {
			try {
				throw new Exception(e);
			} catch (Exception again) {
				return again.getCause() == e ? 40 : 50;
			}
		}
	}

	/* Rethrown by a handler, past a frame that has none for it. */
	static void rethrown(int n) {
		try {
			if (n == 0)
				throw new UnsupportedOperationException();
			rethrown(n - 1);
		} catch (UnsupportedOperationException e) {
			if (n < 2)
				throw e;
		}
	}

	static void total(int by) {
		synchronized (lock) {
			total += by;
		}
	}

	synchronized int held(int n) {
		if (n == 3)
			throw new IllegalArgumentException();
		return n + sum;
	}

	static long numbers(int n) {
		long wide = n;
		double real = n * 1.5;
		float half = n / 2f;

		wide = wide << 3 ^ wide >>> 1 | 5L & wide;
		real = real % 2.5 - half;
		return wide + (long) real + (n > 2 ? ~wide : -wide) + (char) n + (byte) n + (short) n;
	}

	static int arrays(int n) {
		char[] letters = { 'a', 'b', 'c', 'd' };
		int[] counts = new int[n + 2];
		int[][] table = new int[3][n + 1];
		Object[] things = { "x", 1, letters };
		int result = 0;

		for (int i = 0; i < letters.length; i++)
			counts[i % counts.length] += letters[i];
		for (int[] row : table)
			for (int i = 0; i < row.length; i++)
				row[i] = i ^ n;
		for (Object thing : things)
			result += thing instanceof String ? 1 : thing instanceof char[] many ? many.length : 9;
		return result + counts[0] + table[2][n];
	}

	static int lambdas(int n) {
		IntUnaryOperator add = x -> x + n;
		IntBinaryOperator both = Math::max;
		Runnable run = () -> total(n);

		run.run();
		return both.applyAsInt(add.applyAsInt(n), 10) + ("n" + n + '!').length();
	}

	int fields(Box box) {
		int result = box.wide + box.high;
		Box inner = box.follow();

		sum += result;
		if (inner != null)
			result += inner.area() + (int) inner.heavy();
		return result + new Square(result % 5).twice();
	}

	/* So many locals that the last ones need "wide". */
	static int wide(int n) {
		long v0 = n, v1 = v0 + 1, v2 = v1 + 1, v3 = v2 + 1, v4 = v3 + 1;
		long v5 = n, v6 = v5 + 1, v7 = v6 + 1, v8 = v7 + 1, v9 = v8 + 1;
		long v10 = n, v11 = v10 + 1, v12 = v11 + 1, v13 = v12 + 1, v14 = v13 + 1;
		long v15 = n, v16 = v15 + 1, v17 = v16 + 1, v18 = v17 + 1, v19 = v18 + 1;
		long v20 = n, v21 = v20 + 1, v22 = v21 + 1, v23 = v22 + 1, v24 = v23 + 1;
		long v25 = n, v26 = v25 + 1, v27 = v26 + 1, v28 = v27 + 1, v29 = v28 + 1;
		long v30 = n, v31 = v30 + 1, v32 = v31 + 1, v33 = v32 + 1, v34 = v33 + 1;
		long v35 = n, v36 = v35 + 1, v37 = v36 + 1, v38 = v37 + 1, v39 = v38 + 1;
		long v40 = n, v41 = v40 + 1, v42 = v41 + 1, v43 = v42 + 1, v44 = v43 + 1;
		long v45 = n, v46 = v45 + 1, v47 = v46 + 1, v48 = v47 + 1, v49 = v48 + 1;
		long v50 = n, v51 = v50 + 1, v52 = v51 + 1, v53 = v52 + 1, v54 = v53 + 1;
		long v55 = n, v56 = v55 + 1, v57 = v56 + 1, v58 = v57 + 1, v59 = v58 + 1;
		long v60 = n, v61 = v60 + 1, v62 = v61 + 1, v63 = v62 + 1, v64 = v63 + 1;
		long v65 = n, v66 = v65 + 1, v67 = v66 + 1, v68 = v67 + 1, v69 = v68 + 1;
		long v70 = n, v71 = v70 + 1, v72 = v71 + 1, v73 = v72 + 1, v74 = v73 + 1;
		long v75 = n, v76 = v75 + 1, v77 = v76 + 1, v78 = v77 + 1, v79 = v78 + 1;
		long v80 = n, v81 = v80 + 1, v82 = v81 + 1, v83 = v82 + 1, v84 = v83 + 1;
		long v85 = n, v86 = v85 + 1, v87 = v86 + 1, v88 = v87 + 1, v89 = v88 + 1;
		long v90 = n, v91 = v90 + 1, v92 = v91 + 1, v93 = v92 + 1, v94 = v93 + 1;
		long v95 = n, v96 = v95 + 1, v97 = v96 + 1, v98 = v97 + 1, v99 = v98 + 1;
		long v100 = n, v101 = v100 + 1, v102 = v101 + 1, v103 = v102 + 1, v104 = v103 + 1;
		long v105 = n, v106 = v105 + 1, v107 = v106 + 1, v108 = v107 + 1, v109 = v108 + 1;
		long v110 = n, v111 = v110 + 1, v112 = v111 + 1, v113 = v112 + 1, v114 = v113 + 1;
		long v115 = n, v116 = v115 + 1, v117 = v116 + 1, v118 = v117 + 1, v119 = v118 + 1;
		long v120 = n, v121 = v120 + 1, v122 = v121 + 1, v123 = v122 + 1, v124 = v123 + 1;
		long v125 = n, v126 = v125 + 1, v127 = v126 + 1, v128 = v127 + 1, v129 = v128 + 1;
		int last = (int) v129;

		last += 3000;
		for (int i = 0; i < n; i++)
			last += i;
		return last + (int) v128;
	}

	int all(int round) {
		Box box = new Box();
		int result = dense(round) + sparse(round * 1000) + many(round == 3 ? 300 : round) +
			     named(round % 2 == 0 ? "two" : "BB") + fib(round);

		for (int kind = 0; kind < 6; kind++)
			result += caught(kind) + through(kind);
		try {
			rethrown(3);
			result += held(round);
		} catch (IllegalArgumentException e) {
			result--;
		}
		if (round % 2 == 1)
			box.next = new Box();
		return result + fields(box) + (int) numbers(round) + arrays(round) + lambdas(round) + wide(round);
	}

	public void run() {
		for (int round = 0; round < 6 + number; round++)
			sum ^= all(round);
	}

	public static void main(String[] args) throws Exception {
		Bytecodes[] workers = new Bytecodes[4];
		int sum = 0;

		for (int i = 0; i < workers.length; i++)
			(workers[i] = new Bytecodes(i)).start();
		for (Bytecodes worker : workers) {
			worker.join();
			sum += worker.sum;
		}
		System.out.println("sum " + sum + " total " + total);
	}
}
