import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionStatementTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints the parts of methods that can be edited. Arguments: the source files.
 *
 * <p>An output line has the index of the file, the first line of the method, the
 * start and end of the part as UTF-8 byte offsets, and its kind: condition,
 * statement, operator, number, character or boolean.
 */
public final class Edits extends TreeScanner<Void, Void> {
    private final int file;
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final String text;
    private long method; // first line of the innermost method; 0 outside methods

    private Edits(int file, CompilationUnitTree unit, SourcePositions positions) throws Exception {
        this.file = file;
        this.unit = unit;
        this.positions = positions;
        text = unit.getSourceFile().getCharContent(true).toString();
    }

    public static void main(String[] args) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<File> files = Arrays.stream(args).map(File::new).collect(Collectors.toList());
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            JavacTask task = (JavacTask) compiler.getTask(null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromFiles(files));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            int file = 0;
            for (CompilationUnitTree unit : task.parse()) { // in the order of the arguments
                new Edits(file++, unit, positions).scan(unit, null);
            }
        }
    }

    @Override
    public Void visitMethod(MethodTree tree, Void unused) {
        long outer = method;
        method = unit.getLineMap().getLineNumber(start(tree));
        scan(tree.getBody(), null); // no annotations: they are not executed
        method = outer;
        return null;
    }

    @Override
    public Void visitIf(IfTree tree, Void unused) {
        print("condition", ((ParenthesizedTree) tree.getCondition()).getExpression());
        return super.visitIf(tree, unused);
    }

    @Override
    public Void visitBinary(BinaryTree tree, Void unused) {
        int from = end(tree.getLeftOperand());
        int to = start(tree.getRightOperand());
        String between = text.substring(from, to);
        if (!between.contains("/*") && !between.contains("//")) {
            from += between.length() - between.stripLeading().length();
            print("operator", from, from + between.strip().length());
        }
        return super.visitBinary(tree, unused);
    }

    @Override
    public Void visitLiteral(LiteralTree tree, Void unused) {
        switch (tree.getKind()) {
            case INT_LITERAL:
                print("number", tree);
                break;
            case CHAR_LITERAL:
                print("character", tree);
                break;
            case BOOLEAN_LITERAL:
                print("boolean", tree);
                break;
            default:
        }
        return null;
    }

    @Override
    public Void visitBlock(BlockTree tree, Void unused) {
        for (StatementTree statement : tree.getStatements()) {
            if (statement instanceof ExpressionStatementTree && !isConstructor(((ExpressionStatementTree) statement).getExpression())) {
                print("statement", statement);
            }
        }
        return super.visitBlock(tree, unused);
    }

    /** Reports whether it is a call of this() or super(), which the compiler would add again. */
    private boolean isConstructor(ExpressionTree tree) {
        return text.substring(start(tree), end(tree)).matches("(?s)(this|super)\\s*\\(.*");
    }

    private int start(Tree tree) {
        return (int) positions.getStartPosition(unit, tree);
    }

    private int end(Tree tree) {
        return (int) positions.getEndPosition(unit, tree);
    }

    private void print(String what, Tree tree) {
        print(what, start(tree), end(tree));
    }

    private void print(String what, int from, int to) {
        if (method > 0) {
            System.out.println(file + " " + method + " " + bytes(from) + " " + bytes(to) + " " + what);
        }
    }

    private int bytes(int at) {
        return text.substring(0, at).getBytes(StandardCharsets.UTF_8).length;
    }
}
