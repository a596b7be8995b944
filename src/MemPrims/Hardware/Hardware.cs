using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace MemPrims;

/// <summary>
/// Which instruction tier runs. The JIT folds <see cref="Tier"/> and everything that is switched by it to a constant, so a dispatch costs nothing.
/// The settings of the runtime (<c>DOTNET_EnableAVX512=0</c> and its like) choose a lower tier.
/// </summary>
public static class Hardware
{
    /// <summary>The tier in use.</summary>
    public static Tier Tier =>
        Has512 ? Tier.Vector512
        : Vector256.IsHardwareAccelerated ? Tier.Vector256
        : Vector128.IsHardwareAccelerated ? Tier.Vector128
        : Tier.Scalar;

    // With DOTNET_PreferredVectorBitWidth=256 the masks are there, but the runtime was told to keep to narrower vectors: obeyed.
    internal static bool Has512 => Vector512.IsHardwareAccelerated && Avx512BW.IsSupported;

    /// <summary>One line for a report: the tier, the architecture and the runtime.</summary>
    public static string Describe() =>
        $"{Tier}, {RuntimeInformation.ProcessArchitecture}, {RuntimeInformation.FrameworkDescription}, {RuntimeInformation.RuntimeIdentifier}";
}
