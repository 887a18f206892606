import java.io.StringReader;
import net.quux00.simplecsv.CsvReader;

/** Parses CSV. */
public final class SimpleCsv {
    public static void run(String input) throws Exception {
        new CsvReader(new StringReader(input)).readAll();
    }
}
