package inroad.observe;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Prints a line for each method with code in the selected classes on a class path:
 * class, name, descriptor, access flags, source file, first line, last line, offset
 * of the first instruction, line of the first instruction. With blocks, the lines of
 * its blocks follow that of a method, except the first block, which is the entry.
 * Arguments: the class path, a comma-separated list of packages and classes, and
 * "method" or "block".
 */
public final class Scan {
    private final String[] prefixes;
    private final boolean blocks;
    private final PrintStream out;
    private final Set<String> seen = new HashSet<>(); // as the loader does, use the first class of a name

    private Scan(String[] prefixes, boolean blocks, PrintStream out) {
        this.prefixes = prefixes;
        this.blocks = blocks;
        this.out = out;
    }

    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        Scan scan = new Scan(prefixes(args[1]), args[2].equals("block"), out);
        for (String entry : args[0].split(File.pathSeparator)) {
            File file = new File(entry);
            if (file.isDirectory()) {
                scan.folder(file.toPath());
            } else if (file.isFile()) {
                scan.jar(file);
            }
        }
        out.flush();
        if (out.checkError()) {
            System.exit(1);
        }
    }

    static String[] prefixes(String joined) {
        return joined.replace('.', '/').split(",");
    }

    /** Reports whether a class is in one of the packages, or is one of the classes or nested in it. */
    static boolean matches(String[] prefixes, String name) {
        for (String prefix : prefixes) {
            if (prefix.isEmpty() && name.indexOf('/') < 0) {
                return true; // the unnamed package
            }
            if (!prefix.isEmpty() && name.startsWith(prefix)
                    && (name.length() == prefix.length() || "/$".indexOf(name.charAt(prefix.length())) >= 0)) {
                return true;
            }
        }
        return false;
    }

    private void folder(Path root) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(root)) {
            files = walk.filter(Files::isRegularFile).sorted().collect(Collectors.toList());
        }
        for (Path file : files) {
            String name = root.relativize(file).toString().replace(File.separatorChar, '/');
            if (wanted(name)) {
                read(name, Files.readAllBytes(file));
            }
        }
    }

    private void jar(File file) throws IOException {
        try (ZipFile zip = new ZipFile(file)) {
            List<ZipEntry> entries = new ArrayList<>(Collections.list(zip.entries()));
            entries.sort((a, b) -> a.getName().compareTo(b.getName()));
            for (ZipEntry entry : entries) {
                if (wanted(entry.getName())) {
                    try (InputStream in = zip.getInputStream(entry)) {
                        read(entry.getName(), Agent.readAll(in));
                    }
                }
            }
        }
    }

    private boolean wanted(String file) {
        return file.endsWith(".class") && !file.startsWith("META-INF/")
                && matches(prefixes, file.substring(0, file.length() - ".class".length()));
    }

    private void read(String file, byte[] bytes) {
        List<ClassFile.Method> methods = new ArrayList<>();
        ClassFile type;
        try {
            type = new ClassFile(bytes);
            type.visit(methods::add);
        } catch (RuntimeException e) {
            System.err.println("inroad: " + file + ": " + e);
            return;
        }
        if (!seen.add(type.name)) {
            return;
        }
        for (ClassFile.Method m : methods) {
            print(type, m, m.body);
            if (blocks) {
                m.blocks.forEach(block -> print(type, m, block));
            }
        }
    }

    private void print(ClassFile type, ClassFile.Method m, ClassFile.Block b) {
        out.print(type.name + '\t' + m.name + '\t' + m.descriptor + '\t' + m.access + '\t' + (type.source == null ? "" : type.source)
                + '\t' + b.firstLine + '\t' + b.lastLine + '\t' + b.offset + '\t' + b.line + '\n');
    }
}
