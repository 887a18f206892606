package inroad.observe;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.ProtectionDomain;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Inserts probes into methods. The agent's argument is the file with the output of
 * {@link Scan}; the number of a probe is its line number in that file, from 0.
 */
public final class Agent implements ClassFileTransformer {
    // The probes of each class by method and offset.
    private final Map<String, Map<String, TreeMap<Integer, Integer>>> probes = new HashMap<>();

    private Agent(String table) throws IOException {
        int line = 0;
        for (String text : Files.readAllLines(Paths.get(table), StandardCharsets.UTF_8)) {
            String[] fields = text.split("\t", -1);
            probes.computeIfAbsent(fields[0], name -> new HashMap<>())
                    .computeIfAbsent(fields[1] + '\t' + fields[2], method -> new TreeMap<>())
                    .put(Integer.valueOf(fields[7]), line++);
        }
        Probes.reset(line);
    }

    public static void premain(String table, Instrumentation instrumentation) throws IOException {
        instrumentation.addTransformer(new Agent(table));
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        Map<String, TreeMap<Integer, Integer>> methods = name == null ? null : probes.get(name);
        if (methods == null) {
            return null;
        }
        try {
            return new ClassFile(bytes).instrument(m -> methods.get(m.name + '\t' + m.descriptor));
        } catch (IOException | RuntimeException e) {
            System.err.println("inroad: " + name + " is not observed: " + e);
            return null;
        }
    }

    static byte[] readAll(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] buffer = new byte[1 << 14];
        for (int n; (n = in.read(buffer)) >= 0; ) {
            out.write(buffer, 0, n);
        }
        return out.toByteArray();
    }
}
