package inroad.observe;

/**
 * Counts the calls of each method. It is on the boot class path, because
 * instrumented classes of all loaders use it.
 */
public final class Probes {
    // Races between threads may lose increments, but never the first one.
    private static int[] counts = new int[0];

    private Probes() {}

    static void reset(int methods) {
        counts = new int[methods];
    }

    /** Called at the entry of every observed method. */
    public static void hit(int method) {
        counts[method]++;
    }

    static void clear() {
        java.util.Arrays.fill(counts, 0);
    }

    static int[] snapshot() {
        return counts.clone();
    }
}
