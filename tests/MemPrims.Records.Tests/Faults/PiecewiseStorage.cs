namespace MemPrims.Records.Tests.Faults;

// A CrashStorage on which pieces are cheap: what a file in a writable map is to the writer.
internal sealed class PiecewiseStorage(CrashDisk disk, Func<Operation, Fate>? fate = null)
    : PassingStorage(new CrashStorage(disk, fate)), IStorage
{
    public int Operations => ((CrashStorage)Inner).Operations;

    public bool WritesPieces => true;

    // Called when a write is announced, and before one is done.
    public Action? Expects { get; set; }

    public Action? Writes { get; set; }

    public void Expect(long offset, int length) => Expects?.Invoke();

    public override void Write(long offset, ReadOnlySpan<byte> bytes)
    {
        Writes?.Invoke();
        base.Write(offset, bytes);
    }
}
