// SPDX-License-Identifier: GPL-2.0-or-later
/** Prints what the JVM was told, as far as it tells that. */
public class Arguments {
	public static void main(String[] args) {
		System.out.println(java.lang.management.ManagementFactory.getRuntimeMXBean()
			.getInputArguments());
	}
}
