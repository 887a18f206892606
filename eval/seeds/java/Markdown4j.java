import org.markdown4j.Markdown4jProcessor;

/** Renders Markdown. */
public final class Markdown4j {
    public static void run(String input) throws Exception {
        new Markdown4jProcessor().process(input);
    }
}
