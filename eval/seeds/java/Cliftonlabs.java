import com.github.cliftonlabs.json_simple.Jsoner;

/** Parses JSON and prints it, and indents it. */
public final class Cliftonlabs {
    public static void run(String input) throws Exception {
        Jsoner.serialize(Jsoner.deserialize(input));
        Jsoner.prettyPrint(input);
    }
}
