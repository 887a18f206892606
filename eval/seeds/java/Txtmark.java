import com.github.rjeschke.txtmark.Processor;

/** Renders Markdown. */
public final class Txtmark {
    public static void run(String input) throws Exception {
        Processor.process(input);
    }
}
