using System.Buffers;

namespace MemPrims.Fuzz;

/// <summary>
/// The bytes of one input, right before a guard page or right behind one: a read outside them on that side ends the process.
/// </summary>
internal sealed unsafe class GuardedInput(int room = GuardedInput.MostBytes) : MemoryManager<byte>
{
    /// <summary>Longer inputs are cut.</summary>
    public const int MostBytes = 64 << 10;

    private readonly GuardedMemory _memory = new(room);

    public byte* Start { get; private set; }

    public int Length { get; private set; }

    public Span<byte> Span => new(Start, Length);

    /// <summary>Places the bytes. What lies beside them on the side without a guard is the same for every input.</summary>
    public void Place(ReadOnlySpan<byte> bytes, bool atStart)
    {
        if (bytes.Length > room) bytes = bytes[..room];
        new Span<byte>(_memory.Start, (int)_memory.Length).Fill(0xA5);
        Length = bytes.Length;
        Start = atStart ? _memory.Start : _memory.EndingAtGuard(Length);
        bytes.CopyTo(Span);
    }

    public override Span<byte> GetSpan() => Span;

    public override MemoryHandle Pin(int elementIndex = 0) => new(Start + elementIndex);

    public override void Unpin()
    {
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing) _memory.Dispose();
    }
}
