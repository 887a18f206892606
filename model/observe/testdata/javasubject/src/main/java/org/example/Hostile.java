package org.example;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Does to its process what an input says. */
public final class Hostile {
    private static final List<byte[]> kept = new ArrayList<>();

    static final class Sad extends Exception {
        @Override
        public String getMessage() {
            throw new IllegalStateException();
        }
    }

    public static String parse(String input) throws Exception {
        for (String word : input.split(" ")) {
            act(word);
        }
        return input;
    }

    private static void act(String word) throws Exception {
        switch (word) {
            case "fail":
                throw new IOException("refused");
            case "sad":
                throw new Sad();
            case "error":
                throw new AssertionError("so\n\"it\" \u00fc");
            case "null":
                word = null;
                word.length();
                break;
            case "hang":
                hang();
                break;
            case "sleep":
                Thread.sleep(3_600_000);
                break;
            case "exit":
                System.exit(3);
                break;
            case "halt":
                Runtime.getRuntime().halt(4);
                break;
            case "overflow":
                overflow(0);
                break;
            case "leak":
                leak();
                break;
            case "hoard":
                while (true) {
                    leak();
                }
            case "spawn":
                for (int i = 0; i < 50; i++) {
                    Thread t = new Thread(Hostile::hang);
                    t.setDaemon(true);
                    t.setPriority(Thread.MIN_PRIORITY);
                    new Thread(() -> {
                        try {
                            Thread.sleep(3_600_000);
                        } catch (InterruptedException e) {
                            return;
                        }
                    }).start();
                }
                break;
            case "print":
                for (int i = 0; i < 20_000; i++) {
                    System.out.println("{\"outcome\":\"ok\"}\0");
                    System.err.println("panic: not really");
                }
                break;
            case "stdin":
                while (System.in.read() >= 0) {}
                break;
            case "interrupt":
                Thread.currentThread().interrupt();
                break;
            default:
        }
    }

    private static void hang() {
        while (true) {}
    }

    private static int overflow(int n) {
        return overflow(n + 1) + 1;
    }

    private static void leak() {
        kept.add(new byte[4 << 20]);
    }
}
