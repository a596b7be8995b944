using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

/// <summary>
/// The dispatcher of the compare kernels. All of them do one thing: find the first byte that differs, and tell the length when none does.
/// Order, equality and common prefix are read off that position.
///
///   tier 512  Mismatch512      ≤ 128 masked windows, then unmasked windows and strides of 64 bytes
///   tier 256  Mismatch256      windows of 16 and 32 bytes, then strides of 32
///   tier 128  Mismatch128      windows of 16 bytes, then strides of 16
///   scalar    MismatchScalar   a branch table for the 0–3 byte prefix, then words of 8
///   libc      Libc             memcmp tells no position: after a difference, the tier's kernel finds it
/// </summary>
internal static unsafe class Mismatch
{
    /// <summary>The position of the first difference, or <paramref name="length"/>. A negative length throws.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static nint Find(byte* left, byte* right, nint length) =>
        Backend.UsesLibc && Libc.Compare(left, right, length) == 0 ? length : FindInTier(left, right, length);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static nint FindInTier(byte* left, byte* right, nint length) =>
        Hardware.Has512 ? Mismatch512.Find(left, right, length)
        : Vector256.IsHardwareAccelerated ? Mismatch256.Find(left, right, length)
        : Vector128.IsHardwareAccelerated ? Mismatch128.Find(left, right, length)
        : MismatchScalar.Find(left, right, length);
}
