import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Collections;
import org.jacoco.agent.rt.IAgent;
import org.jacoco.agent.rt.RT;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.tools.ExecFileLoader;
import org.jacoco.report.IReportVisitor;
import org.jacoco.report.xml.XMLFormatter;

/**
 * Runs a method on each file of a folder under JaCoCo's agent, and writes an XML
 * report per file. The method takes a String. Arguments: CLASS#METHOD, the jar, the
 * folder, the number of files for the warm-up, and the folder for reports.
 */
public final class Reports {
    public static void main(String[] args) throws Exception {
        String[] target = args[0].split("#");
        Class<?> type = Class.forName(target[0]);
        Method method = type.getMethod(target[1], String.class);
        File[] files = new File(args[2]).listFiles();
        Arrays.sort(files);
        int warmup = Integer.parseInt(args[3]);
        for (int i = 0; i < warmup && i < files.length; i++) {
            run(type, method, files[i]);
        }
        IAgent agent = RT.getAgent();
        for (int i = warmup; i < files.length; i++) {
            File file = files[i];
            agent.reset();
            run(type, method, file);
            ExecFileLoader data = new ExecFileLoader();
            data.load(new ByteArrayInputStream(agent.getExecutionData(false)));
            CoverageBuilder coverage = new CoverageBuilder();
            new Analyzer(data.getExecutionDataStore(), coverage).analyzeAll(new File(args[1]));
            try (OutputStream out = new FileOutputStream(new File(args[4], file.getName() + ".xml"))) {
                IReportVisitor report = new XMLFormatter().createVisitor(out);
                report.visitInfo(Collections.emptyList(), Collections.emptyList());
                report.visitBundle(coverage.getBundle("subject"), null);
                report.visitEnd();
            }
        }
    }

    private static void run(Class<?> type, Method method, File file) throws Exception {
        String input = new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
        try {
            Object object = java.lang.reflect.Modifier.isStatic(method.getModifiers()) ? null : type.getDeclaredConstructor().newInstance();
            method.invoke(object, input);
        } catch (java.lang.reflect.InvocationTargetException e) {
            // The program may reject the input.
        }
    }
}
