import java.io.StringReader;
import org.simpleflatmapper.csv.CsvParser;

/** Reads the rows of CSV. */
public final class SfmCsv {
    public static void run(String input) throws Exception {
        CsvParser.stream(new StringReader(input)).forEach(row -> { });
    }
}
