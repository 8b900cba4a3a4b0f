// SPDX-License-Identifier: GPL-2.0-or-later
import java.lang.reflect.Method;
import java.util.*;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/* Virtual threads that are unmounted in recursion, throw through what comes back, and wait. */
public class Virtual {
	static class Own extends RuntimeException {
		Own() { super("", null, false, false); }
	}

	static final Object monitor = new Object();
	static final ReentrantLock lock = new ReentrantLock();
	static int sum;

	/* Java 17, which this is compiled as, has no virtual threads. */
	static Thread start(Runnable what) {
		try {
			Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);

			return (Thread) start.invoke(null, what);
		} catch (ReflectiveOperationException e) {
			throw new Error(e);
		}
	}

	static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

	static int leaf(int n) { return n * 31 + 7; }

	/* All frames are copied away, and come back one after the other. */
	static int deep(int n) {
		if (n > 0)
			return deep(n - 1) + leaf(n);
		Thread.yield();
		return leaf(n);
	}

	static int ladder(int n) {
		int below;

		Thread.yield();
		below = n > 0 ? ladder(n - 1) : 0;
		Thread.yield();
		return below + leaf(n);
	}

	static int thrown(int n) {
		if (n > 0)
			return thrown(n - 1) + 1;
		Thread.yield();
		throw new Own();
	}

	static int caught(int n) {
		try {
			return thrown(n);
		} catch (Own e) {
			return leaf(n);
		}
	}

	/* Not unmounted. */
	static int pinned(int n) {
		synchronized (monitor) {
			Thread.yield();
			return leaf(n);
		}
	}

	static void locked(int n) {
		lock.lock();
		try {
			add(n);
			Thread.yield();
		} finally {
			lock.unlock();
		}
	}

	static synchronized void add(int n) { sum += n; }

	static void body(int n) {
		int all = fib(5) + deep(3 * n) + ladder(n % 4) + caught(n % 7);

		locked(all + pinned(n));
	}

	static void put(ArrayBlockingQueue<Integer> queue, int n) {
		try {
			for (int i = 0; i < n; i++)
				queue.put(leaf(i));
		} catch (InterruptedException e) {
			throw new Error(e);
		}
	}

	static void take(ArrayBlockingQueue<Integer> queue, int n) {
		try {
			for (int i = 0; i < n; i++)
				add(queue.take());
		} catch (InterruptedException e) {
			throw new Error(e);
		}
	}

	public static void main(String[] args) throws InterruptedException {
		ArrayBlockingQueue<Integer> queue = new ArrayBlockingQueue<>(2);
		List<Thread> all = new ArrayList<>();

		start(() -> {
			for (int i = 0; i < 12; i++) {
				int n = i;

				all.add(start(() -> body(n)));
			}
			all.add(start(() -> put(queue, 12)));
			all.add(start(() -> take(queue, 12)));
		}).join();
		for (Thread thread : all)
			thread.join();
		System.out.println(sum);
	}
}
