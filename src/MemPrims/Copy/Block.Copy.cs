using System.Runtime.CompilerServices;

namespace MemPrims;

public static unsafe partial class Block
{
    /// <summary>Copies a block. The blocks may overlap in either direction, at any distance.</summary>
    /// <param name="destination">Where to.</param>
    /// <param name="source">Where from.</param>
    /// <param name="length">How many bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative; nothing was written.</exception>
    /// <remarks>
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="source"/>; as many writable ones from <paramref name="destination"/>. Null is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> Any: the destination ends up with what the source held before.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> Both blocks stay mapped, and pinned if managed, until the call returns. The bytes hold no references to objects.</para>
    /// <para><b>Wrong length.</b> Too long writes past the destination: corrupted memory, or a fault that ends the process.</para>
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining | MethodImplOptions.AggressiveOptimization)]
    public static void Copy(byte* destination, byte* source, nint length)
    {
        if (Hardware.Has512 && !Backend.UsesLibc)
        {
            if (ShortBlocks<CopiedBlocks>.Expected)
            {
                if (MaskedWindows.Fit(destination, source, length, MaskedWindows.PairReach))
                {
                    Copy512.MovePair(destination, source, length);
                    return;
                }
            }
            else if (MaskedWindows.Fit(destination, source, length))
            {
                Copy512.MoveMasked(destination, source, length);
                return;
            }
        }
        CopyOutOfLine(destination, source, length);
    }

    /// <summary>Copies all of the source to the start of the destination. They may overlap.</summary>
    /// <param name="destination">Where to: at least as long as the source.</param>
    /// <param name="source">Where from.</param>
    /// <exception cref="ArgumentException">The destination is shorter than the source; nothing was written.</exception>
    public static void Copy(Span<byte> destination, ReadOnlySpan<byte> source)
    {
        if (destination.Length < source.Length) Throw.DestinationTooShort(source.Length, destination.Length);
        fixed (byte* d = destination, s = source) Copy(d, s, source.Length);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CopyOutOfLine(byte* destination, byte* source, nint length)
    {
        if (Backend.UsesLibc)
        {
            Libc.Copy(destination, source, length);
            return;
        }
        if (Hardware.Has512) ShortBlocks<CopiedBlocks>.Note(length);
        Move.InTier(destination, source, length);
    }
}
