package inroad.observe;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads a class file, and writes it again with a call of {@link Probes#hit} at
 * the entry of its methods. It needs no library and does not care about the
 * version: the call takes eight bytes, so that switch instructions stay aligned
 * and branches, which are relative, stay right. What is absolute is moved.
 */
final class ClassFile {
    static final int ACC_BRIDGE = 0x40;
    static final int ACC_SYNTHETIC = 0x1000;

    private static final int PREFIX = 8;
    private static final int MAX_CODE = 65535;

    /** What is found out about a method. */
    static final class Method {
        int access;
        String name;
        String descriptor;
        int firstLine; // 0 if it is not known
        int lastLine;
    }

    /** Is asked about each method that has code. */
    interface Visitor {
        /** Returns the number of the method's probe, or -1 for none. */
        int visit(Method method);
    }

    private final byte[] bytes;
    private final ByteBuffer in;
    private final int[] constants; // where each constant begins, its tag included
    private final int constantsEnd;

    final String name;
    String source; // the SourceFile attribute; null without one

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

    /** Skips a constant and returns how many further numbers it takes up. */
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
                throw new IllegalArgumentException("constant of kind " + tag);
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

    /** Reads on to the methods, with the header and the fields behind it. */
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

    /** Calls the visitor for each method that has code, and finds the source. */
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

    /** Finds the first and the last line in a Code attribute. */
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

    /** Returns the class with probes in it, or null if there is no room for them. */
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

    /** Writes the Code attribute at the position with a probe at its entry. */
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
            moveAttribute(out);
        }
        return buffer.toByteArray();
    }

    /** Copies an attribute of code, and moves the places that it names. */
    private void moveAttribute(DataOutputStream out) throws IOException {
        int at = in.position();
        String attribute = utf8(in.getShort() & 0xFFFF);
        int length = in.getInt();
        int end = in.position() + length;
        switch (attribute) {
            case "LineNumberTable":
                out.write(bytes, at, 6);
                movePlaces(out, 2);
                break;
            case "LocalVariableTable":
            case "LocalVariableTypeTable":
                out.write(bytes, at, 6);
                movePlaces(out, 8);
                break;
            case "StackMapTable":
                ByteArrayOutputStream frames = new ByteArrayOutputStream();
                moveFrames(new DataOutputStream(frames));
                out.write(bytes, at, 2);
                out.writeInt(frames.size());
                frames.writeTo(out);
                break;
            default:
                out.write(bytes, at, end - at);
        }
        in.position(end);
    }

    /** Moves the place at the head of each entry of a table. */
    private void movePlaces(DataOutputStream out, int rest) throws IOException {
        int entries = in.getShort() & 0xFFFF;
        out.writeShort(entries);
        for (; entries > 0; entries--) {
            out.writeShort((in.getShort() & 0xFFFF) + PREFIX);
            out.write(bytes, in.position(), rest);
            skip(rest);
        }
    }

    /** Moves frames: the first one counts from the beginning, each other from the one before it. */
    private void moveFrames(DataOutputStream out) throws IOException {
        int frames = in.getShort() & 0xFFFF;
        out.writeShort(frames);
        for (int move = PREFIX; frames > 0; frames--, move = 0) {
            int type = in.get() & 0xFF;
            if (type < 64) { // same
                if (type + move < 64) {
                    out.writeByte(type + move);
                } else {
                    out.writeByte(251);
                    out.writeShort(type + move);
                }
            } else if (type < 128) { // same locals, one on the stack
                if (type + move < 128) {
                    out.writeByte(type + move);
                } else {
                    out.writeByte(247);
                    out.writeShort(type - 64 + move);
                }
                moveType(out);
            } else {
                out.writeByte(type);
                out.writeShort((in.getShort() & 0xFFFF) + move);
                if (type == 247) {
                    moveType(out);
                } else if (type > 251 && type < 255) { // some more locals
                    moveTypes(out, type - 251);
                } else if (type == 255) {
                    for (int lists = 0; lists < 2; lists++) { // locals, stack
                        int n = in.getShort() & 0xFFFF;
                        out.writeShort(n);
                        moveTypes(out, n);
                    }
                }
            }
        }
    }

    private void moveTypes(DataOutputStream out, int n) throws IOException {
        for (; n > 0; n--) {
            moveType(out);
        }
    }

    private void moveType(DataOutputStream out) throws IOException {
        int tag = in.get();
        out.writeByte(tag);
        if (tag == 7) { // an object of a class
            out.writeShort(in.getShort());
        } else if (tag == 8) { // made by the instruction at a place, and not yet initialised
            out.writeShort((in.getShort() & 0xFFFF) + PREFIX);
        }
    }

    /** Adds constants behind those of the class. */
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

        /** Returns the reference to the method that counts. */
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

    /** The key of a method in the table. */
    static String key(String className, Method m) {
        return className + '\t' + m.name + '\t' + m.descriptor;
    }
}
