import com.google.gson.Gson;
import com.google.gson.JsonParser;

/** Parses JSON as a tree and as objects, and prints both. */
public final class GsonAll {
    public static void run(String input) throws Exception {
        GSON.toJson(JsonParser.parseString(input));
        GSON.toJson(GSON.fromJson(input, Object.class));
    }

    private static final Gson GSON = new Gson();
}
