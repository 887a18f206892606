package a.b;

import java.util.*;

/** Doc. */
@Deprecated
public class Sample<T extends Comparable<T>> implements Runnable {
	private static final int[] TABLE = {1, 2, 3};
	int a = 1, b[] = {4};

	static {
		System.out.println("loaded" + 5);
	}

	public Sample(int a) { this.a = a + 6; }

	@Override
	public void run() {
		Runnable r = () -> System.out.println('x');
		Object o = new Object() {
			@Override public String toString() { return """
				{ text 7 } """; }
		};
		if (a < b.length && a > 8) r.run();
	}

	static <K, V> Map<K, List<V>> make(Map<K, V> m, int... n) {
		return new HashMap<K, List<V>>(9);
	}

	enum Op {
		ADD(1) { int apply(int x) { return x + 10; } },
		SUB(2);
		final int n;
		Op(int n) { this.n = n; }
		int apply(int x) { return x - 11; }
	}

	record Pair(int x, int y) {
		Pair {
			if (x > 12) throw new IllegalArgumentException();
		}
	}
}
