import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Runs inputs through a library with one source file replaced. Arguments: a file
 * with one base64 input per line, and the class path of the library and of Study,
 * which has a method String run(String).
 *
 * <p>Each line of standard input requests a run: the index of the first input, and
 * the replacing source file, if any. The response is a line that is empty or has
 * the compiler error, and a line per input with a digest of the behaviour.
 *
 * <p>Compiled classes stay in memory, and each run has its own class loader. The
 * caller enforces timeouts.
 */
public final class Mutated {
    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    private final Path inputs;
    private final String classpath;
    private final URL[] urls;
    private final JavaFileManager files = COMPILER.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    private final PrintStream out = System.out;

    private Mutated(String inputs, String classpath) throws Exception {
        this.inputs = Path.of(inputs);
        this.classpath = classpath;
        String[] entries = classpath.split(java.io.File.pathSeparator);
        urls = new URL[entries.length];
        for (int i = 0; i < entries.length; i++) {
            urls[i] = Path.of(entries[i]).toUri().toURL();
        }
    }

    public static void main(String[] args) throws Exception {
        Mutated mutated = new Mutated(args[0], args[1]);
        System.setOut(new PrintStream(OutputStream.nullOutputStream())); // discard the output of mutants
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            String[] part = line.split(" ", 2);
            mutated.serve(Integer.parseInt(part[0]), part[1]);
        }
    }

    private void serve(int from, String file) throws Exception {
        List<String> lines = Files.readAllLines(inputs);
        Map<String, byte[]> classes = Map.of();
        if (!file.isEmpty()) {
            StringWriter trouble = new StringWriter();
            classes = compile(new Source(file), trouble);
            if (classes == null) {
                answer("it cannot be compiled: " + trouble.toString().lines().findFirst().orElse(""));
                return;
            }
        }
        answer("");
        try (Loader loader = new Loader(urls, classes)) {
            Thread.currentThread().setContextClassLoader(loader);
            Method run = loader.loadClass("Study").getMethod("run", String.class);
            for (String line : lines.subList(from, lines.size())) {
                String input = new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8);
                answer(digest(behaviour(run, input)));
            }
        }
    }

    private void answer(String line) {
        out.println(line);
        out.flush();
    }

    /** Compiles a source file and returns its classes by name, or null if it does not compile. */
    private Map<String, byte[]> compile(Source source, StringWriter trouble) {
        Memory memory = new Memory(files);
        List<String> options = List.of("-nowarn", "-proc:none", "-implicit:none", "-cp", classpath);
        if (!COMPILER.getTask(new PrintWriter(trouble), memory, null, options, null, List.of(source)).call()) {
            return null;
        }
        Map<String, byte[]> classes = new HashMap<>();
        memory.classes.forEach((name, code) -> classes.put(name, code.toByteArray()));
        return classes;
    }

    /** Returns the result of a run, or the exception that it throws. */
    private static String behaviour(Method run, String input) throws IllegalAccessException {
        try {
            return "returned " + run.invoke(null, input);
        } catch (InvocationTargetException e) {
            return "threw " + e.getCause();
        } catch (StackOverflowError | OutOfMemoryError e) {
            return "threw " + e;
        }
    }

    private static String digest(String text) throws Exception {
        byte[] sum = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        return String.format("%016x", java.nio.ByteBuffer.wrap(sum).getLong());
    }

    /** A source file under the name that its class requires. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String file) throws Exception {
            super(Path.of(file).toUri(), Kind.SOURCE);
            text = Files.readString(Path.of(file));
        }

        @Override
        public boolean isNameCompatible(String name, Kind kind) {
            return true;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreErrors) {
            return text;
        }
    }

    /** Keeps compiled classes in memory. */
    private static final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
        final Map<String, ByteArrayOutputStream> classes = new HashMap<>();

        Memory(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:/" + name.replace('.', '/') + kind.extension), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream code = new ByteArrayOutputStream();
                    classes.put(name, code);
                    return code;
                }
            };
        }
    }

    /** Loads the library with the replaced classes. */
    private static final class Loader extends URLClassLoader {
        private final Map<String, byte[]> classes;

        Loader(URL[] urls, Map<String, byte[]> classes) {
            super(urls, ClassLoader.getPlatformClassLoader());
            this.classes = classes;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] code = classes.get(name);
            return code == null ? super.findClass(name) : defineClass(name, code, 0, code.length);
        }
    }
}
