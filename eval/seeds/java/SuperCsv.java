import java.io.StringReader;
import java.io.Writer;
import java.util.List;
import org.supercsv.io.CsvListReader;
import org.supercsv.io.CsvListWriter;
import org.supercsv.prefs.CsvPreference;

/** Copies the rows of CSV. */
public final class SuperCsv {
    public static void run(String input) throws Exception {
        CsvListReader reader = new CsvListReader(new StringReader(input), CsvPreference.STANDARD_PREFERENCE);
        CsvListWriter writer = new CsvListWriter(Writer.nullWriter(), CsvPreference.STANDARD_PREFERENCE);
        for (List<String> row = reader.read(); row != null; row = reader.read()) {
            writer.write(row);
        }
    }
}
