// SPDX-License-Identifier: GPL-2.0-or-later
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/** Bytecodes with all kinds of operands, each method of which runs. The test makes Many. */
public class Operands {
	interface Shape {
		int SIDES = 4;

		default double area() {
			return 2.5;
		}
	}

	static class Square implements Shape {
		float side = 1.5f;
		static long made;
		volatile Square next;

		Square() {
			made++;
		}
	}

	private int count = 100000;
	static double ratio = -1e-300, tiny = Double.MIN_VALUE, none = 0.0 / 0.0;
	static float huge = Float.MAX_VALUE, endless = -1f / 0f, third = 1f / 3;
	static String[] names = { "plain", "a \"quoted\" one\\\n\t", "Zähler…", "",
				  "it's", "forty bytes of text are shown of a constant, not more" };

	static String texts(int i) {
		return "n" + i + names[i % names.length];
	}

	static Class<?>[] classes() {
		return new Class<?>[] { String.class, int[].class, Square[][].class };
	}

	static int arrays() {
		boolean[] flags = new boolean[2];
		byte[] bytes = new byte[2];
		char[] chars = new char[2];
		short[] shorts = new short[2];
		int[] ints = new int[2];
		long[] longs = new long[] { 5, -7000000000L, Long.MIN_VALUE };
		float[] floats = new float[] { 3e10f, 0.1f };
		double[] doubles = new double[] { 1e22, 0.1, 123456789 };
		int[][][] cubes = new int[2][3][];
		String[][] rows = new String[2][2];
		Square[] squares = new Square[2];

		return flags.length + bytes.length + chars.length + shorts.length +
		       ints.length + longs.length + floats.length + doubles.length +
		       cubes.length + rows.length + squares.length;
	}

	int fields(Square square) {
		square.side += 2;
		square.next = square;
		count -= 3000000;
		return count + (int)Square.made + (int)square.next.side;
	}

	static String casts(Object object) {
		if (object instanceof String[])
			return ((String[])object)[0];
		if (object instanceof Square)
			return ((Square)object).area() + "";
		return object instanceof int[][] ? "rows" : ((Number)object).toString();
	}

	static int lambdas(int n) {
		IntUnaryOperator more = x -> x + n;
		Runnable nothing = Operands::arrays;

		nothing.run();
		return more.applyAsInt(40);
	}

	static int switches(int n) {
		switch (n % 5) {
		case 0:
			return 1000;
		case 1:
			return -40000;
		case 3:
			return 40000;
		default:
			return n == 1 << 20 ? 1 : 2;
		}
	}

	public static void main(String[] args) {
		List<Object> all = new ArrayList<>();

		for (int i = 0; i < 6; i++)
			all.add(texts(i) + switches(i));
		all.add(casts(new String[] { "of an array" }) + casts(new Square()) +
			casts(new int[1][1]) + casts(7));
		all.add(classes().length + arrays() + new Operands().fields(new Square()) +
			lambdas(2) + Many.all());
		System.out.println(all + " " + ratio + tiny + none + huge + endless + third);
	}
}
