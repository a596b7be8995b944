using System.IO.MemoryMappedFiles;

namespace MemPrims.Benchmarks.Channels;

/// <summary>
/// What a user writes who knows his peer well: a mapped file, a ring of bytes in each direction, and SpinWait. It checks nothing, knows no
/// deadline, and neither sleeps nor notices that its peer is dead. A processor that waits is a processor that runs.
/// </summary>
internal sealed unsafe class BareRing : Link
{
    // Each position has a line of its own, as the other processor writes the other one. Large messages go in steps, so that both copy.
    private const int Room = 1 << 20, Step = 1 << 16, Tail = 128, Bytes = 256, One = Bytes + Room;

    private readonly string _address;
    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;
    private readonly byte* _out, _in;

    public BareRing(string address, bool first)
    {
        // On a disk the system would write the pages back again and again. The second end removes the name: no file is left behind.
        _address = Path.Combine("/dev/shm", Path.GetFileName(address));
        _file = MemoryMappedFile.CreateFromFile(_address, first ? FileMode.CreateNew : FileMode.Open, null, 2 * One);
        if (!first) File.Delete(_address);
        _view = _file.CreateViewAccessor();
        byte* start = null;
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        _out = first ? start : start + One;
        _in = first ? start + One : start;
    }

    /// <summary>Waits until the second end has taken the file: a partner that did not start would be waited for without end.</summary>
    public BareRing Taken()
    {
        if (!SpinWait.SpinUntil(() => !File.Exists(_address), TimeSpan.FromSeconds(20)))
            throw new TimeoutException("The partner did not open the ring.");
        return this;
    }

    /// <summary>The length and the first part become visible together: one store for a small message.</summary>
    public override void Put(byte[] buffer, int length)
    {
        int head = *(int*)_out, prefix = 4, done = 0;
        do
        {
            int part = Math.Min(length - done, Step);
            for (SpinWait wait = new(); Room - (head - Volatile.Read(ref *(int*)(_out + Tail))) < part + prefix;) wait.SpinOnce(-1);
            if (prefix > 0) Copy(new(&length, 4), _out, head);
            Copy(buffer.AsSpan(done, part), _out, head + prefix);
            Volatile.Write(ref *(int*)_out, head += prefix + part);
            (done, prefix) = (done + part, 0);
        }
        while (done < length);

        static void Copy(ReadOnlySpan<byte> from, byte* ring, int at)
        {
            int start = at & Room - 1, first = Math.Min(from.Length, Room - start);
            from[..first].CopyTo(new(ring + Bytes + start, first));
            if (first < from.Length) from[first..].CopyTo(new(ring + Bytes, from.Length - first));
        }
    }

    public override int Get(byte[] buffer, bool inRow)
    {
        int tail = *(int*)(_in + Tail), prefix = 4, done = 0, length = 0;
        do
        {
            for (SpinWait wait = new(); Volatile.Read(ref *(int*)_in) == tail;) wait.SpinOnce(-1);
            if (prefix > 0) Copy(_in, tail, new(&length, 4));
            int part = Math.Min(length - done, Step);
            Copy(_in, tail + prefix, buffer.AsSpan(done, part));
            Volatile.Write(ref *(int*)(_in + Tail), tail += prefix + part);
            (done, prefix) = (done + part, 0);
        }
        while (done < length);
        return length;

        static void Copy(byte* ring, int at, Span<byte> to)
        {
            int start = at & Room - 1, first = Math.Min(to.Length, Room - start);
            new ReadOnlySpan<byte>(ring + Bytes + start, first).CopyTo(to);
            if (first < to.Length) new ReadOnlySpan<byte>(ring + Bytes, to.Length - first).CopyTo(to[first..]);
        }
    }

    public override void Dispose()
    {
        // A partner that waits for a message ends by an empty one.
        if (*(int*)_out - *(int*)(_out + Tail) == 0) Put([], 0);
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        _view.Dispose();
        _file.Dispose();
    }
}
