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
    public static void Copy(byte* destination, byte* source, nint length) =>
        CopyBytes(ref *destination, ref *source, length);

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

    // The same for the appenders, of which many calls stand in one method: without the checks that they need not.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void CopyOneOfMany(Span<byte> destination, ReadOnlySpan<byte> source)
    {
        Debug.Assert(destination.Length >= source.Length, "The appender has made room.");
        ref byte to = ref MemoryMarshal.GetReference(destination), from = ref MemoryMarshal.GetReference(source);
        nint length = source.Length;
        if (Backend.UsesLibc || !Vector128.IsHardwareAccelerated || length > 4 * Bytes128.Size) CallCopy(destination, source);
        else if (length > CopyInRegisters.LongestByWords) CopyInRegisters.Four<Bytes128>(ref to, ref from, length);
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
        else if (!Vector128.IsHardwareAccelerated || length > 4 * Bytes128.Size) CopyLong(ref destination, ref source, length);
        else if (length > CopyInRegisters.LongestByWords)
            CopyInRegisters.Four<Bytes128>(ref destination, ref source, length);
        else if (length >= sizeof(ulong)) CopyInRegisters.EndsOf8(ref destination, ref source, length - sizeof(ulong));
        else if (length > 0) CopyShort(ref destination, ref source, length);
        else if (length < 0) Throw.NegativeLength(length);
    }

    // It calls nothing, so it needs no stack frame.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CopyShort(ref byte destination, ref byte source, nint length) =>
        CopyInRegisters.BelowWord(ref destination, ref source, length);

    // Out of line: at the call site it would use up what the JIT inlines into one method.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CopyLong(ref byte destination, ref byte source, nint length) => Move.InTier(ref destination, ref source, length);

    // Nothing is stored: it would undo what another thread writes meanwhile, and fault in memory that may only be read. System.Buffer
    // does the same. One byte is read, so that null is an exception here too.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CopyOntoItself(ref byte block, nint length)
    {
        if (length < 0) Throw.NegativeLength(length);
        if (length > 0) _ = Volatile.Read(ref block);
    }
}
