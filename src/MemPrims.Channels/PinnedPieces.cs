namespace MemPrims.Channels;

// The pieces of a sequence, pinned where they lie until this is disposed.
internal unsafe struct PinnedPieces : IDisposable
{
    private readonly MemoryHandle[] _pins;

    public PinnedPieces(in ReadOnlySequence<byte> payload)
    {
        int count = 0;
        foreach (ReadOnlyMemory<byte> _ in payload) count++;
        _pins = ArrayPool<MemoryHandle>.Shared.Rent(count);
        Pieces = ArrayPool<Posix.Iovec>.Shared.Rent(count + 1);
        try
        {
            // Their lengths are added up, and not asked for: a sequence of somebody's own segments may tell another length than it has.
            foreach (ReadOnlyMemory<byte> memory in payload)
            {
                if (memory.IsEmpty) continue;
                if (Count == count) throw new InvalidOperationException("The sequence grew while it was being sent. Nothing was sent.");
                MemoryHandle pin = _pins[Count] = memory.Pin();
                Pieces[++Count] = new() { Start = (byte*)pin.Pointer, Length = memory.Length };
                Total += memory.Length;
            }
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    // The pieces, from the second place on: the first one is for a packet's header.
    public Posix.Iovec[] Pieces { get; }

    public int Count { get; private set; }

    public long Total { get; }

    public void Dispose()
    {
        foreach (ref MemoryHandle pin in _pins.AsSpan(0, Count)) pin.Dispose();
        ArrayPool<MemoryHandle>.Shared.Return(_pins, clearArray: true);
        ArrayPool<Posix.Iovec>.Shared.Return(Pieces);
    }
}
