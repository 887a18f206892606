package com.code_intelligence.jazzer.api;

/** Some methods of the interface of the same name in Jazzer. */
public interface FuzzedDataProvider {
    boolean consumeBoolean();

    int consumeInt(int min, int max);

    byte[] consumeBytes(int maxLength);

    short[] consumeShorts(int maxLength);

    double consumeProbabilityDouble();

    String consumeString(int maxLength);

    String consumeRemainingAsString();

    <T> T pickValue(T[] array);

    int remainingBytes();
}
