namespace MemPrims.Records;

// Makes the precompiler compile what generated records set first. It makes those instances of a generic method that it sees called in the
// assembly. Nobody calls this. Not optimised, it has its calls as calls.
internal static class Instances
{
    internal static void All()
    {
        Of<byte>();
        Of<short>();
        Of<ushort>();
        Of<int>();
        Of<uint>();
        Of<long>();
        Of<ulong>();
        Of<float>();
        Of<double>();
    }

    [MethodImpl(MethodImplOptions.NoOptimization)]
    private static void Of<T>()
    {
        RecordSlot slot = default;
        slot.Put(0, default(T)!);
    }
}
