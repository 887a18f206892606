import org.nibor.autolink.LinkExtractor;
import org.nibor.autolink.Span;

/** Finds the links and the texts between them. */
public final class Autolink {
    public static void run(String input) throws Exception {
        LinkExtractor extractor = LinkExtractor.builder().build();
        extractor.extractLinks(input).forEach(Span::getBeginIndex);
        extractor.extractSpans(input).forEach(Span::getEndIndex);
    }
}
