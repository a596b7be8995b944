namespace MemPrims.Channels;

// The pieces of a sequence, pinned where they lie until this is disposed.
internal unsafe struct PinnedPieces : IDisposable
{
    private readonly MemoryHandle[] _pins;
    private int _pinned;

    public PinnedPieces(in ReadOnlySequence<byte> payload)
    {
        // Counted, and not asked for: a sequence of somebody's own segments may have another length than its pieces.
        foreach (ReadOnlyMemory<byte> memory in payload)
        {
            Total += memory.Length;
            if (!memory.IsEmpty) Count++;
        }
        long left = Total;
        _pins = ArrayPool<MemoryHandle>.Shared.Rent(Count);
        Pieces = ArrayPool<Posix.Iovec>.Shared.Rent(Count + 1);
        try
        {
            foreach (ReadOnlyMemory<byte> memory in payload)
            {
                if (memory.IsEmpty) continue;
                if (_pinned == Count) throw Changed();
                _pins[_pinned] = memory.Pin();
                Pieces[++_pinned] = new() { Start = (byte*)_pins[_pinned - 1].Pointer, Length = memory.Length };
                left -= memory.Length;
            }
            if (_pinned != Count || left != 0) throw Changed();
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    // The pieces, from the second place on: the first one is for a packet's header.
    public Posix.Iovec[] Pieces { get; }

    public int Count { get; }

    public long Total { get; }

    public void Dispose()
    {
        foreach (ref MemoryHandle pin in _pins.AsSpan(0, _pinned)) pin.Dispose();
        _pinned = 0;
        ArrayPool<MemoryHandle>.Shared.Return(_pins, clearArray: true);
        ArrayPool<Posix.Iovec>.Shared.Return(Pieces);
    }

    private static InvalidOperationException Changed() => new("The sequence changed while it was being sent. Nothing was sent.");
}
