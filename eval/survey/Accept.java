import com.sun.management.OperatingSystemMXBean;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.antlr.v4.Tool;
import org.antlr.v4.runtime.BaseErrorListener;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.LexerInterpreter;
import org.antlr.v4.runtime.ParserInterpreter;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.Recognizer;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.atn.Transition;
import org.antlr.v4.tool.ANTLRMessage;
import org.antlr.v4.tool.ANTLRToolListener;
import org.antlr.v4.tool.Grammar;
import org.antlr.v4.tool.ast.GrammarRootAST;

/**
 * Parses inputs with the interpreter of the ANTLR tool.
 *
 * <p>Usage: Accept SECONDS ENCODING START MAIN GRAMMARS [INPUTS [passes]]. GRAMMARS is a folder with all files of the grammar,
 * to which .tokens files are added, and MAIN the name of its parser or combined grammar. For each file of the folder
 * INPUTS, in order of sizes, a line has the name, a tab, and "ok" or the first error. The last line is "end"; it is
 * missing if the time did not suffice. If the tool rejects the grammar, the only line has "!", a tab and the error.
 *
 * <p>With "passes", it parses every other input, these again, and then the rest. For each pass, a line has "pass", a
 * tab and the seconds of processor time.
 */
public class Accept {
  private static final long STACK = 1L << 30;

  private final Path folder;
  private final PrintStream out;
  private final List<String> errors = new ArrayList<>();

