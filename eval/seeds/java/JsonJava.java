import org.json.JSONObject;
import org.json.JSONTokener;
import org.json.XML;

/** Parses JSON, and prints it as JSON and as XML. */
public final class JsonJava {
    public static void run(String input) throws Exception {
        Object value = new JSONTokener(input).nextValue();
        JSONObject.valueToString(value);
        XML.toString(value);
    }
}
