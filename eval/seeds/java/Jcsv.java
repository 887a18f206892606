import com.googlecode.jcsv.reader.internal.CSVReaderBuilder;
import java.io.StringReader;

/** Parses CSV. */
public final class Jcsv {
    public static void run(String input) throws Exception {
        CSVReaderBuilder.newDefaultReader(new StringReader(input)).readAll();
    }
}
