package inroad.observe;

/**
 * Counts the executions of each method or block. It is on the boot class path, because
 * instrumented classes of all loaders use it.
 */
public final class Probes {
    // Races between threads may lose increments, but never the first one.
    private static int[] counts = new int[0];

    private Probes() {}

    static void reset(int probes) {
        counts = new int[probes];
    }

    /** Called at the entry of every observed method or block. */
    public static void hit(int probe) {
        counts[probe]++;
    }

    static void clear() {
        java.util.Arrays.fill(counts, 0);
    }

    static int[] snapshot() {
        return counts.clone();
    }
}
