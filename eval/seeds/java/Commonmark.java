import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** Renders Markdown. */
public final class Commonmark {
    public static void run(String input) throws Exception {
        HtmlRenderer.builder().build().render(Parser.builder().build().parse(input));
    }
}
