// SPDX-License-Identifier: GPL-2.0-or-later
import java.io.PrintWriter;
import java.util.*;

/*
 * What stamped classes executed: at the end of the program STAMPS.THREAD gets a line for
 * each bytecode of a thread, its method and offset. STAMPS is a property of the JVM.
 */
public class Stamped {
	private static final class Log {
		final String thread = Thread.currentThread().getName();
		String[] methods = new String[1 << 16];
		int[] offsets = new int[1 << 16];
		int n;
	}

	private static final List<Log> logs = Collections.synchronizedList(new ArrayList<>());
	private static final ThreadLocal<Log> current = ThreadLocal.withInitial(() -> {
		Log log = new Log();

		logs.add(log);
		return log;
	});

	static {
		Runtime.getRuntime().addShutdownHook(new Thread(Stamped::write));
	}

	public static void at(String method, int offset) {
		Log log = current.get();

		if (log.n == log.offsets.length) {
			log.methods = Arrays.copyOf(log.methods, 2 * log.n);
			log.offsets = Arrays.copyOf(log.offsets, 2 * log.n);
		}
		log.methods[log.n] = method;
		log.offsets[log.n++] = offset;
	}

	private static void write() {
		for (Log log : logs)
			try (PrintWriter out = new PrintWriter(System.getProperty("stamps") + "." + log.thread)) {
				for (int i = 0; i < log.n; i++)
					out.println(log.methods[i] + " " + log.offsets[i]);
			} catch (java.io.IOException e) {
				throw new java.io.UncheckedIOException(e);
			}
	}
}
