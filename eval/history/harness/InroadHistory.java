import java.io.FileOutputStream;
import java.security.MessageDigest;

/** Runs Driver.parse, and records a digest of its result. */
public class InroadHistory {
    public static void observe(byte[] input) throws Exception {
        String digest = digest(input);
        String output;
        Exception failure = null;
        try {
            output = Driver.parse(input);
        } catch (Exception e) {
            failure = e;
            output = "error: " + e;
        }
        try (FileOutputStream file = new FileOutputStream(System.getenv("INROAD_HISTORY_RECORD"), true)) {
            file.write((digest + " " + digest(output.getBytes("UTF-8")) + "\n").getBytes("US-ASCII"));
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static String digest(byte[] bytes) throws Exception {
        StringBuilder out = new StringBuilder();
        for (byte b : MessageDigest.getInstance("SHA-256").digest(bytes)) {
            out.append(String.format("%02x", b));
        }
        return out.toString();
    }
}
