import java.lang.reflect.Field;
import java.util.Map;
import java.util.TreeSet;

import org.antlr.v4.runtime.misc.Interval;
import org.antlr.v4.runtime.misc.IntervalSet;
import org.antlr.v4.unicode.UnicodeData;

/** Prints what ANTLR's tool takes for a property: per line a name, a tab, and its ranges in hexadecimal. */
public class Dump {
    public static void main(String[] args) throws ReflectiveOperationException {
        TreeSet<String> names = new TreeSet<>();
        for (String map : new String[] {"propertyCodePointRanges", "propertyAliases"}) {
            Field field = UnicodeData.class.getDeclaredField(map);
            field.setAccessible(true);
            for (Object name : ((Map<?, ?>) field.get(null)).keySet()) {
                names.add((String) name);
            }
        }
        for (String name : names) {
            IntervalSet set = UnicodeData.getPropertyCodePoints(name);
            if (set == null || set.isNil()) {
                continue; // the tool refuses a property that no character has
            }
            StringBuilder line = new StringBuilder(name).append('\t');
            for (Interval range : set.getIntervals()) {
                line.append(String.format("%x-%x ", range.a, range.b));
            }
            System.out.println(line.toString().stripTrailing());
        }
    }
}
