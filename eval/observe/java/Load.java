/** Loads and links the class that an input names, so that the virtual machine verifies it. */
public final class Load {
    public static void load(String name) throws Exception {
        Class<?> type = Class.forName(name, false, Load.class.getClassLoader());
        java.lang.invoke.MethodHandles.privateLookupIn(type, java.lang.invoke.MethodHandles.lookup()).ensureInitialized(type);
    }
}
