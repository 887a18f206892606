package inroad.observe;

/**
 * Counts how often each method was entered. Instrumented classes of any loader
 * call it, so it stands on the boot class path.
 */
public final class Probes {
    // Threads may lose a count to each other, but never the first.
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
