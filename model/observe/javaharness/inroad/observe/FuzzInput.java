package inroad.observe;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Gives an input to a fuzz target of Jazzer piece by piece. As in Jazzer, strings and
 * bytes are taken from the start of the input and numbers from its end, so that a
 * file that fails here fails there as well.
 */
final class FuzzInput implements InvocationHandler {
    static final String INTERFACE = "com.code_intelligence.jazzer.api.FuzzedDataProvider";

    private final byte[] data;
    private int from;
    private int to;

    private FuzzInput(byte[] data) {
        this.data = data;
        to = data.length;
    }

    /** Returns an object of the interface that provides the input. */
    static Object of(Class<?> provider, byte[] input) {
        return Proxy.newProxyInstance(provider.getClassLoader(), new Class<?>[] {provider}, new FuzzInput(input));
    }

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) {
        Object[] args = arguments == null ? new Object[0] : arguments;
        String name = method.getName();
        Class<?> type = method.getReturnType();
        switch (name) {
            case "remainingBytes":
                return to - from;
            case "consumeBytes":
                return bytes((Integer) args[0]);
            case "consumeRemainingAsBytes":
                return bytes(Integer.MAX_VALUE);
            case "consumeString":
            case "consumeAsciiString":
                return string((Integer) args[0], name.contains("Ascii"), true);
            case "consumeRemainingAsString":
            case "consumeRemainingAsAsciiString":
                return string(Integer.MAX_VALUE, name.contains("Ascii"), false);
            case "pickValue":
                return args[0] instanceof Collection ? pick(((Collection<?>) args[0]).toArray()) : pick(args[0]);
            case "pickValues":
                return pickSeveral(args[0] instanceof Collection ? ((Collection<?>) args[0]).toArray() : (Object[]) args[0], (Integer) args[1]);
            case "toString":
                return "input";
            case "hashCode":
                return System.identityHashCode(proxy);
            case "equals":
                return proxy == args[0];
            default:
                break;
        }
        if (type.isArray() && args.length == 1 && args[0] instanceof Integer) { // consumeInts(5)
            return values(type.getComponentType(), (Integer) args[0]);
        }
        if (name.startsWith("consume")) {
            return value(name, type, args);
        }
        throw new UnsupportedOperationException(name + " of Jazzer's FuzzedDataProvider");
    }

    /** Returns a boolean, a character or a number, in the range that the arguments may give. */
    private Object value(String name, Class<?> type, Object[] args) {
        if (type == boolean.class) {
            return (integer(0, 0xFF) & 1) == 1;
        }
        if (type == float.class || type == double.class) {
            double low = name.contains("Probability") ? 0 : type == float.class ? -Float.MAX_VALUE : -Double.MAX_VALUE;
            double high = name.contains("Probability") ? 1 : -low;
            if (args.length == 2) {
                low = ((Number) args[0]).doubleValue();
                high = ((Number) args[1]).doubleValue();
            }
            double share = integer(0, 0xFFFFFFFFL) / (double) 0xFFFFFFFFL;
            double value = low * (1 - share) + high * share;
            return type == float.class ? (Object) (float) value : (Object) value;
        }
        long[] range = range(type);
        if (args.length == 2) {
            range = new long[] {number(args[0]), number(args[1])};
        }
        long value = integer(range[0], range[1]);
        if (name.equals("consumeCharNoSurrogates") && value >= 0xD800 && value <= 0xDFFF) {
            value -= 0xD800;
        }
        return convert(type, value);
    }

    private static long[] range(Class<?> type) {
        if (type == byte.class) {
            return new long[] {Byte.MIN_VALUE, Byte.MAX_VALUE};
        }
        if (type == short.class) {
            return new long[] {Short.MIN_VALUE, Short.MAX_VALUE};
        }
        if (type == char.class) {
            return new long[] {0, Character.MAX_VALUE};
        }
        return type == int.class ? new long[] {Integer.MIN_VALUE, Integer.MAX_VALUE} : new long[] {Long.MIN_VALUE, Long.MAX_VALUE};
    }

    private static long number(Object value) {
        return value instanceof Character ? (Character) value : ((Number) value).longValue();
    }

    private static Object convert(Class<?> type, long value) {
        if (type == byte.class) {
            return (byte) value;
        }
        if (type == short.class) {
            return (short) value;
        }
        if (type == char.class) {
            return (char) value;
        }
        return type == int.class ? (Object) (int) value : (Object) value;
    }

    /** Returns an integer between two others, from as few bytes at the end as the range needs. */
    private long integer(long low, long high) {
        long range = high - low; // unsigned
        long value = 0;
        for (int bits = 0; bits < 64 && range >>> bits != 0 && from < to; bits += 8) {
            value = value << 8 | data[--to] & 0xFF;
        }
        return low + (range == -1 ? value : Long.remainderUnsigned(value, range + 1));
    }

    private byte[] bytes(int n) {
        byte[] out = Arrays.copyOfRange(data, from, (int) Math.min(to, (long) from + n));
        from += out.length;
        return out;
    }

    private Object values(Class<?> type, int n) {
        int size = type == long.class ? 8 : type == int.class ? 4 : type == short.class ? 2 : 1;
        Object all = Array.newInstance(type, Math.min(n, (to - from) / size));
        for (int i = 0; i < Array.getLength(all); i++) {
            long value = 0;
            for (int b = 0; b < size; b++) { // little-endian
                value |= (data[from++] & 0xFFL) << 8 * b;
            }
            Array.set(all, i, type == boolean.class ? (Object) ((value & 1) == 1) : convert(type, value));
        }
        return all;
    }

    /**
     * Returns a string of up to n characters. If it can end early, a backslash ends it
     * unless another one follows, which stands for a backslash.
     */
    private String string(int n, boolean ascii, boolean endsEarly) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        for (int chars = 0; chars < n && from < to; ) {
            byte b = data[from++];
            if (endsEarly && b == '\\') {
                if (from == to || data[from++] != '\\') {
                    break;
                }
            }
            text.write(ascii ? b & 0x7F : b);
            boolean endsChar = ascii || from == to || (data[from] & 0xC0) != 0x80;
            if (endsChar) {
                chars++;
            }
        }
        return new String(text.toByteArray(), StandardCharsets.UTF_8);
    }

    private Object pick(Object values) {
        return Array.get(values, (int) integer(0, Array.getLength(values) - 1L));
    }

    /** Picks values at different places. */
    private List<Object> pickSeveral(Object[] values, int n) {
        List<Object> left = new ArrayList<>(Arrays.asList(values));
        List<Object> picked = new ArrayList<>();
        while (picked.size() < n) {
            picked.add(left.remove((int) integer(0, left.size() - 1L)));
        }
        return picked;
    }
}
