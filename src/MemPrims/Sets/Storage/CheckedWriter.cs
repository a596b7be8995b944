namespace MemPrims.Sets;

// A caller's buffer writer. Two things may go wrong: GetSpan may return too little room, and the writer may change the set or field that
// is being written, which has another version then. Both are errors, found before the next byte is written.
internal readonly struct CheckedWriter(IBufferWriter<byte> writer, Func<int> version)
{
    private readonly int _version = version();

    // Memory to write to, of `size` bytes at least.
    public Span<byte> Room(int size)
    {
        Span<byte> room = writer.GetSpan(size);
        if (room.Length < size)
            throw new InvalidOperationException($"{writer.GetType()}.GetSpan gave {room.Length} bytes where {size} were asked for; "
                + "IBufferWriter has to give at least as many.");
        ThrowIfChanged();
        return room;
    }

    public void Advance(int size)
    {
        writer.Advance(size);
        ThrowIfChanged();
    }

    // Writes bytes in as many pieces as the writer has.
    public void Write(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            Span<byte> room = Room(1);
            int size = Math.Min(room.Length, bytes.Length);
            bytes[..size].CopyTo(room);
            Advance(size);
            bytes = bytes[size..];
        }
    }

    private void ThrowIfChanged()
    {
        if (version() != _version) SetErrors.ThrowChangedMeanwhile();
    }
}
