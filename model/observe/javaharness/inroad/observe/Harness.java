package inroad.observe;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringReader;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/**
 * Calls a method on one input after the other and reports its counters.
 * Arguments: CLASS#METHOD, and the time limit per input in milliseconds.
 *
 * <p>Inputs arrive on file descriptor 3 and frames leave on 4, so that the method
 * may use standard input and output. An input is a four-byte little-endian length
 * followed by the bytes. A frame is a letter, a length of the same form, and the
 * contents: M once at the start, C with the counters (the last before R is valid),
 * and R with the result in JSON, which completes the input.
 *
 * <p>Counters are pairs of varints: the distance from the previous reached method
 * in the table, and the number of calls.
 */
public final class Harness {
    private static final int POLL_INTERVAL = 25; // milliseconds between checks of a running method
    private static final int MAX_MESSAGE = 1000;
    private static final int DIGEST_FRAMES = 8;
    private static final int MAX_THREADS = 200; // in addition to those at the start; beyond that, the process exits

    private final DataInputStream in;
    private final OutputStream out;
    private final long timeout;
    private final SynchronousQueue<byte[]> inputs = new SynchronousQueue<>();
    private final SynchronousQueue<Result> results = new SynchronousQueue<>();

    /** Calls the method once. */
    private interface Call {
        void run(byte[] input) throws Throwable;
    }

    /** The result of a run. */
    private static final class Result {
        Throwable thrown; // may be null
    }

    private Harness(long timeout) throws IOException {
        this.timeout = timeout;
        in = new DataInputStream(new FileInputStream("/dev/fd/3"));
        out = new FileOutputStream("/dev/fd/4");
    }

    public static void main(String[] args) throws Exception {
        Harness harness = new Harness(Long.parseLong(args[1]));
        Call call = find(args[0]);
        initialize(args[0]);
        Thread runner = new Thread(() -> harness.runInputs(call), "inroad");
        runner.setDaemon(true);
        runner.start();
        harness.serve();
        Runtime.getRuntime().halt(0); // without waiting for threads of the method
    }

    private void serve() throws Exception {
        send('M', new byte[0]);
        Runtime.getRuntime().addShutdownHook(new Thread(this::sendLastCounters));
        int threads = Thread.activeCount();
        for (byte[] input; (input = receive()) != null; ) {
            Probes.clear();
            long start = System.nanoTime();
            inputs.put(input);
            Result result;
            boolean late;
            while (true) {
                result = results.poll(POLL_INTERVAL, TimeUnit.MILLISECONDS);
                late = System.nanoTime() - start > timeout * 1_000_000;
                if (result != null || late) {
                    break;
                }
                sendCounters(); // in case the process dies
            }
            long took = System.nanoTime() - start;
            sendCounters();
            boolean last = result == null || result.thrown instanceof OutOfMemoryError || leaks()
                    || Thread.activeCount() > threads + MAX_THREADS;
            send('R', describe(result, took, last).getBytes(StandardCharsets.UTF_8));
            if (last) {
                return;
            }
        }
    }

    private byte[] receive() throws IOException {
        try {
            byte[] input = new byte[Integer.reverseBytes(in.readInt())];
            in.readFully(input);
            return input;
        } catch (EOFException e) {
            return null;
        }
    }

