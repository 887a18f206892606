import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.CCJSqlParserUtil;

/** Parses statements and writes them again, in this thread. */
public final class SQL {
    public static void run(String input) throws Exception {
        CCJSqlParser parser = CCJSqlParserUtil.newParser(input).withAllowComplexParsing(true);
        parser.Statements().toString();
    }
}
