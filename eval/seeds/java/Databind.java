import com.fasterxml.jackson.databind.ObjectMapper;

/** Binds JSON to objects and prints them, and the same as a tree. */
public final class Databind {
    public static void run(String input) throws Exception {
        MAPPER.writeValueAsString(MAPPER.readValue(input, Object.class));
        MAPPER.readTree(input).toPrettyString();
    }

    private static final ObjectMapper MAPPER = new ObjectMapper();
}
