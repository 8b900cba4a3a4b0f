// SPDX-License-Identifier: GPL-2.0-or-later
import java.io.IOException;
import java.util.function.Supplier;

/** What compilers add to a program, which a report of coverage leaves out. */
public class Added {
	enum Colour {
		RED, GREEN, BLUE;

		int number() {
			assert ordinal() < 3;
			return ordinal();
		}
	}

	record Point(int x, int y) {
		int sum() {
			return x + y;
		}
	}

	record Named(String name, long id, double weight) {
		public String name() {
			return name + "!";
		}
	}

	static class Helper {
		private Helper() {
		}

		static int two() {
			return 2;
		}
	}

	static class Base<T> {
		T get(T value) {
			return value;
		}
	}

	static class Derived extends Base<String> {
		@Override
		String get(String value) {
			return value + value;
		}
	}

	static class Resource implements AutoCloseable {
		final boolean fails;

		Resource(boolean fails) {
			this.fails = fails;
		}

		int use() throws IOException {
			if (fails)
				throw new IOException("use");
			return 3;
		}

		@Override
		public void close() {
			closed++;
		}
	}

	static int closed;

	static synchronized int whole() {
		return 1;
	}

	static int locked(Object lock, boolean early) {
		synchronized (lock) {
			if (early)
				return 1;
			closed += 2;
		}
		return 2;
	}

	static int withFinally(int n) {
		int result = 0;
		try {
			if (n > 2)
				return n;
			result = 10 / n;
		} catch (ArithmeticException e) {
			result = -1;
		} finally {
			closed++;
			if (closed > 1000)
				closed = 0;
		}
		return result;
	}

	static int onlyFinally(int n) {
		try {
			n++;
		} finally {
			closed += n;
		}
		return n;
	}

	static int nested(int n) {
		for (int i = 0; i < n; i++) {
			try {
				try {
					if (i == 1)
						continue;
					if (i == 3)
						break;
					closed++;
				} finally {
					closed += 2;
				}
			} finally {
				closed += 3;
			}
		}
		return n;
	}

	static int resources(boolean fails) {
		try (Resource first = new Resource(false); Resource second = new Resource(fails)) {
			return first.use() + second.use();
		} catch (IOException e) {
			return -1;
		}
	}

	static int maybeNull(Supplier<Resource> supplier) throws IOException {
		int n = 0;
		try (Resource resource = supplier.get()) {
			n = resource == null ? 0 : resource.use();
		}
		return n;
	}

	static int byString(String name) {
		switch (name) {
		case "one":
			return 1;
		case "two":
			return 2;
		case "Aa":
		case "BB":
			return 3;
		default:
			return 0;
		}
	}

	static int byColour(Colour colour) {
		switch (colour) {
		case RED:
			return 1;
		case BLUE:
			return 2;
		default:
			return 3;
		}
	}

	static int exhaustive(Colour colour) {
		return switch (colour) {
		case RED -> 4;
		case GREEN -> 5;
		case BLUE -> 6;
		};
	}

	static int checked(int n) {
		assert n > 0 : "negative";
		return n;
	}

	static int lambdas(int n) {
		Supplier<Integer> one = () -> n + 1;
		Supplier<Integer> never = () -> n - 1;
		return one.get() + (n > 100 ? never.get() : 0);
	}

	public static void main(String[] args) throws IOException {
		int total = whole() + locked(args, true) + withFinally(3) + withFinally(1);
		total += withFinally(0) + onlyFinally(4) + nested(5);
		total += resources(false) + resources(true) + maybeNull(() -> new Resource(false));
		total += byString("one") + byString("BB") + byColour(Colour.BLUE);
		total += exhaustive(Colour.RED) + Colour.BLUE.number() + checked(5) + lambdas(6);
		total += new Point(1, 2).sum() + new Named("x", 1, 2).name().length();
		total += new Derived().get("abc").length() + Helper.two();
		System.out.println(total + " " + closed);
	}
}
