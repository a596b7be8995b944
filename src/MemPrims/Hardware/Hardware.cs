namespace MemPrims;

/// <summary>
/// Which instruction tier runs. The JIT folds <see cref="Tier"/> and everything that is switched by it to a constant, so a dispatch costs
/// nothing. The settings of the runtime (<c>DOTNET_EnableAVX512=0</c> and its like) choose a lower tier.
/// </summary>
public static class Hardware
{
    /// <summary>The tier in use.</summary>
    public static Tier Tier =>
        Has512 ? Tier.Vector512
        : Vector256.IsHardwareAccelerated ? Tier.Vector256
        : Vector128.IsHardwareAccelerated ? Tier.Vector128
        : Tier.Scalar;

    // Fields, since one precompiled code serves processors with 512 bits and without, and may not ask the processor itself. Code that the
    // JIT optimises later has them as constants. So has Native AOT without 512 bits, if no field asks the processor then. One that does
    // would make every routine that looks at any of them ask whether they are computed, and save its registers for the call.

    // With DOTNET_PreferredVectorBitWidth=256 the masks are there, but the runtime was told to keep to narrower vectors: obeyed.
    internal static readonly bool Has512 = Avx512BW.IsSupported && Vector512.IsHardwareAccelerated;

    // Whether the processor does a 512-bit instruction in two halves, as Zen 4 does. 256-bit kernels are then faster from 200 bytes to 2
    // KiB. The runtime does not tell. But every processor that has AVX-VNNI beside AVX-512 (Zen 5, Sapphire Rapids and later ones) does
    // them whole, and Zen 4 has none.
    internal static readonly bool Splits512 = Has512 && !AvxVnni.IsSupported;

    // 512 bits, and the processor does them whole.
    internal static bool IsWhole512
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Has512 && !Splits512;
    }

    // 512 bits, and bytes compressed and permuted in them.
    internal static readonly bool HasCompress512 = Has512 && Avx512Vbmi.IsSupported && Avx512Vbmi2.IsSupported;

    // 512 bits, and four carry-less products at once.
    internal static readonly bool HasProduct512 = Has512 && Pclmulqdq.V512.IsSupported;

    /// <summary>One line for a report: the tier, the backend where it is libc, the architecture and the runtime.</summary>
    public static string Describe()
    {
        string backend = Backend.UsesLibc ? "libc backend, " : "";
        return $"{Tier}, {backend}{RuntimeInformation.ProcessArchitecture}, {RuntimeInformation.FrameworkDescription}, "
            + RuntimeInformation.RuntimeIdentifier;
    }
}
