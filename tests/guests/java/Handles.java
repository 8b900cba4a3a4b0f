// SPDX-License-Identifier: GPL-2.0-or-later
// Calls through method handles: HotSpot makes methods such as MethodHandle.linkToStatic for them.
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

public class Handles {
	static int twice(int n) {
		return 2 * n;
	}

	public static void main(String[] args) throws Throwable {
		MethodHandle handle = MethodHandles.lookup().findStatic(Handles.class, "twice",
				MethodType.methodType(int.class, int.class));
		int sum = 0;

		for (int i = 0; i < 1000; i++)
			sum += (int) handle.invokeExact(i);
		System.out.println(sum);
	}
}
