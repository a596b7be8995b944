using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

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

    // Each is a field where the code is precompiled. One code then serves every processor with AVX2, so it cannot ask the processor.
    // The JIT's later code has the fields as constants. Methods with the mark Hot.Wide ask WideHas512 and WideSplits512: the JIT compiles
    // them once, perhaps before the fields are there. So the fields wait for the first precompiled code that reads one.

    // With DOTNET_PreferredVectorBitWidth=256 the masks are there, but the runtime was told to keep to narrower vectors: obeyed.
    // Where large kernels are inlined in its branch, Vector512.IsHardwareAccelerated is asked before it: the JIT then drops the branch
    // while it reads the method. It drops a branch on this property, too, but only after it has inlined the calls there, and they use up
    // the method's budget. On AVX2 Block.Compare of 65 to 128 bytes takes 6.2 ns then, and 2.3 with the question before it (CompareCases,
    // "compare, sizes", Zen 4). Precompiled code may not ask (Hot.IsPrecompiled).
#if PRECOMPILED
    internal static readonly bool Has512 =
#else
    internal static bool Has512 =>
#endif
        Vector512.IsHardwareAccelerated && Avx512BW.IsSupported;

    /// <summary>
    /// Whether the processor does a 512-bit instruction in two halves, as Zen 4 does. 256-bit kernels are then faster from 200 bytes to 2
    /// KiB. The runtime does not tell. But every processor that has AVX-VNNI beside AVX-512 (Zen 5, Sapphire Rapids and later ones) does
    /// them whole, and Zen 4 has none.
    /// </summary>
#if PRECOMPILED
    internal static readonly bool Splits512 =
#else
    internal static bool Splits512 =>
#endif
        !AvxVnni.IsSupported;

    internal static bool WideHas512 => Vector512.IsHardwareAccelerated && Avx512BW.IsSupported;

    internal static bool WideSplits512 => !AvxVnni.IsSupported;

    /// <summary>512 bits, and bytes compressed and permuted in them.</summary>
#if PRECOMPILED
    internal static readonly bool HasCompress512 =
#else
    internal static bool HasCompress512 =>
#endif
        Vector512.IsHardwareAccelerated && Avx512BW.IsSupported && Avx512Vbmi.IsSupported && Avx512Vbmi2.IsSupported;

    /// <summary>512 bits, and four carry-less products at once.</summary>
#if PRECOMPILED
    internal static readonly bool HasProduct512 =
#else
    internal static bool HasProduct512 =>
#endif
        Vector512.IsHardwareAccelerated && Avx512BW.IsSupported && Pclmulqdq.V512.IsSupported;

    /// <summary>One line for a report: the tier, the backend where it is libc, the architecture and the runtime.</summary>
    public static string Describe()
    {
        string backend = Backend.UsesLibc ? "libc backend, " : "";
        return $"{Tier}, {backend}{RuntimeInformation.ProcessArchitecture}, {RuntimeInformation.FrameworkDescription}, "
            + RuntimeInformation.RuntimeIdentifier;
    }
}
