package inroad.observe;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads class files of any version and inserts a call of {@link Probes#hit} at
 * the entry of methods. The call takes eight bytes, which keeps switch
 * instructions aligned. Relative branches stay valid; absolute offsets are
 * adjusted.
 */
final class ClassFile {
    static final int ACC_BRIDGE = 0x40;
    static final int ACC_SYNTHETIC = 0x1000;

    private static final int PREFIX = 8;
    private static final int MAX_CODE = 65535;

    /** A method of the class. */
    static final class Method {
        int access;
        String name;
        String descriptor;
        int firstLine; // 0 if unknown
        int lastLine;
    }

    /** Visits the methods that have code. */
    interface Visitor {
        /** Returns the probe of the method, or -1 for none. */
        int visit(Method method);
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

    /** Visits each method that has code, and reads the SourceFile attribute. */
    void visit(Visitor visitor) {
        seekMethods();
        for (int methods = in.getShort() & 0xFFFF; methods > 0; methods--) {
            Method m = readMethod();
            for (int n = in.getShort() & 0xFFFF; n > 0; n--) {
                String attribute = utf8(in.getShort() & 0xFFFF);
                int end = in.getInt();
                end += in.position();
                if (attribute.equals("Code")) {
                    readLines(m, in.position());
                    visitor.visit(m);
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

    /** Reads the first and last line from a Code attribute. */
    private void readLines(Method m, int code) {
        in.position(code + 4);
        skip(in.getInt());
        skip(8 * (in.getShort() & 0xFFFF));
        for (int n = in.getShort() & 0xFFFF; n > 0; n--) {
            String attribute = utf8(in.getShort() & 0xFFFF);
            int length = in.getInt();
            int end = in.position() + length;
            if (attribute.equals("LineNumberTable")) {
                for (int lines = in.getShort() & 0xFFFF; lines > 0; lines--) {
                    skip(2);
                    int line = in.getShort() & 0xFFFF;
                    m.firstLine = m.firstLine == 0 ? line : Math.min(m.firstLine, line);
                    m.lastLine = Math.max(m.lastLine, line);
                }
            }
            in.position(end);
        }
    }

    /** Returns the instrumented class, or null if the constant pool is full. */
    byte[] instrument(Visitor visitor) throws IOException {
        ByteArrayOutputStream buffer = new ByteArrayOutputStream(bytes.length + bytes.length / 4);
        DataOutputStream body = new DataOutputStream(buffer);
        ConstantAppender pool = new ConstantAppender(constants.length);
        seekMethods();
        body.write(bytes, constantsEnd, in.position() - constantsEnd);
        int methods = in.getShort() & 0xFFFF;
        body.writeShort(methods);
        for (; methods > 0; methods--) {
            instrumentMethod(body, pool, visitor);
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

    private void instrumentMethod(DataOutputStream out, ConstantAppender pool, Visitor visitor) throws IOException {
        int start = in.position();
        Method m = readMethod();
        int attributes = in.getShort() & 0xFFFF;
        out.write(bytes, start, 8);
        for (; attributes > 0; attributes--) {
            int at = in.position();
            String attribute = utf8(in.getShort() & 0xFFFF);
            int length = in.getInt();
            int end = in.position() + length;
            int codeLength = attribute.equals("Code") ? in.getInt(in.position() + 4) : MAX_CODE;
            int probe = codeLength + PREFIX <= MAX_CODE ? visitor.visit(m) : -1;
            if (probe < 0) {
                out.write(bytes, at, end - at);
            } else {
                byte[] code = instrumentCode(pool, probe);
                out.write(bytes, at, 2);
                out.writeInt(code.length);
                out.write(code);
            }
            in.position(end);
        }
    }

    /** Returns the Code attribute at the current position with a probe at its entry. */
    private byte[] instrumentCode(ConstantAppender pool, int probe) throws IOException {
        ByteArrayOutputStream buffer = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(buffer);
        out.writeShort(Math.max(1, in.getShort() & 0xFFFF)); // stack
        out.writeShort(in.getShort()); // locals
        int length = in.getInt();
        out.writeInt(length + PREFIX);
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
        out.write(bytes, in.position(), length);
        skip(length);
        int handlers = in.getShort() & 0xFFFF;
        out.writeShort(handlers);
        for (; handlers > 0; handlers--) {
            for (int i = 0; i < 3; i++) { // from, to, handler
                out.writeShort((in.getShort() & 0xFFFF) + PREFIX);
            }
            out.writeShort(in.getShort());
        }
        int attributes = in.getShort() & 0xFFFF;
        out.writeShort(attributes);
        for (; attributes > 0; attributes--) {
            copyAttribute(out);
        }
        return buffer.toByteArray();
    }

    /** Copies an attribute of a Code attribute and adjusts its offsets. */
    private void copyAttribute(DataOutputStream out) throws IOException {
        int at = in.position();
        String attribute = utf8(in.getShort() & 0xFFFF);
        int length = in.getInt();
        int end = in.position() + length;
        switch (attribute) {
            case "LineNumberTable":
                out.write(bytes, at, 6);
                copyTable(out, 2);
                break;
            case "LocalVariableTable":
            case "LocalVariableTypeTable":
                out.write(bytes, at, 6);
                copyTable(out, 8);
                break;
            case "StackMapTable":
                ByteArrayOutputStream frames = new ByteArrayOutputStream();
                copyFrames(new DataOutputStream(frames));
                out.write(bytes, at, 2);
                out.writeInt(frames.size());
                frames.writeTo(out);
                break;
            default:
                out.write(bytes, at, end - at);
        }
        in.position(end);
    }

    /** Copies a table and adjusts the offset at the start of each entry. */
    private void copyTable(DataOutputStream out, int rest) throws IOException {
        int entries = in.getShort() & 0xFFFF;
        out.writeShort(entries);
        for (; entries > 0; entries--) {
            out.writeShort((in.getShort() & 0xFFFF) + PREFIX);
            out.write(bytes, in.position(), rest);
            skip(rest);
        }
    }

    /** Copies stack map frames. Only the first offset is absolute; the others are relative to the previous frame. */
    private void copyFrames(DataOutputStream out) throws IOException {
        int frames = in.getShort() & 0xFFFF;
        out.writeShort(frames);
        for (int shift = PREFIX; frames > 0; frames--, shift = 0) {
            int type = in.get() & 0xFF;
            if (type < 64) { // same
                if (type + shift < 64) {
                    out.writeByte(type + shift);
                } else {
                    out.writeByte(251);
                    out.writeShort(type + shift);
                }
            } else if (type < 128) { // same locals, one stack item
                if (type + shift < 128) {
                    out.writeByte(type + shift);
                } else {
                    out.writeByte(247);
                    out.writeShort(type - 64 + shift);
                }
                copyType(out);
            } else {
                out.writeByte(type);
                out.writeShort((in.getShort() & 0xFFFF) + shift);
                if (type == 247) {
                    copyType(out);
                } else if (type > 251 && type < 255) { // append
                    copyTypes(out, type - 251);
                } else if (type == 255) {
                    for (int lists = 0; lists < 2; lists++) { // locals, stack
                        int n = in.getShort() & 0xFFFF;
                        out.writeShort(n);
                        copyTypes(out, n);
                    }
                }
            }
        }
    }

    private void copyTypes(DataOutputStream out, int n) throws IOException {
        for (; n > 0; n--) {
            copyType(out);
        }
    }

    private void copyType(DataOutputStream out) throws IOException {
        int tag = in.get();
        out.writeByte(tag);
        if (tag == 7) { // Object
            out.writeShort(in.getShort());
        } else if (tag == 8) { // Uninitialized: offset of the new instruction
            out.writeShort((in.getShort() & 0xFFFF) + PREFIX);
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

    /** Returns the key of a method in the table. */
    static String key(String className, Method m) {
        return className + '\t' + m.name + '\t' + m.descriptor;
    }
}
