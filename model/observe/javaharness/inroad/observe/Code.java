package inroad.observe;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;

/** The instructions of a method. Offsets are those of the original code. */
final class Code {
    private static final int TABLESWITCH = 170;
    private static final int LOOKUPSWITCH = 171;
    private static final int WIDE = 196;
    private static final int GOTO_W = 200;
    private static final int JSR_W = 201;

    /** Length of each instruction in bytes; 0 for switches and wide, whose length varies. */
    private static final int[] LENGTHS = lengths();

    private final ByteBuffer in;
    private final int start; // offset of the first instruction in the buffer
    private final int length;

    Code(ByteBuffer in, int start, int length) {
        this.in = in;
        this.start = start;
        this.length = length;
    }

    private static int[] lengths() {
        int[] lengths = new int[JSR_W + 1];
        Arrays.fill(lengths, 1);
        for (int op : new int[] {16, 18, 169, 188}) { // bipush, ldc, ret, newarray
            lengths[op] = 2;
        }
        Arrays.fill(lengths, 21, 26, 2); // loads
        Arrays.fill(lengths, 54, 59, 2); // stores
        for (int op : new int[] {17, 19, 20, 132, 187, 189, 192, 193, 198, 199}) { // sipush, ldc_w, ldc2_w, iinc, new, ...
            lengths[op] = 3;
        }
        Arrays.fill(lengths, 153, 169, 3); // branches
        Arrays.fill(lengths, 178, 185, 3); // fields and calls
        lengths[197] = 4; // multianewarray
        lengths[185] = lengths[186] = lengths[GOTO_W] = lengths[JSR_W] = 5; // invokeinterface, invokedynamic
        lengths[TABLESWITCH] = lengths[LOOKUPSWITCH] = lengths[WIDE] = 0;
        return lengths;
    }

    private int op(int at) {
        return in.get(start + at) & 0xFF;
    }

    private int number(int at) {
        return in.getInt(start + at);
    }

    /** Returns the offset of the first number of a switch instruction. */
    private static int aligned(int at) {
        return (at + 4) & ~3;
    }

    /** Returns the number of targets of a switch in addition to the default. */
    private int cases(int at) {
        int table = aligned(at);
        long n = op(at) == TABLESWITCH ? (long) number(table + 8) - number(table + 4) + 1 : number(table + 4);
        if (n < 0 || n > length) {
            throw new IllegalArgumentException("invalid switch");
        }
        return (int) n;
    }

    private int lengthAt(int at) {
        int op = op(at);
        if (op >= LENGTHS.length) {
            throw new IllegalArgumentException("unknown instruction " + op);
        }
        switch (op) {
            case TABLESWITCH:
                return aligned(at) + 12 + 4 * cases(at) - at;
            case LOOKUPSWITCH:
                return aligned(at) + 8 + 8 * cases(at) - at;
            case WIDE:
                return op(at + 1) == 132 ? 6 : 4; // iinc
            default:
                return LENGTHS[op];
        }
    }

    private static boolean isBranch(int op) {
        return op >= 153 && op <= 168 || op == 198 || op == 199;
    }

    private static boolean isConditional(int op) {
        return isBranch(op) && op != 167 || op == JSR_W; // control returns behind a jsr
    }

    /**
     * Returns where blocks start: the targets of branches and switches, what follows a
     * conditional branch, and the given exception handlers. The entry is not among them.
     */
    TreeSet<Integer> blocks(int[] handlers) {
        TreeSet<Integer> blocks = new TreeSet<>();
        for (int handler : handlers) {
            blocks.add(handler);
        }
        for (int at = 0; at < length; at += lengthAt(at)) {
            int op = op(at);
            if (isBranch(op)) {
                blocks.add(at + in.getShort(start + at + 1));
            } else if (op == GOTO_W || op == JSR_W) {
                blocks.add(at + number(at + 1));
            } else if (op == TABLESWITCH || op == LOOKUPSWITCH) {
                blocks.add(at + number(aligned(at)));
                for (int i = 0; i < cases(at); i++) {
                    blocks.add(at + number(caseAt(at, i)));
                }
            }
            if (isConditional(op)) {
                blocks.add(at + lengthAt(at));
            }
        }
        blocks.remove(0);
        blocks.remove(length);
        return blocks;
    }

    /** Returns the offset of the jump of a case. */
    private int caseAt(int at, int i) {
        return op(at) == TABLESWITCH ? aligned(at) + 12 + 4 * i : aligned(at) + 12 + 8 * i;
    }

    /**
     * Writes the instructions with probes before those at the offsets in {@code places}.
     * Jumps to a place go to its probe.
     */
    void write(DataOutputStream out, Places places, IntUnaryOperator probe, ProbeWriter writer) throws IOException {
        for (int at = 0; at < length; ) {
            if (places.has(at)) {
                writer.write(probe.applyAsInt(at));
            }
            int size = lengthAt(at);
            int op = op(at);
            int from = places.instruction(at);
            if (isBranch(op)) {
                out.writeByte(op);
                out.writeShort(places.label(at + in.getShort(start + at + 1)) - from);
            } else if (op == GOTO_W || op == JSR_W) {
                out.writeByte(op);
                out.writeInt(places.label(at + number(at + 1)) - from);
            } else if (op == TABLESWITCH || op == LOOKUPSWITCH) {
                writeSwitch(out, places, at);
            } else {
                out.write(in.array(), start + at, size);
            }
            at += size;
        }
    }

    private void writeSwitch(DataOutputStream out, Places places, int at) throws IOException {
        int table = aligned(at);
        int from = places.instruction(at);
        out.write(in.array(), start + at, table - at); // probes keep the alignment
        out.writeInt(places.label(at + number(table)) - from);
        boolean lookup = op(at) == LOOKUPSWITCH;
        out.write(in.array(), start + table + 4, lookup ? 4 : 8);
        for (int i = 0; i < cases(at); i++) {
            int jump = caseAt(at, i);
            if (lookup) {
                out.writeInt(number(jump - 4));
            }
            out.writeInt(places.label(at + number(jump)) - from);
        }
    }

    /** Writes a probe of {@link Places#PROBE} bytes. */
    interface ProbeWriter {
        void write(int probe) throws IOException;
    }

    /** Maps offsets to those in the code with probes. */
    static final class Places {
        static final int PROBE = 8; // a multiple of four, which keeps switch instructions aligned

        private final int[] offsets; // in ascending order

        Places(int[] offsets) {
            this.offsets = offsets;
        }

        boolean has(int at) {
            return Arrays.binarySearch(offsets, at) >= 0;
        }

        /** Returns the number of bytes that the probes take. */
        int size() {
            return PROBE * offsets.length;
        }

        /** Returns the offset of an instruction, behind its probe. */
        int instruction(int at) {
            return label(at + 1) - 1;
        }

        /** Returns the offset of a jump target. A jump to the entry does not call the method again. */
        int label(int at) {
            int i = Arrays.binarySearch(offsets, Math.max(at, 1));
            return at + PROBE * (i < 0 ? -i - 1 : i);
        }
    }
}
