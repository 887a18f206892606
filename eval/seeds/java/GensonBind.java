import com.owlike.genson.Genson;

/** Binds JSON to objects and prints them. */
public final class GensonBind {
    public static void run(String input) throws Exception {
        GENSON.serialize(GENSON.deserialize(input, Object.class));
    }

    private static final Genson GENSON = new Genson();
}
