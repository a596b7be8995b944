namespace MemPrims.Buffers;

// Makes the precompiler compile what programs write first. It makes those instances of a generic method that it sees called in the
// assembly. Nobody calls this. Not optimised, it has its calls as calls.
internal static class Instances
{
    internal static void All()
    {
        Of<byte>();
        Of<bool>();
        Of<char>();
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
        Writer<Growing> growing = default;
        growing.Write(default(T)!);
        Writer<Reserved> reserved = default;
        reserved.Write(default(T)!);
        Writer<Unchecked> notChecked = default;
        notChecked.Write(default(T)!);
    }
}
