import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;

/** Reads the rows of CSV as arrays. */
public final class JacksonCsv {
    public static void run(String input) throws Exception {
        new CsvMapper().enable(CsvParser.Feature.WRAP_AS_ARRAY).readerFor(String[].class).readValues(input).readAll();
    }
}
