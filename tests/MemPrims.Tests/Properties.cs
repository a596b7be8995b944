using FsCheck;
using FsCheck.Fluent;

namespace MemPrims.Tests;

// Properties hold for what FsCheck generates from the seed of this run; it shrinks what it finds against one.
internal static class Properties
{
    public static void Hold<T>(Gen<T> generator, Func<T, bool> property) =>
        Prop.ForAll(generator.ToArbitrary(), property)
            .Check(Config.QuickThrowOnFailure.WithMaxTest(1000 * Seeds.Scale).WithReplay((ulong)Seeds.Seed, gamma: 1));

    // Blocks of up to 400 bytes, the short ones as often as the long ones.
    public static Gen<byte[]> Block { get; } =
        from longest in Gen.Elements(4, 20, 80, 400)
        from length in Gen.Choose(0, longest)
        from bytes in Gen.ArrayOf(Gen.Choose(0, 255).Select(value => (byte)value), length)
        select bytes;

    // Two blocks that start with the same bytes, up to a place anywhere.
    public static Gen<(byte[] Left, byte[] Right)> Relatives { get; } =
        from common in Block
        from left in Gen.OneOf(Gen.Constant<byte[]>([]), Block)
        from right in Gen.OneOf(Gen.Constant(left), Gen.Constant<byte[]>([]), Block)
        select ((byte[])[.. common, .. left], (byte[])[.. common, .. right]);
}
