import io.mola.galimatias.URL;

/** Parses an address and converts it. */
public final class Galimatias {
    public static void run(String input) throws Exception {
        URL.parse(input).toJavaURI();
    }
}
