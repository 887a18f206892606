import com.github.wnameless.json.flattener.FlattenMode;
import com.github.wnameless.json.flattener.JsonFlattener;
import com.github.wnameless.json.unflattener.JsonUnflattener;

/** Flattens JSON and restores it, in each mode. */
public final class Flattener {
    public static void run(String input) throws Exception {
        for (FlattenMode mode : FlattenMode.values()) {
            String flat = new JsonFlattener(input).withFlattenMode(mode).flatten();
            new JsonUnflattener(flat).withFlattenMode(mode).unflatten();
        }
    }
}