  private Accept(Path folder, PrintStream out) {
    this.folder = folder;
    this.out = out;
  }

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    Accept accept = new Accept(Path.of(args[4]), out);
    Path inputs = args.length > 5 ? Path.of(args[5]) : null;
    boolean passes = args.length > 6;
    Runnable run = () -> accept.run(args[3], args[2], Charset.forName(args[1]), inputs, passes);
    Thread work = new Thread(null, run, "work", STACK);
    work.start();
    work.join(1000 * Long.parseLong(args[0]));
    Runtime.getRuntime().halt(0);
  }

  private void run(String main, String start, Charset encoding, Path inputs, boolean passes) {
    try {
      Grammar parser = load(main);
      Grammar lexer = parser == null ? null : lexerOf(parser);
      if (errors.isEmpty() && lexer == null) {
        errors.add("no lexer");
      }
      if (errors.isEmpty() && parser.getRule(start) == null) {
        errors.add("no rule " + start);
      }
      if (!errors.isEmpty()) {
        out.println("!\t" + errors.get(0));
        return;
      }
      if (inputs != null && passes) {
        parsePasses(parser, lexer, start, encoding, inputs);
      } else if (inputs != null) {
        parseAll(parser, lexer, start, encoding, inputs);
      }
      out.println("end");
    } catch (Throwable e) {
      out.println("!\t" + line(e.toString()));
    }
  }

  /** Loads a grammar after the grammar of its token vocabulary, and writes its .tokens file. */
  private Grammar load(String name) throws Exception {
    Path file = folder.resolve(name + ".g4");
    GrammarRootAST root = tool().parseGrammar(file.toString());
    String vocabulary = root == null ? null : root.getOptionString("tokenVocab");
    if (vocabulary != null && !vocabulary.equals(name) && Files.exists(folder.resolve(vocabulary + ".g4"))) {
      load(vocabulary);
    }
    Grammar grammar = tool().loadGrammar(file.toString());
    if (grammar == null) {
      errors.add("no grammar " + name);
      return null;
    }
    StringBuilder tokens = new StringBuilder();
    for (Map<String, Integer> types : List.of(grammar.tokenNameToTypeMap, grammar.stringLiteralToTypeMap)) {
      for (Map.Entry<String, Integer> type : types.entrySet()) {
        if (type.getValue() >= Token.MIN_USER_TOKEN_TYPE) {
          tokens.append(type.getKey()).append('=').append(type.getValue()).append('\n');
        }
      }
    }
    Files.writeString(folder.resolve(name + ".tokens"), tokens);
    return grammar;
  }

  private Grammar lexerOf(Grammar parser) throws Exception {
    if (parser.isCombined() && parser.getImplicitLexer() != null) {
      return parser.getImplicitLexer();
    }
    String name = parser.getOptionString("tokenVocab");
    if (name == null) {
      name = parser.name.replaceAll("Parser$", "") + "Lexer";
    }
    return Files.exists(folder.resolve(name + ".g4")) ? load(name) : null;
  }

  private Tool tool() {
    Tool tool = new Tool();
    tool.libDirectory = folder.toString();
    tool.outputDirectory = folder.toString();
    tool.grammarEncoding = "UTF-8";
    tool.removeListeners();
    tool.addListener(
        new ANTLRToolListener() {
          @Override
          public void info(String message) {}

          @Override
          public void error(ANTLRMessage message) {
            errors.add(line("error " + message.getErrorType().code + ", line " + message.line + ": "
                + message.getMessageTemplate(false).render()));
          }

          @Override
          public void warning(ANTLRMessage message) {}
        });
    return tool;
  }

  private void parseAll(Grammar parser, Grammar lexer, String start, Charset encoding, Path inputs) throws Exception {
    List<Path> files;
    try (Stream<Path> found = Files.list(inputs)) {
      files = found.sorted(Comparator.comparing(file -> file.toFile().length())).toList();
    }
    LexerInterpreter lex = lexer.createLexerInterpreter(CharStreams.fromString(""));
    ParserInterpreter parse = new Interpreter(parser.createParserInterpreter(new CommonTokenStream(lex)));
    for (Path file : files) {
      String text = new String(Files.readAllBytes(file), encoding);
      out.println(file.getFileName() + "\t" + judge(lex, parse, parser.getRule(start).index, text));
    }
  }

  private void parsePasses(Grammar parser, Grammar lexer, String start, Charset encoding, Path inputs) throws Exception {
    List<String> texts = new ArrayList<>();
    try (Stream<Path> found = Files.list(inputs)) {
      for (Path file : found.sorted().toList()) {
        texts.add(new String(Files.readAllBytes(file), encoding));
      }
    }
    LexerInterpreter lex = lexer.createLexerInterpreter(CharStreams.fromString(""));
    ParserInterpreter parse = new Interpreter(parser.createParserInterpreter(new CommonTokenStream(lex)));
    OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    for (int pass = 0; pass < 3; pass++) {
      long begin = system.getProcessCpuTime();
      for (int i = pass / 2; i < texts.size(); i += 2) {
        judge(lex, parse, parser.getRule(start).index, texts.get(i));
      }
      out.println("pass\t" + (system.getProcessCpuTime() - begin) / 1e9);
    }
  }

  /** Returns "ok", or the first error of an input. */
  private static String judge(LexerInterpreter lex, ParserInterpreter parse, int start, String text) {
    List<String> found = new ArrayList<>();
    BaseErrorListener listener =
        new BaseErrorListener() {
          @Override
          public void syntaxError(
              Recognizer<?, ?> r, Object symbol, int line, int column, String message, RecognitionException e) {
            found.add(line + ":" + column + ": " + message);
          }
        };
    lex.removeErrorListeners();
    lex.addErrorListener(listener);
    parse.removeErrorListeners();
    parse.addErrorListener(listener);
    try {
      lex.setInputStream(CharStreams.fromString(text));
      CommonTokenStream tokens = new CommonTokenStream(lex);
      parse.setInputStream(tokens);
      parse.parse(start);
      if (found.isEmpty() && tokens.LA(1) != Token.EOF) {
        return line("the start rule ends before " + tokens.LT(1));
      }
    } catch (StackOverflowError | RuntimeException e) {
      return line(e.toString());
    }
    return found.isEmpty() ? "ok" : line(found.get(0));
  }

  /**
   * The tool's interpreter, which also accepts the end of the input where a set of tokens contains it, as in (';' | EOF).
   * Generated parsers accept it there; the tool's interpreter reports an error.
   */
  private static final class Interpreter extends ParserInterpreter {
    Interpreter(ParserInterpreter from) {
      super(from.getGrammarFileName(), from.getVocabulary(), List.of(from.getRuleNames()), from.getATN(), from.getInputStream());
    }

    @Override
    public Token matchWildcard() {
      Transition transition = getATN().states.get(getState()).transition(0);
      if (_input.LA(1) != Token.EOF || transition.label() == null || !transition.label().contains(Token.EOF)) {
        return super.matchWildcard();
      }
      Token end = getCurrentToken();
      consume();
      return end;
    }
  }

  private static String line(String text) {
    return text.replaceAll("\\s+", " ");
  }
}
