package org.example;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import java.util.Arrays;

/** A fuzz target for Jazzer. It fails with what it received. */
public class FuzzShapes {
    private static String ready = "";

    public static void fuzzerInitialize() {
        ready = "ready";
    }

    public static void fuzzerTestOneInput(FuzzedDataProvider data) {
        int number = data.consumeInt(-5, 5);
        boolean flag = data.consumeBoolean();
        String name = data.consumeString(20);
        byte[] bytes = data.consumeBytes(2);
        short[] shorts = data.consumeShorts(1);
        String pick = data.pickValue(new String[] {"x", "y", "z"});
        double share = data.consumeProbabilityDouble();
        String rest = data.consumeRemainingAsString();
        throw new IllegalStateException(ready + " " + number + " " + flag + " " + name + " " + Arrays.toString(bytes) + " "
                + Arrays.toString(shorts) + " " + pick + " " + (share < 0.5) + " " + rest + " " + data.remainingBytes());
    }
}
