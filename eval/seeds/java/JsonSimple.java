import org.json.simple.JSONValue;
import org.json.simple.parser.JSONParser;

/** Parses JSON and prints it. */
public final class JsonSimple {
    public static void run(String input) throws Exception {
        JSONValue.toJSONString(new JSONParser().parse(input));
    }
}
