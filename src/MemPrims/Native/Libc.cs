using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims;

/// <summary>
/// memcmp and memmove of the platform's C library. Up to <see cref="SuppressedTransitionLimit"/> bytes the call does without the transition that
/// lets the garbage collector run meanwhile; above, a collection must not wait for it. Where no C library is
/// found, the runtime's own routines do the same work.
/// </summary>
public static unsafe class Libc
{
    // A copy of this size in the cache takes 0.1 microseconds (CopyCases, "copy, fixed"): that long may a collection be held up.
    private const int SuppressedTransitionLimit = 16 * 1024;

    private static readonly LibcEntryPoints s_entries = Load();

    /// <summary>Whether the C library was found on this platform.</summary>
    public static bool IsAvailable => s_entries.Compare != 0;

    // Only glibc on x64 is known to give the difference of the bytes at every length; elsewhere memcmp gives a sign.
    private static bool GivesDifference => OperatingSystem.IsLinux() && RuntimeInformation.ProcessArchitecture == Architecture.X64;

    /// <summary>Orders two blocks by memcmp, with the result of <see cref="Block.Compare(byte*, byte*, nint)"/>: the difference of the first two bytes that differ.</summary>
    /// <param name="left">The block that is less when the result is negative.</param>
    /// <param name="right">The other block.</param>
    /// <param name="length">How many bytes both have.</param>
    /// <returns>Exactly <c>left[i] - right[i]</c> for the first i at which they differ; 0 when they are equal.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <remarks>
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="left"/> and from <paramref name="right"/>. Null is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> Any.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> Both blocks stay mapped, and pinned if managed, until the call returns.</para>
    /// <para><b>Wrong length.</b> Too long reads past the blocks: a wrong result, or a fault that ends the process.</para>
    /// </remarks>
    public static int Compare(byte* left, byte* right, nint length)
    {
        if (length < 0) Throw.NegativeLength(length);
        if (!IsAvailable) return DifferenceByRuntime(left, right, length);
        int order = length <= SuppressedTransitionLimit
            ? ((delegate* unmanaged[Cdecl, SuppressGCTransition]<byte*, byte*, nint, int>)s_entries.Compare)(left, right, length)
            : ((delegate* unmanaged[Cdecl]<byte*, byte*, nint, int>)s_entries.Compare)(left, right, length);
        return order == 0 || GivesDifference ? order : DifferenceByRuntime(left, right, length);
    }

    /// <summary>Copies a block by memmove.</summary>
    /// <param name="destination">Where to.</param>
    /// <param name="source">Where from.</param>
    /// <param name="length">How many bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <remarks>
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="source"/>; as many writable ones from <paramref name="destination"/>. Null is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> Any: the destination ends up with what the source held before.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> Both blocks stay mapped, and pinned if managed, until the call returns.</para>
    /// <para><b>Wrong length.</b> Too long writes past the destination: corrupted memory, or a fault that ends the process.</para>
    /// </remarks>
    public static void Copy(byte* destination, byte* source, nint length)
    {
        if (length < 0) Throw.NegativeLength(length);
        if (!IsAvailable) System.Buffer.MemoryCopy(source, destination, length, length);
        else if (length <= SuppressedTransitionLimit) ((delegate* unmanaged[Cdecl, SuppressGCTransition]<byte*, byte*, nint, byte*>)s_entries.Copy)(destination, source, length);
        else ((delegate* unmanaged[Cdecl]<byte*, byte*, nint, byte*>)s_entries.Copy)(destination, source, length);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static int DifferenceByRuntime(byte* left, byte* right, nint length)
    {
        while (length > 0)
        {
            int part = (int)Math.Min(length, int.MaxValue);
            int position = new ReadOnlySpan<byte>(left, part).CommonPrefixLength(new ReadOnlySpan<byte>(right, part));
            if (position < part) return left[position] - right[position];
            left += part;
            right += part;
            length -= part;
        }
        return 0;
    }

    private static LibcEntryPoints Load() =>
        LibcEntryPoints.TryLoad(LibcEntryPoints.PlatformNames, out LibcEntryPoints entries) ? entries : default;
}
