/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slow() is called 21,891 times. */
class Fib {
	static int Slow(int n)
	{
		return n < 2 ? n : Slow(n - 1) + Slow(n - 2);
	}

	static int Main()
	{
		System.Console.WriteLine(Slow(20));
		return 0;
	}
}
