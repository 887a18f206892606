import com.eclipsesource.json.Json;
import com.eclipsesource.json.JsonValue;
import com.eclipsesource.json.WriterConfig;

/** Parses JSON and prints it in two formats. */
public final class MinimalJson {
    public static void run(String input) throws Exception {
        JsonValue value = Json.parse(input);
        value.toString(WriterConfig.MINIMAL);
        value.toString(WriterConfig.PRETTY_PRINT);
    }
}
