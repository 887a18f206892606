package inroad.observe;

import inroad.observe.Code.Places;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Reads class files of any version and inserts calls of {@link Probes#hit} at
 * the entry of methods and at the start of their blocks. Branches and offsets are
 * adjusted.
 */
final class ClassFile {
    static final int ACC_BRIDGE = 0x40;
    static final int ACC_SYNTHETIC = 0x1000;

    private static final int MAX_CODE = 65535;
    private static final int MAX_BRANCH = 32767; // branches reach everything in code of this length

    /** A method of the class. */
    static final class Method {
        int access;
        String name;
        String descriptor;
        final Block body = new Block(); // all of its code
        final List<Block> blocks = new ArrayList<>(); // all but the first, which is the entry
    }

    /** Successive instructions of a method. */
    static final class Block {
        int offset; // of the first instruction
        int line; // of the first instruction; 0 if unknown
        int firstLine; // the lowest; 0 if unknown
        int lastLine; // the highest

        private void add(int line) {
            firstLine = firstLine == 0 ? line : Math.min(firstLine, line);
            lastLine = Math.max(lastLine, line);
        }
    }

    /** Selects probes. */
    interface Selector {
        /** Returns the probes of a method by the offset of their instruction, or null for none. */
        SortedMap<Integer, Integer> probes(Method method);
    }

    private final byte[] bytes;
    private final ByteBuffer in;
    private final int[] constants; // offset of each constant's tag
    private final int constantsEnd;

    final String name;
    String source; // the SourceFile attribute, or null

    ClassFile(byte[] bytes) {
        this.bytes = bytes;
        in = ByteBuffer.wrap(bytes);
        if (in.getInt() != 0xCAFEBABE) {
            throw new IllegalArgumentException("not a class file");
        }
        in.getInt(); // version
        constants = new int[in.getShort() & 0xFFFF];
        for (int i = 1; i < constants.length; i++) {
            constants[i] = in.position();
            i += skipConstant();
        }
        constantsEnd = in.position();
        name = className(in.getShort(constantsEnd + 2) & 0xFFFF);
    }

    /** Skips a constant and returns the number of additional indices it occupies. */
    private int skipConstant() {
        int tag = in.get();
        switch (tag) {
            case 1: // Utf8
                skip(in.getShort() & 0xFFFF);
                return 0;
            case 3: case 4: // Integer, Float
            case 9: case 10: case 11: case 12: // references, NameAndType
            case 17: case 18: // Dynamic, InvokeDynamic
                skip(4);
                return 0;
            case 5: case 6: // Long, Double
                skip(8);
                return 1;
            case 7: case 8: case 16: case 19: case 20: // Class, String, MethodType, Module, Package
                skip(2);
                return 0;
            case 15: // MethodHandle
                skip(3);
                return 0;
            default:
                throw new IllegalArgumentException("unknown constant tag " + tag);
        }
    }

    private void skip(int n) {
        in.position(in.position() + n);
    }

    private String utf8(int constant) {
        int at = constants[constant];
        return new String(bytes, at + 3, in.getShort(at + 1) & 0xFFFF, StandardCharsets.UTF_8);
    }

    private String className(int constant) {
        return utf8(in.getShort(constants[constant] + 1) & 0xFFFF);
    }

    /** Moves to the methods, after the header and the fields. */
    private void seekMethods() {
        in.position(constantsEnd + 6);
        skip(2 * (in.getShort() & 0xFFFF)); // interfaces
        for (int fields = in.getShort() & 0xFFFF; fields > 0; fields--) {
            skip(6);
            skipAttributes();
        }
    }

    private void skipAttributes() {
        for (int n = in.getShort() & 0xFFFF; n > 0; n--) {
            skip(2);
            skip(in.getInt());
        }
    }

    /** Calls the visitor for each method that has code, and reads the SourceFile attribute. */
    void visit(Consumer<Method> visitor) {
        seekMethods();
        for (int methods = in.getShort() & 0xFFFF; methods > 0; methods--) {
            Method m = readMethod();
            for (int n = in.getShort() & 0xFFFF; n > 0; n--) {
                String attribute = utf8(in.getShort() & 0xFFFF);
                int end = in.getInt();
                end += in.position();
                if (attribute.equals("Code")) {
                    readBlocks(m, in.position());
                    visitor.accept(m);
                }
                in.position(end);
            }
        }
        for (int n = in.getShort() & 0xFFFF; n > 0; n--) {
            String attribute = utf8(in.getShort() & 0xFFFF);
            int length = in.getInt();
            if (attribute.equals("SourceFile")) {
                source = utf8(in.getShort(in.position()) & 0xFFFF);
            }
            skip(length);
        }
    }

    private Method readMethod() {
        Method m = new Method();
        m.access = in.getShort() & 0xFFFF;
        m.name = utf8(in.getShort() & 0xFFFF);
        m.descriptor = utf8(in.getShort() & 0xFFFF);
        return m;
    }

    /** Reads the blocks of a Code attribute and their lines. */
    private void readBlocks(Method m, int code) {
        in.position(code + 4);
        int length = in.getInt();
        Code instructions = new Code(in, in.position(), length);
        skip(length);
        int[] handlers = new int[in.getShort() & 0xFFFF];
        for (int i = 0; i < handlers.length; i++) {
            skip(4);
            handlers[i] = in.getShort() & 0xFFFF;
            skip(2);
        }
        Set<Integer> starts = instructions.blocks(handlers);
        if (length + (starts.size() + 1) * Places.PROBE <= MAX_BRANCH) {
            for (int start : starts) {
                Block b = new Block();
                b.offset = start;
                m.blocks.add(b);
            }
        }
        TreeMap<Integer, Integer> lines = readLines();
        lines.values().forEach(m.body::add);
        m.body.line = m.body.firstLine;
        for (int i = 0; i < m.blocks.size(); i++) {
            Block b = m.blocks.get(i);
            Map.Entry<Integer, Integer> first = lines.floorEntry(b.offset);
            if (first != null) {
                int end = i + 1 < m.blocks.size() ? m.blocks.get(i + 1).offset : length;
                b.line = first.getValue();
                lines.subMap(first.getKey(), end).values().forEach(b::add);
            }
        }
    }

    /** Reads the lines by the offset of their first instruction, from the attributes at the current position. */
    private TreeMap<Integer, Integer> readLines() {
        TreeMap<Integer, Integer> lines = new TreeMap<>();
        for (int n = in.getShort() & 0xFFFF; n > 0; n--) {
            String attribute = utf8(in.getShort() & 0xFFFF);
            int length = in.getInt();
            int end = in.position() + length;
            if (attribute.equals("LineNumberTable")) {
                for (int entries = in.getShort() & 0xFFFF; entries > 0; entries--) {
                    int offset = in.getShort() & 0xFFFF;
                    lines.put(offset, in.getShort() & 0xFFFF);
                }
            }
            in.position(end);
        }
        return lines;
    }

    /** Returns the class with probes, or null if the constant pool is full. */
    byte[] instrument(Selector selector) throws IOException {
        ByteArrayOutputStream buffer = new ByteArrayOutputStream(bytes.length + bytes.length / 4);
        DataOutputStream body = new DataOutputStream(buffer);
        ConstantAppender pool = new ConstantAppender(constants.length);
        seekMethods();
        body.write(bytes, constantsEnd, in.position() - constantsEnd);
        int methods = in.getShort() & 0xFFFF;
        body.writeShort(methods);
        for (; methods > 0; methods--) {
            instrumentMethod(body, pool, selector);
        }
        body.write(bytes, in.position(), bytes.length - in.position());
        if (pool.next > 65535) {
            return null;
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream(buffer.size() + constantsEnd + 64);
        DataOutputStream out = new DataOutputStream(whole);
        out.write(bytes, 0, 8);
        out.writeShort(pool.next);
        out.write(bytes, 10, constantsEnd - 10);
        out.write(pool.bytes.toByteArray());
        buffer.writeTo(out);
        return whole.toByteArray();
    }

    private void instrumentMethod(DataOutputStream out, ConstantAppender pool, Selector selector) throws IOException {
        int start = in.position();
        Method m = readMethod();
        int attributes = in.getShort() & 0xFFFF;
        out.write(bytes, start, 8);
        for (; attributes > 0; attributes--) {
            int at = in.position();
            String attribute = utf8(in.getShort() & 0xFFFF);
            int length = in.getInt();
            int end = in.position() + length;
            SortedMap<Integer, Integer> probes = attribute.equals("Code") ? selector.probes(m) : null;
            if (probes == null || in.getInt(in.position() + 4) + probes.size() * Places.PROBE > MAX_CODE) {
                out.write(bytes, at, end - at);
            } else {
                byte[] code = instrumentCode(pool, probes);
                out.write(bytes, at, 2);
                out.writeInt(code.length);
                out.write(code);
            }
            in.position(end);
        }
    }

    /** Returns the Code attribute at the current position with probes. */
    private byte[] instrumentCode(ConstantAppender pool, SortedMap<Integer, Integer> probes) throws IOException {
        Places places = new Places(probes.keySet().stream().mapToInt(Integer::intValue).toArray());
        ByteArrayOutputStream buffer = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(buffer);
        out.writeShort(Math.min(MAX_CODE, (in.getShort() & 0xFFFF) + 1)); // stack
        out.writeShort(in.getShort()); // locals
        int length = in.getInt();
        out.writeInt(length + places.size());
        new Code(in, in.position(), length).write(out, places, probes::get, probe -> writeProbe(out, pool, probe));
        skip(length);
        int handlers = in.getShort() & 0xFFFF;
        out.writeShort(handlers);
        for (; handlers > 0; handlers--) {
            for (int i = 0; i < 3; i++) { // from, to, handler
                out.writeShort(places.label(in.getShort() & 0xFFFF));
            }
            out.writeShort(in.getShort());
        }
        int attributes = in.getShort() & 0xFFFF;
        out.writeShort(attributes);
        for (; attributes > 0; attributes--) {
            copyAttribute(out, places);
        }
        return buffer.toByteArray();
    }

    private static void writeProbe(DataOutputStream out, ConstantAppender pool, int probe) throws IOException {
        if (probe <= Short.MAX_VALUE) {
            out.writeByte(0x11); // sipush
            out.writeShort(probe);
        } else {
            out.writeByte(0x13); // ldc_w
            out.writeShort(pool.integer(probe));
        }
        out.writeByte(0xB8); // invokestatic
        out.writeShort(pool.hit());
        out.writeShort(0); // nop nop
    }

    /** Copies an attribute of a Code attribute and adjusts its offsets. */
    private void copyAttribute(DataOutputStream out, Places places) throws IOException {
        int at = in.position();
        String attribute = utf8(in.getShort() & 0xFFFF);
        int length = in.getInt();
        int end = in.position() + length;
        switch (attribute) {
            case "LineNumberTable":
                out.write(bytes, at, 6);
                copyLines(out, places);
                break;
            case "LocalVariableTable":
            case "LocalVariableTypeTable":
                out.write(bytes, at, 6);
                copyVariables(out, places);
                break;
            case "StackMapTable":
                ByteArrayOutputStream frames = new ByteArrayOutputStream();
                copyFrames(new DataOutputStream(frames), places);
                out.write(bytes, at, 2);
                out.writeInt(frames.size());
                frames.writeTo(out);
                break;
            default:
                out.write(bytes, at, end - at);
        }
        in.position(end);
    }

    private void copyLines(DataOutputStream out, Places places) throws IOException {
        int entries = in.getShort() & 0xFFFF;
        out.writeShort(entries);
        for (; entries > 0; entries--) {
            out.writeShort(places.label(in.getShort() & 0xFFFF));
            out.writeShort(in.getShort());
        }
    }

    private void copyVariables(DataOutputStream out, Places places) throws IOException {
        int entries = in.getShort() & 0xFFFF;
        out.writeShort(entries);
        for (; entries > 0; entries--) {
            int start = in.getShort() & 0xFFFF;
            int end = start + (in.getShort() & 0xFFFF);
            out.writeShort(places.label(start));
            out.writeShort(places.label(end) - places.label(start));
            out.write(bytes, in.position(), 6);
            skip(6);
        }
    }

    /** Copies stack map frames. The first offset is absolute; the others are relative to the previous frame. */
    private void copyFrames(DataOutputStream out, Places places) throws IOException {
        int frames = in.getShort() & 0xFFFF;
        out.writeShort(frames);
        int at = -1; // offset of the previous frame
        int before = -1; // the same with probes
        for (; frames > 0; frames--) {
            int type = in.get() & 0xFF;
            int delta = type < 64 ? type : type < 128 ? type - 64 : in.getShort() & 0xFFFF;
            at += delta + 1;
            delta = places.label(at) - before - 1;
            before = places.label(at);
            if (type < 64 || type == 251) { // same
                if (delta < 64) {
                    out.writeByte(delta);
                } else {
                    out.writeByte(251);
                    out.writeShort(delta);
                }
            } else if (type < 128 || type == 247) { // same locals, one stack item
                if (delta < 64) {
                    out.writeByte(64 + delta);
                } else {
                    out.writeByte(247);
                    out.writeShort(delta);
                }
                copyTypes(out, places, 1);
            } else {
                out.writeByte(type);
                out.writeShort(delta);
                if (type > 251 && type < 255) { // append
                    copyTypes(out, places, type - 251);
                } else if (type == 255) { // full
                    for (int lists = 0; lists < 2; lists++) { // locals, stack
                        int n = in.getShort() & 0xFFFF;
                        out.writeShort(n);
                        copyTypes(out, places, n);
                    }
                }
            }
        }
    }

    private void copyTypes(DataOutputStream out, Places places, int n) throws IOException {
        for (; n > 0; n--) {
            int tag = in.get();
            out.writeByte(tag);
            if (tag == 7) { // Object
                out.writeShort(in.getShort());
            } else if (tag == 8) { // Uninitialized: offset of the new instruction
                out.writeShort(places.instruction(in.getShort() & 0xFFFF));
            }
        }
    }

    /** Appends constants to the constant pool. */
    private static final class ConstantAppender {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final DataOutputStream out = new DataOutputStream(bytes);
        private int hit;
        int next;

        ConstantAppender(int next) {
            this.next = next;
        }

        int integer(int value) throws IOException {
            out.writeByte(3);
            out.writeInt(value);
            return next++;
        }

        /** Returns the method reference of Probes.hit. */
        int hit() throws IOException {
            if (hit == 0) {
                int type = reference(7, utf8("inroad/observe/Probes"));
                int method = reference(12, utf8("hit"), utf8("(I)V"));
                hit = reference(10, type, method);
            }
            return hit;
        }

        private int utf8(String text) throws IOException {
            out.writeByte(1);
            out.writeUTF(text);
            return next++;
        }

        private int reference(int tag, int... to) throws IOException {
            out.writeByte(tag);
            for (int constant : to) {
                out.writeShort(constant);
            }
            return next++;
        }
    }
}
