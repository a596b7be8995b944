namespace MemPrims.Wire;

// The value of a field. A scalar is its bits. Text, bytes and encoded messages are a string in Ref, or a slice: offset and length in
// Bits, of what is in Ref: an array, a memory manager, or KeptBytes. If Ref is null, the slice lies in what the message was decoded
// from. Such a slice never leaves its message: what goes elsewhere is made independent before (LentSlices). Messages and lists are in
// Ref.
// Readers on other threads may meet a slice that is kept, or a message that is decoded, at this moment. Both change Ref alone.
// The reference to the source is kept once per message, not per slot: storing one costs the garbage collector's barrier, 1.5 ns.
internal struct Slot
{
    public ulong Bits;
    public object? Ref;

    public readonly int Offset => (int)Bits;

    public readonly int Length => (int)(Bits >> 32);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Slice(int offset, int length) => (uint)offset | (ulong)length << 32;

    public void Set(byte[] bytes)
    {
        Bits = Slice(0, bytes.Length);
        Ref = bytes;
    }

    public void Set(ReadOnlyMemory<byte> memory)
    {
        if (MemoryMarshal.TryGetArray(memory, out ArraySegment<byte> segment))
            (Bits, Ref) = (Slice(segment.Offset, segment.Count), segment.Array ?? []);
        else if (MemoryMarshal.TryGetMemoryManager(memory, out MemoryManager<byte>? manager, out int start, out int length))
            (Bits, Ref) = (Slice(start, length), manager);
        else Set(memory.ToArray());
    }

    // Whether the slice does not reach out of an array. Where it does, slicing throws.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly bool LiesIn(byte[] array) => (uint)Bits + (Bits >> 32) <= (uint)array.Length;

    // The bytes of a slice. source: what the message was decoded from.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly ReadOnlySpan<byte> Span(object? source)
    {
        object? from = Ref ?? source;
        if (from is byte[] array) return array.AsSpan(Offset, Length);
        return OtherSpan(from);
    }

    public readonly ReadOnlyMemory<byte> Memory(object? source) => (Ref ?? source) switch
    {
        byte[] array => array.AsMemory(Offset, Length),
        string text => Encoding.UTF8.GetBytes(text),
        MemoryManager<byte> manager => manager.Memory.Slice(Offset, Length),
        KeptBytes kept => kept.Bytes.AsMemory(Offset - kept.Start, Length),
        _ => default,
    };

    public readonly byte[] Array(object? source)
    {
        byte[]? whole = Ref as byte[] ?? (Ref as KeptBytes)?.Bytes;
        return whole?.Length == Length ? whole : Span(source).ToArray();
    }

    public readonly string Text(object? source) => Ref as string ?? Ascii.MakeString(Span(source));

    // Where in the array or memory that it lies in the slice begins.
    public readonly int Place => Ref is KeptBytes kept ? Offset - kept.Start : Offset;

    public readonly bool IsEmptyText => Ref is string text ? text.Length == 0 : Length == 0;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private readonly ReadOnlySpan<byte> OtherSpan(object? from) =>
        from is null ? throw new InvalidOperationException("The value has no bytes.") : Memory(from).Span;
}
