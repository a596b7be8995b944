using System.Buffers;
using System.Runtime.InteropServices;
using MemPrims.Channels.Link;
using MemPrims.Channels.Native;

namespace MemPrims.Channels;

/// <summary>A message on its way: how much of it has gone, and whether the peer may have seen a part.</summary>
internal unsafe struct Outgoing(long total)
{
    public PacketHeader Header = new(PacketKind.Whole, total);
    public bool HasBegun, IsSeen;
    public long Left = total;

    // Where the next byte is: in which piece, and how far into it. The first piece is the place of a packet's header.
    private int _piece = 1;
    private nint _into;

    /// <summary>The next bytes that lie in one piece, up to a length. The pieces have them: see <see cref="Left"/>.</summary>
    public Posix.Iovec Take(Posix.Iovec* pieces, nint most)
    {
        while (pieces[_piece].Length == _into)
        {
            _piece++;
            _into = 0;
        }
        Posix.Iovec piece = new() { Start = pieces[_piece].Start + _into, Length = Math.Min(most, pieces[_piece].Length - _into) };
        _into += piece.Length;
        Left -= piece.Length;
        return piece;
    }
}

/// <summary>The pieces of a sequence, pinned where they lie until this is disposed.</summary>
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

    /// <summary>The pieces, from the second place on: the first one is for a packet's header.</summary>
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

/// <summary>The numbers of descriptors that are sent, held open until this is disposed.</summary>
internal readonly struct HeldFiles : IDisposable
{
    private readonly SafeHandle[] _handles;

    public HeldFiles(ReadOnlySpan<SafeHandle> handles)
    {
        _handles = [];
        Numbers = [];
        if (handles.IsEmpty) return;
        if (handles.Length > Rights.Most)
            throw new ArgumentException($"{handles.Length} handles in one message: the kernel passes {Rights.Most} at most. Send the " +
                "others with another message.", nameof(handles));
        _handles = new SafeHandle[handles.Length];
        Numbers = new int[handles.Length];
        int held = 0;
        try
        {
            for (; held < handles.Length; held++)
            {
                ArgumentNullException.ThrowIfNull(handles[held], nameof(handles));
                if (handles[held].IsInvalid) throw new ArgumentException($"Handle {held} is no open file.", nameof(handles));
                bool added = false;
                handles[held].DangerousAddRef(ref added);
                _handles[held] = handles[held];
                Numbers[held] = (int)handles[held].DangerousGetHandle();
            }
        }
        catch
        {
            while (held > 0) _handles[--held].DangerousRelease();
            throw;
        }
    }

    public int[] Numbers { get; }

    public void Dispose()
    {
        foreach (SafeHandle handle in _handles) handle.DangerousRelease();
    }
}
