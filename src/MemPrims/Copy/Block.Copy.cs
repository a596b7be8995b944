using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace MemPrims;

public static unsafe partial class Block
{
    /// <summary>Copies a block. The blocks may overlap in either direction, at any distance.</summary>
    /// <param name="destination">Where to.</param>
    /// <param name="source">Where from.</param>
    /// <param name="length">How many bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative; nothing was written.</exception>
    /// <remarks>
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="source"/>; as many writable ones from
    /// <paramref name="destination"/>. Null is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> Any: the destination ends up with what the source held before. A block copied onto itself is not written
    /// to.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> Both blocks stay mapped, and pinned if managed, until the call returns. It is for bytes, not for objects or
    /// structs that hold references.</para>
    /// <para><b>Wrong length.</b> Too long writes past the destination: corrupted memory, or a fault that ends the process.</para>
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Copy(byte* destination, byte* source, nint length)
    {
        Debug.Assert(BlockRange.Exists(destination, length) && BlockRange.Exists(source, length), BlockRange.Wraps);
        CopyBytes(ref *destination, ref *source, length);
    }

    /// <summary>Copies all of the source to the start of the destination. They may overlap.</summary>
    /// <param name="destination">Where to: at least as long as the source.</param>
    /// <param name="source">Where from.</param>
    /// <exception cref="ArgumentException">The destination is shorter than the source; nothing was written.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Copy(Span<byte> destination, ReadOnlySpan<byte> source)
    {
        if (destination.Length < source.Length) Throw.DestinationTooShort(source.Length, destination.Length);
        CopyBytes(ref MemoryMarshal.GetReference(destination), ref MemoryMarshal.GetReference(source), source.Length);
    }

    /// <summary>
    /// The same for the appenders, of which many calls stand in one method. What copies long blocks is not inlined: it used up what the
    /// JIT inlines into one method, and six small fields, two of them blocks, took 12.9 ns in place of 8.4 (Zen 4).
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void CopyOneOfMany(Span<byte> destination, ReadOnlySpan<byte> source)
    {
        Debug.Assert(destination.Length >= source.Length, "The appender has made room.");
        ref byte to = ref MemoryMarshal.GetReference(destination), from = ref MemoryMarshal.GetReference(source);
        nint length = source.Length;
        if (Backend.UsesLibc || !Vector128.IsHardwareAccelerated || length > 4 * Width128.Bytes) CallCopy(destination, source);
        else if (length > CopyInRegisters.LongestByWords) CopyInRegisters.FourOf16(ref to, ref from, length);
        else if (length >= sizeof(ulong)) CopyInRegisters.EndsOf8(ref to, ref from, length - sizeof(ulong));
        else if (length > 0) CopyShort(ref to, ref from, length);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CallCopy(Span<byte> destination, ReadOnlySpan<byte> source) => Copy(destination, source);

    // 8 to 64 bytes at the call site: two words, or four vectors without a branch on the length. Shorter ones go to a routine that needs
    // no stack frame.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void CopyBytes(ref byte destination, ref byte source, nint length)
    {
        if (Unsafe.AreSame(ref destination, ref source)) CopyOntoItself(ref source, length);
        else if (Backend.UsesLibc) CopyByLibc(ref destination, ref source, length);
        else if (!Vector128.IsHardwareAccelerated || length > 4 * Width128.Bytes) CopyLong(ref destination, ref source, length);
        else if (length > CopyInRegisters.LongestByWords)
            CopyInRegisters.FourOf16(ref destination, ref source, length);
        else if (length >= sizeof(ulong)) CopyInRegisters.EndsOf8(ref destination, ref source, length - sizeof(ulong));
        else if (length > 0) CopyShort(ref destination, ref source, length);
        else if (length < 0) Throw.NegativeLength(length);
    }

    // It calls nothing, so it needs no stack frame.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CopyShort(ref byte destination, ref byte source, nint length) =>
        CopyInRegisters.BelowWord(ref destination, ref source, length);

    // Not NoInlining: the JIT makes no jump of the last call of a method that is. In a plain build it is inlined: of 0 to 256 bytes a call
    // takes 1.15 times as long (CopyCases, "copy, random", Zen 4). Where it is precompiled, its size keeps it from being inlined. Then it
    // has 65 to 256 bytes of Move's table itself: by calls of what the precompiler leaves out they took 1.1 times as long.
    private static void CopyLong(ref byte destination, ref byte source, nint length)
    {
        if (!Vector256.IsHardwareAccelerated || length > 8 * Width256.Bytes
            || (length > 4 * Width256.Bytes && Hardware.Has512 && !Hardware.Splits512)) CopyInTier(ref destination, ref source, length);
        else if (length <= 4 * Width256.Bytes)
        {
            nint second = ((length - 1) >> 1) & Width256.Bytes, last = length - Width256.Bytes, third = last - second;
            Vector256<byte> a = Vector256.LoadUnsafe(ref source), b = Vector256.LoadUnsafe(ref source, (nuint)second);
            Vector256<byte> c = Vector256.LoadUnsafe(ref source, (nuint)third), d = Vector256.LoadUnsafe(ref source, (nuint)last);
            d.StoreUnsafe(ref destination, (nuint)last);
            c.StoreUnsafe(ref destination, (nuint)third);
            b.StoreUnsafe(ref destination, (nuint)second);
            a.StoreUnsafe(ref destination);
        }
        else
        {
            ref byte tail = ref Unsafe.Add(ref source, length - 4 * Width256.Bytes);
            Vector256<byte> a = Vector256.LoadUnsafe(ref source), b = Vector256.LoadUnsafe(ref source, 32);
            Vector256<byte> c = Vector256.LoadUnsafe(ref source, 64), d = Vector256.LoadUnsafe(ref source, 96);
            Vector256<byte> e = Vector256.LoadUnsafe(ref tail), f = Vector256.LoadUnsafe(ref tail, 32);
            Vector256<byte> g = Vector256.LoadUnsafe(ref tail, 64), h = Vector256.LoadUnsafe(ref tail, 96);
            ref byte end = ref Unsafe.Add(ref destination, length - 4 * Width256.Bytes);
            h.StoreUnsafe(ref end, 96);
            g.StoreUnsafe(ref end, 64);
            f.StoreUnsafe(ref end, 32);
            e.StoreUnsafe(ref end);
            d.StoreUnsafe(ref destination, 96);
            c.StoreUnsafe(ref destination, 64);
            b.StoreUnsafe(ref destination, 32);
            a.StoreUnsafe(ref destination);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void CopyInTier(ref byte destination, ref byte source, nint length) => Move.InTier(ref destination, ref source, length);

    // Nothing is stored: it would undo what another thread writes meanwhile, and fault in memory that may only be read. System.Buffer
    // does the same. One byte is read, so that null is an exception here too.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CopyOntoItself(ref byte block, nint length)
    {
        if (length < 0) Throw.NegativeLength(length);
        if (length > 0) _ = Volatile.Read(ref block);
    }
}
