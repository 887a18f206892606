import com.univocity.parsers.csv.CsvParser;
import com.univocity.parsers.csv.CsvParserSettings;
import com.univocity.parsers.csv.CsvWriter;
import com.univocity.parsers.csv.CsvWriterSettings;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;

/** Reads records and writes them again, in this thread. */
public final class CSV {
    public static void run(String input) {
        CsvParserSettings settings = new CsvParserSettings();
        settings.setLineSeparatorDetectionEnabled(true);
        settings.setReadInputOnSeparateThread(false);
        List<String[]> records = new CsvParser(settings).parseAll(new StringReader(input));
        CsvWriter writer = new CsvWriter(new StringWriter(), new CsvWriterSettings());
        for (String[] record : records) {
            writer.writeRow(record);
        }
        writer.close();
    }
}
