import argo.format.CompactJsonFormatter;
import argo.format.PrettyJsonFormatter;
import argo.jdom.JdomParser;
import argo.jdom.JsonNode;

/** Parses JSON and prints it in two formats. */
public final class Argo {
    public static void run(String input) throws Exception {
        JsonNode value = new JdomParser().parse(input);
        new CompactJsonFormatter().format(value);
        new PrettyJsonFormatter().format(value);
    }
}
