import org.mozilla.javascript.Context;
import org.mozilla.javascript.ContextFactory;

/** Compiles a script and runs it up to a limit of instructions. */
public final class Rhino {
    private static final int INSTRUCTIONS = 100_000;

    /** Stops a script. Scripts cannot catch it. */
    private static final class Endless extends Error {
        private static final long serialVersionUID = 1;
    }

    private static final class Bounded extends ContextFactory {
        @Override
        protected Context makeContext() {
            Context context = super.makeContext();
            context.setLanguageVersion(Context.VERSION_ES6);
            context.setOptimizationLevel(-1); // the interpreter counts single instructions
            context.setInstructionObserverThreshold(INSTRUCTIONS);
            context.setMaximumInterpreterStackDepth(200);
            return context;
        }

        @Override
        protected void observeInstructionCount(Context context, int count) {
            throw new Endless();
        }
    }

    private static final ContextFactory BOUNDED = new Bounded();

    public static void run(String script) throws Exception {
        Context context = BOUNDED.enterContext();
        try {
            context.evaluateString(context.initSafeStandardObjects(), script, "input.js", 1, null);
        } catch (Endless e) {
            throw new Exception("endless", e);
        } finally {
            Context.exit();
        }
    }
}
