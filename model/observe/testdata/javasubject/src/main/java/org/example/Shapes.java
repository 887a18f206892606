package org.example;

import java.io.Reader;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/* Methods of all shapes. Each body names its unit. { */
public class Shapes {
    private int field = start(); // a constructor begins here
    private final String text = "}";

    static int counter;

    static {
        counter = 1; // in: Shapes.<clinit>()
    }

    public Shapes() {
        this(counter > 0 ? new StringBuilder("x") : null, counter); // in: Shapes.<init>()
    }

    Shapes(
            CharSequence s,
            int n) { // in: Shapes.<init>(CharSequence,int)
        super();
        field += s == null ? n : s.length();
    }

    static int start() {
        return 0; // in: Shapes.start()
    }

    public int parse(Reader reader) throws Exception {
        int sum = 0; // in: Shapes.parse(Reader)
        long wide = 0;
        for (int c; (c = reader.read()) >= 0; ) {
            switch (c) {
                case 'a': sum += overloaded(1); break;
                case 'b': sum += overloaded("b"); break;
                case 'c': sum += new Inner().inner(); break;
                case 'd': sum += lambda(x -> x + 1); break;
                case 'e': sum += Color.RED.weight(); break;
                case 'f': sum += guarded(c); break;
                case 'g': sum += ((Default) () -> 1).twice(); break;
                case 'h': sum += sparse(c * 1000); break;
                case 'i': sum += new Object() {
                    @Override
                    public int hashCode() {
                        return 5; // in: Shapes.1.hashCode()
                    }
                }.hashCode(); break;
                case 'j': sum += generic(Arrays.asList(1, 2).get(0)); break;
                case 'k': wide += 1L << c; sum += (int) wide + (int) (0.5 * wide); break;
                case 'x': throw new IllegalArgumentException("x");
                default: sum++;
            }
        }
        return sum;
    }

    private int overloaded(int n) {
        return n; // in: Shapes.overloaded(int)
    }

    @Deprecated
    @SuppressWarnings(value = {"unused", "("})
    private int overloaded(
            final String s // in: Shapes.overloaded(String)
    ) {
        if (s.length() > 5) {
            return overloaded(s.substring(1));
        }
        return s.length();
    }

    private static int lambda(IntUnaryOperator f) {
        return f.applyAsInt(2); // in: Shapes.lambda(IntUnaryOperator)
    }

    private static <T extends Comparable<T>> int generic(T value) {
        Comparable<T> c = value; // in: Shapes.generic(Comparable)
        return c.compareTo(value);
    }

    private static int guarded(int c) {
        int result = 0;
        try {
            if (c > 0) {
                throw new IllegalStateException();
            }
            result = 1;
        } catch (IllegalStateException | UnsupportedOperationException e) {
            result = 2; // in: Shapes.guarded(int)
        } finally {
            result += 3;
        }
        synchronized (Shapes.class) {
            while (result < 10) {
                result += 4;
            }
        }
        return result;
    }

    private static int sparse(int c) {
        do { // a jump back to the beginning
            c--;
        } while (c > 100_000);
        switch (c) {
            case -1_000_000: return 1;
            case 0: return 2; // in: Shapes.sparse(int)
            case 99_999: return 3;
            case 1_000_000: return 4;
            default: return 5;
        }
    }

    private static int never(int n) {
        return n; // in: Shapes.never(int)
    }

    class Inner {
        int inner() {
            return field; // in: Shapes.Inner.inner()
        }
    }

    interface Default {
        int once();

        default int twice() {
            return 2 * once(); // in: Shapes.Default.twice()
        }
    }

    enum Color {
        RED { @Override int weight() { return 7; } };

        abstract int weight();
    }

    /** Takes what the harness cannot give. */
    public static void silent(int n) {}

    static byte[] bytes(byte[] input) {
        return input;
    }
}
