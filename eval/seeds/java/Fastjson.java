import com.alibaba.fastjson.JSON;

/** Parses JSON and prints it. */
public final class Fastjson {
    public static void run(String input) throws Exception {
        JSON.toJSONString(JSON.parse(input));
    }
}
