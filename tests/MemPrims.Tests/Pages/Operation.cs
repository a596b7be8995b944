using FsCheck;
using FsCheck.Fluent;

namespace MemPrims.Tests.Pages;

// One step of a random run: set or remove a key. Without a value it removes.
internal sealed record Operation(byte[] Key, byte[]? Value)
{
    public override string ToString() => $"{(Value is null ? "remove" : $"set {Value.Length} B at")} {Convert.ToHexString(Key)}";

    // Keys of a few kinds, so that they meet: 00 and FF only, behind a shared prefix, equal to that prefix, numbers, anything, and the
    // longest that fit.
    public static Gen<byte[]> Keys(int longest) => Gen.OneOf(
        from length in Gen.Choose(0, Math.Min(6, longest))
        from bytes in Gen.ArrayOf(Gen.Elements((byte)0, (byte)255), length)
        select bytes,
        from tail in Gen.ArrayOf(Gen.Elements((byte)0, (byte)1, (byte)'a', (byte)255))
        select (byte[])[.. "shared prefix"u8, .. tail.Take(5)],
        from id in Gen.Choose(1, 2000)
        select System.Text.Encoding.ASCII.GetBytes($"orders/{id}"),
        from length in Gen.Choose(0, Math.Min(40, longest))
        from bytes in Gen.ArrayOf(Gen.Choose(0, 255).Select(value => (byte)value), length)
        select bytes,
        from fill in Gen.Elements((byte)0, (byte)'x', (byte)255)
        from cut in Gen.Choose(0, 3)
        select Enumerable.Repeat(fill, longest - cut).ToArray());

    public static Gen<Operation> Any(int longestKey, int longestValue) =>
        from key in Keys(longestKey)
        from value in Gen.OneOf(
            Gen.Constant<byte[]?>(null),
            from length in Gen.Choose(0, 12) select (byte[]?)Filled(length, key.Length),
            from length in Gen.Choose(0, longestValue) select (byte[]?)Filled(length, key.Length + 1))
        select new Operation(key, value);

    // A sequence that FsCheck shrinks by leaving out steps.
    public static Arbitrary<Operation[]> Sequences(Gen<Operation> step, int most) => Arb.From(
        Gen.Sized(size => from count in Gen.Choose(0, Math.Max(1, most * size / 100)) from steps in Gen.ArrayOf(step, count) select steps),
        Shrunk);

    private static IEnumerable<Operation[]> Shrunk(Operation[] steps)
    {
        for (int part = steps.Length / 2; part > 0; part /= 2)
            for (int at = 0; at + part <= steps.Length; at += part)
                yield return [.. steps[..at], .. steps[(at + part)..]];
    }

    private static byte[] Filled(int length, int seed)
    {
        byte[] value = new byte[length];
        for (int i = 0; i < length; i++) value[i] = (byte)(seed + i);
        return value;
    }
}
