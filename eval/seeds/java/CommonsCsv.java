import java.io.Writer;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVPrinter;

/** Parses CSV and prints it. */
public final class CommonsCsv {
    public static void run(String input) throws Exception {
        new CSVPrinter(Writer.nullWriter(), CSVFormat.DEFAULT).printRecords(CSVParser.parse(input, CSVFormat.DEFAULT).getRecords());
    }
}
