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

/**
 * Instruments methods with a probe at their entry. The agent's argument is the
 * file with the output of {@link Scan}; the probe of a method is its line number
 * in that file, from 0.
 */
public final class Agent implements ClassFileTransformer {
    private final Map<String, Map<String, Integer>> probes = new HashMap<>(); // by class, then by method

    private Agent(String table) throws IOException {
        int line = 0;
        for (String text : Files.readAllLines(Paths.get(table), StandardCharsets.UTF_8)) {
            String[] fields = text.split("\t", -1);
            probes.computeIfAbsent(fields[0], name -> new HashMap<>()).put(fields[1] + '\t' + fields[2], line++);
        }
        Probes.reset(line);
    }

    public static void premain(String table, Instrumentation instrumentation) throws IOException {
        instrumentation.addTransformer(new Agent(table));
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        Map<String, Integer> methods = name == null ? null : probes.get(name);
        if (methods == null) {
            return null;
        }
        try {
            return new ClassFile(bytes).instrument(m -> methods.getOrDefault(m.name + '\t' + m.descriptor, -1));
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
