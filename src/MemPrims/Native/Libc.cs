namespace MemPrims;

/// <summary>
/// memcmp and memmove of the platform's C library. Where no C library is found, the runtime's own routines do the same work.
///
/// Every call makes the transition that lets the garbage collector run meanwhile: 0.5–2 ns, measured on Zen 5. Leaving it out would be
/// faster for small blocks. But the memory may be a mapped file, and a page that has to come from the disk would then hold up a
/// collection, and with it every thread.
///
/// Some C libraries read a byte that differs a second time. When another thread changes the block meanwhile, their memcmp may say 0 of
/// blocks that were never equal. <see cref="Block"/> does not: on the libc backend it looks again when memcmp says 0.
/// </summary>
public static unsafe class Libc
{
    private static readonly LibcEntryPoints s_entries = Load();

    /// <summary>Whether the C library was found on this platform.</summary>
    public static bool IsAvailable => s_entries.Compare != 0;

    /// <summary>Orders two blocks by memcmp, as <see cref="Block.Compare(byte*, byte*, nint)"/> does.</summary>
    /// <param name="left">The block that is less when the result is negative.</param>
    /// <param name="right">The other block.</param>
    /// <param name="length">How many bytes both have.</param>
    /// <returns>Negative, zero or positive. Only the sign means anything.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <exception cref="NullReferenceException">A block is null and the length is not 0.</exception>
    /// <remarks>
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="left"/> and from <paramref name="right"/>.
    /// Null is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> Any.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> Both blocks stay mapped, and pinned if managed, until the call returns.</para>
    /// <para><b>Wrong length.</b> Too long reads past the blocks: a wrong result, or a fault that ends the process.</para>
    /// </remarks>
    public static int Compare(byte* left, byte* right, nint length)
    {
        if (length < 0) Throw.NegativeLength(length);
        if (!IsAvailable) return CompareByRuntime(left, right, length);
        if (length == 0) return 0;
        Touch(left);
        Touch(right);
        return ((delegate* unmanaged[Cdecl]<byte*, byte*, nint, int>)s_entries.Compare)(left, right, length);
    }

    /// <summary>Copies a block by memmove.</summary>
    /// <param name="destination">Where to.</param>
    /// <param name="source">Where from.</param>
    /// <param name="length">How many bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="length"/> is negative.</exception>
    /// <exception cref="NullReferenceException">A block is null and the length is not 0; nothing was written.</exception>
    /// <remarks>
    /// <para><b>Readable range.</b> <paramref name="length"/> bytes from <paramref name="source"/>; as many writable ones from
    /// <paramref name="destination"/>. Null is fine when the length is 0.</para>
    /// <para><b>Overlap.</b> Any: the destination ends up with what the source held before.</para>
    /// <para><b>Alignment.</b> Any.</para>
    /// <para><b>Lifetime.</b> Both blocks stay mapped, and pinned if managed, until the call returns.</para>
    /// <para><b>Wrong length.</b> Too long writes past the destination: corrupted memory, or a fault that ends the process.</para>
    /// </remarks>
    public static void Copy(byte* destination, byte* source, nint length)
    {
        if (length < 0) Throw.NegativeLength(length);
        if (length == 0) return;
        Touch(source);
        Touch(destination);
        if (destination == source) return;
        if (!IsAvailable) System.Buffer.MemoryCopy(source, destination, length, length);
        else ((delegate* unmanaged[Cdecl]<byte*, byte*, nint, byte*>)s_entries.Copy)(destination, source, length);
    }

    // A fault inside libc ends the process. The same fault in managed code is an exception, so a null pointer is met here first.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Touch(byte* block) => _ = Volatile.Read(ref *block);

    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static int CompareByRuntime(byte* left, byte* right, nint length)
    {
        while (length > 0)
        {
            int part = (int)Math.Min(length, int.MaxValue);
            int order = new ReadOnlySpan<byte>(left, part).SequenceCompareTo(new ReadOnlySpan<byte>(right, part));
            if (order != 0) return order;
            left += part;
            right += part;
            length -= part;
        }
        return 0;
    }

    private static LibcEntryPoints Load() =>
        LibcEntryPoints.TryLoad(LibcEntryPoints.PlatformNames, out LibcEntryPoints entries) ? entries : default;
}
