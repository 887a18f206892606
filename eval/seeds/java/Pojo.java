import com.sun.codemodel.JCodeModel;
import org.jsonschema2pojo.DefaultGenerationConfig;
import org.jsonschema2pojo.Jackson2Annotator;
import org.jsonschema2pojo.SchemaGenerator;
import org.jsonschema2pojo.SchemaMapper;
import org.jsonschema2pojo.SchemaStore;
import org.jsonschema2pojo.SourceType;
import org.jsonschema2pojo.rules.RuleFactory;

/** Generates Java classes for JSON. */
public final class Pojo {
    public static void run(String input) throws Exception {
        RuleFactory rules = new RuleFactory(CONFIG, new Jackson2Annotator(CONFIG), new SchemaStore());
        new SchemaMapper(rules, new SchemaGenerator()).generate(new JCodeModel(), "Input", "generated", input);
    }

    private static final class FromJson extends DefaultGenerationConfig {
        @Override
        public SourceType getSourceType() {
            return SourceType.JSON;
        }
    }

    private static final FromJson CONFIG = new FromJson();
}