    private synchronized void send(char kind, byte[] data) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(5 + data.length);
        frame.put((byte) kind).putInt(Integer.reverseBytes(data.length)).put(data);
        out.write(frame.array());
    }

    private void sendCounters() throws IOException {
        int[] counts = Probes.snapshot();
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        int before = 0;
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] != 0) {
                writeNumber(data, i - before);
                writeNumber(data, counts[i]);
                before = i;
            }
        }
        send('C', data.toByteArray());
    }

    private static void writeNumber(ByteArrayOutputStream out, int number) {
        for (; (number & ~0x7F) != 0; number >>>= 7) {
            out.write(number & 0x7F | 0x80);
        }
        out.write(number);
    }

    /** Sends the counters when the method exits the process. */
    private void sendLastCounters() {
        try {
            sendCounters();
        } catch (IOException e) {
            // The observer is gone.
        }
    }

    /** Reports whether more than half of the memory stays in use after a collection. */
    private static boolean leaks() {
        Runtime runtime = Runtime.getRuntime();
        if (runtime.totalMemory() - runtime.freeMemory() < runtime.maxMemory() * 7 / 10) {
            return false;
        }
        System.gc();
        return runtime.totalMemory() - runtime.freeMemory() > runtime.maxMemory() / 2;
    }

    /** Runs inputs from the queue, in a thread that is abandoned if an input takes too long. */
    private void runInputs(Call call) {
        while (true) {
            try {
                byte[] input = inputs.take();
                Result result = new Result();
                try {
                    call.run(input);
                } catch (Throwable t) {
                    result.thrown = t;
                }
                Thread.interrupted(); // clear an interrupt that was meant for the method
                results.put(result);
            } catch (InterruptedException e) {
                // From a thread that the method left behind: ignore.
            }
        }
    }

    private static String describe(Result result, long took, boolean last) {
        StringBuilder json = new StringBuilder("{");
        if (result == null) {
            json.append("\"outcome\":\"timeout\"");
        } else if (result.thrown == null) {
            json.append("\"outcome\":\"ok\"");
        } else {
            // Programs report invalid inputs by exceptions, and are not expected to catch errors.
            json.append("\"outcome\":").append(result.thrown instanceof Error ? "\"crash\"" : "\"failure\"");
            json.append(",\"type\":").append(quote(result.thrown.getClass().getName()));
            json.append(",\"message\":").append(quote(message(result.thrown)));
            json.append(",\"stack\":").append(quote(digest(result.thrown)));
        }
        return json.append(",\"ns\":").append(took).append(",\"last\":").append(last).append('}').toString();
    }

    private static String message(Throwable t) {
        try {
            String text = t.getMessage();
            return text == null ? "" : text.substring(0, Math.min(text.length(), MAX_MESSAGE));
        } catch (Throwable other) {
            return "(message not available)";
        }
    }

    /** Returns a digest of the innermost methods on the stack. */
    private static String digest(Throwable t) {
        try {
            MessageDigest hash = MessageDigest.getInstance("SHA-256");
            String before = "";
            int n = 0;
            for (StackTraceElement frame : t.getStackTrace()) {
                String name = frame.getClassName() + '.' + frame.getMethodName();
                if (n == DIGEST_FRAMES || name.startsWith("inroad.observe.Harness")) {
                    break;
                }
                boolean reflection = name.startsWith("java.lang.reflect.") || name.startsWith("jdk.internal.reflect.")
                        || name.startsWith("sun.reflect."); // frames vary with the number of calls
                if (!reflection && !name.equals(before)) { // ignore the depth of recursion
                    hash.update((name + '\n').getBytes(StandardCharsets.UTF_8));
                    before = name;
                    n++;
                }
            }
            StringBuilder hex = new StringBuilder();
            byte[] sum = hash.digest();
            for (int i = 0; i < 8; i++) {
                hex.append(String.format("%02x", sum[i]));
            }
            return hex.toString();
        } catch (Throwable other) {
            return "";
        }
    }

    private static String quote(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < 0x20 || c > 0x7E) {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        return json.append('"').toString();
    }

    /** Finds the method and returns a call that converts the input. */
    private static Call find(String target) throws Exception {
        int hash = target.lastIndexOf('#');
        String name = target.substring(hash + 1);
        Class<?> type = Class.forName(target.substring(0, hash), false, ClassLoader.getSystemClassLoader());
        List<Executable> all = new ArrayList<>();
        if (name.equals("new")) {
            all.addAll(Arrays.asList(type.getDeclaredConstructors()));
        }
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Method m : c.getDeclaredMethods()) {
                if (m.getName().equals(name) && !m.isSynthetic() && !Modifier.isAbstract(m.getModifiers())) {
                    all.add(m);
                }
            }
        }
        for (Class<?> parameter : new Class<?>[] {
            byte[].class, String.class, CharSequence.class, InputStream.class, Reader.class, char[].class, ByteBuffer.class
        }) {
            for (Executable e : all) {
                if (e.getParameterCount() == 1 && e.getParameterTypes()[0] == parameter) {
                    return call(type, e, parameter);
                }
            }
        }
        for (Executable e : all) {
            if (e.getParameterCount() == 1 && e.getParameterTypes()[0].getName().equals(FuzzInput.INTERFACE)) {
                return call(type, e, e.getParameterTypes()[0]);
            }
        }
        throw new IllegalArgumentException(all.isEmpty() ? target + ": method not found"
                : target + ": must take byte[], String, CharSequence, InputStream, Reader, char[], ByteBuffer or"
                        + " Jazzer's FuzzedDataProvider; wrap it in a method that does");
    }

    /** Calls fuzzerInitialize of the class of a fuzz target, if it has one. */
    private static void initialize(String target) throws Exception {
        int hash = target.lastIndexOf('#');
        if (!target.substring(hash + 1).equals("fuzzerTestOneInput")) {
            return;
        }
        Class<?> type = Class.forName(target.substring(0, hash), true, ClassLoader.getSystemClassLoader());
        try {
            type.getMethod("fuzzerInitialize").invoke(null);
        } catch (NoSuchMethodException none) {
            try {
                type.getMethod("fuzzerInitialize", String[].class).invoke(null, (Object) new String[0]);
            } catch (NoSuchMethodException neither) {
                // It needs no initialization.
            }
        }
    }

    private static Call call(Class<?> type, Executable e, Class<?> parameter) throws Exception {
        e.setAccessible(true);
        if (e instanceof Constructor) {
            return input -> unwrap(() -> ((Constructor<?>) e).newInstance(convert(input, parameter)));
        }
        Method m = (Method) e;
        if (Modifier.isStatic(m.getModifiers())) {
            return input -> unwrap(() -> m.invoke(null, convert(input, parameter)));
        }
        Constructor<?> constructor;
        try {
            constructor = type.getDeclaredConstructor();
        } catch (NoSuchMethodException none) {
            throw new IllegalArgumentException(m + ": must be static, or its class must have a constructor without parameters");
        }
        constructor.setAccessible(true);
        return input -> unwrap(() -> m.invoke(constructor.newInstance(), convert(input, parameter)));
    }

    private interface Reflection {
        Object run() throws Exception;
    }

    private static void unwrap(Reflection reflection) throws Throwable {
        try {
            reflection.run();
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Object convert(byte[] input, Class<?> parameter) {
        if (parameter == byte[].class) {
            return input;
        }
        if (parameter == InputStream.class) {
            return new ByteArrayInputStream(input);
        }
        if (parameter == ByteBuffer.class) {
            return ByteBuffer.wrap(input);
        }
        if (parameter.isInterface() && parameter.getName().equals(FuzzInput.INTERFACE)) {
            return FuzzInput.of(parameter, input);
        }
        String text = new String(input, StandardCharsets.UTF_8);
        if (parameter == Reader.class) {
            return new StringReader(text);
        }
        return parameter == char[].class ? text.toCharArray() : text;
    }
}
