namespace MemPrims.Sets;

/// <content>To and from bytes, and sets that answer from their caller's bytes, where these lie.</content>
public abstract partial class IdSetBase<TSet, TId>
{
    /// <summary>The bytes that <see cref="Serialize(IBufferWriter{byte})"/> writes.</summary>
    public abstract long SerializedSize { get; }

    /// <summary>
    /// Writes the set in the portable Roaring format, or its form for 64 bits. A set that was loaded and not changed is written as it
    /// was, but runs that touch are joined, and upper halves without ids are left out.
    /// </summary>
    /// <exception cref="InvalidOperationException">GetSpan of the writer returns too little room, or the writer changes the
    /// set.</exception>
    public void Serialize(IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        Write(new(destination, () => Version));
    }

    // Writes the set to a writer that watches it, or the one that it is a part of.
    internal virtual void Write(CheckedWriter destination)
    {
        if (!TryWrite(destination.Room(checked((int)SerializedSize)), out long size)) SetErrors.ThrowBytesChanged(0);
        destination.Advance((int)size);
    }

    /// <summary>Writes the set as to a buffer, and returns how many bytes.</summary>
    /// <exception cref="ArgumentException">The destination is shorter than <see cref="SerializedSize"/>; nothing is written.</exception>
    /// <exception cref="IdSetDamagedException">The set is frozen, and its bytes changed while they were written.</exception>
    public int Serialize(Span<byte> destination) => TryWrite(destination, out long size) ? (int)size
        : throw new ArgumentException($"The set takes {size} bytes, but the destination has {destination.Length}.", nameof(destination));

    /// <summary>The set in the format that <see cref="Serialize(IBufferWriter{byte})"/> writes.</summary>
    public byte[] ToByteArray()
    {
        byte[] bytes = GC.AllocateUninitializedArray<byte>(checked((int)SerializedSize));
        if (!TryWrite(bytes, out long size) || size != bytes.Length) SetErrors.ThrowBytesChanged(0);
        return bytes;
    }

    // Writes the set if there is room for the `size` that it takes.
    internal abstract bool TryWrite(Span<byte> destination, out long size);

    /// <summary>
    /// Reads a set in the format that <see cref="Serialize(IBufferWriter{byte})"/> writes, which must take all of
    /// <paramref name="source"/>, and checks everything in it. Until it is changed, a set takes the memory of its bytes. In 64 bits it
    /// takes at most 16 times as much: an upper half with a single id has 22 bytes, and makes an object and an array.
    /// </summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static TSet Deserialize(ReadOnlySpan<byte> source)
    {
        TSet set = TSet.Read(source, out int consumed);
        CheckEnd(source.Length, consumed);
        return set;
    }

    /// <summary>The same for a set that other bytes may follow; <paramref name="consumed"/>: its own.</summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static TSet Deserialize(ReadOnlySpan<byte> source, out int consumed) => TSet.Read(source, out consumed);

    /// <summary>
    /// Opens a set where its bytes lie, for instance in a mapped file. Nothing is copied or decoded, and the time does not depend on the
    /// number of ids. The header and the bounds are checked. The contents are checked only with <paramref name="validate"/>, which also
    /// refuses bytes after the set. Unchecked contents that are damaged give wrong answers or an <see cref="IdSetDamagedException"/>,
    /// and never lead outside the bytes. A set that <see cref="And(TSet)"/>, <see cref="Or(TSet)"/> and the like make of it is checked
    /// before it is returned.
    /// </summary>
    /// <exception cref="IdSetDamagedException">The bytes are not a set in the portable Roaring format.</exception>
    public static TSet OpenFrozen(ReadOnlyMemory<byte> source, bool validate = false) => Open(new(source), validate);

    /// <summary>
    /// The same without a check of the contents, for a set that other bytes may follow. <paramref name="consumed"/> is the number of its
    /// own. (<see cref="SerializedSize"/> may be less: runs that touch are joined when the set is written.)
    /// </summary>
    /// <exception cref="IdSetDamagedException">The bytes are not a set in the portable Roaring format.</exception>
    public static TSet OpenFrozen(ReadOnlyMemory<byte> source, out int consumed)
    {
        TSet set = TSet.Open(new(source), validate: false, out long end);
        consumed = (int)end;
        return set;
    }

    /// <summary>
    /// Opens a set in a buffer that a handle keeps, for instance that of a mapped file (<c>SafeMemoryMappedViewHandle</c>). The set holds
    /// the handle: the bytes stay, even if the handle is disposed meanwhile, until the set has been collected. A set of 64-bit ids may be
    /// larger than 2 GiB.
    /// </summary>
    /// <param name="owner">The buffer.</param>
    /// <param name="offset">
    /// The first byte of the set in it. The handle of a mapped view begins at a page, before the first byte of the view: add the
    /// <c>PointerOffset</c> of the view.
    /// </param>
    /// <param name="length">The bytes that the set may take. More may follow it, unless <paramref name="validate"/> is set.</param>
    /// <param name="validate">Whether the contents are checked too.</param>
    /// <exception cref="ArgumentOutOfRangeException">The range leads outside the buffer.</exception>
    /// <exception cref="IdSetDamagedException">The bytes are not a set in the portable Roaring format.</exception>
    public static unsafe TSet OpenFrozen(SafeBuffer owner, long offset, long length, bool validate = false)
    {
        HandleReference reference = HandleReference.Of(owner, offset, length);
        return Open(new(reference.Start + offset, length, reference), validate);
    }

    /// <summary>Opens a set where its bytes lie, as <see cref="OpenFrozen(ReadOnlyMemory{byte}, bool)"/> does.</summary>
    /// <remarks>
    /// <para><b>Readable range</b> <paramref name="source"/> up to <paramref name="length"/> bytes; nothing outside is read. Of a set of
    /// 32-bit ids only the first 2 GiB count: it cannot have more.</para>
    /// <para><b>Overlap</b> any number of sets may lie in the same bytes.</para>
    /// <para><b>Alignment</b> none is needed.</para>
    /// <para><b>Lifetime</b> the bytes stay where they are as long as the set is used. They should not change. If they do, answers
    /// may be wrong but stay inside the bytes. A set made of them is sound, or there is an <see cref="IdSetDamagedException"/>.</para>
    /// <para><b>Wrong length</b> negative: <see cref="ArgumentOutOfRangeException"/>; too short for the set:
    /// <see cref="IdSetDamagedException"/>; too long for the memory: undefined.</para>
    /// </remarks>
    public static unsafe TSet OpenFrozen(byte* source, nint length, bool validate = false)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        if (length > 0) ArgumentNullException.ThrowIfNull(source);
        return Open(new(source, length, owner: null), validate);
    }

    private static TSet Open(ForeignBytes bytes, bool validate)
    {
        TSet set = TSet.Open(bytes, validate, out long end);
        if (validate) CheckEnd(bytes.Length, end);
        return set;
    }

    private static void CheckEnd(long length, long end)
    {
        if (end != length) throw new IdSetDamagedException(end, $"The set ends here, but {length - end} bytes follow");
    }
}
