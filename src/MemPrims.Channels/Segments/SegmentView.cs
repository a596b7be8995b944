using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using MemPrims.Channels.Native;
using MemPrims.Channels.Shared;

namespace MemPrims.Channels.Segments;

/// <summary>
/// The receiver's side of a segment that was handed over: read-only memory until the credit is given. The memory stays mapped until then,
/// and while it is pinned. A view that was dropped gives no credit: somebody may still read a span of it, and the sender would write to
/// it. It only lets the memory be unmapped with its channel.
/// </summary>
internal sealed unsafe class SegmentView : MemoryManager<byte>
{
    private readonly ChannelSocket _socket;
    private readonly byte* _start;
    private readonly int _length;
    private readonly SegmentToken _token;
    private MappingHold _hold;
    private int _isOpen;

    public SegmentView(ChannelSocket socket, in ShareLayout layout, SegmentToken token)
    {
        _hold.Begin(socket);
        _socket = socket;
        _token = token;
        _start = socket.Theirs!.Start + layout.Segment(token.Number) + (nint)token.Offset;
        _length = (int)token.Length;
        _isOpen = 1;
    }

    [SuppressMessage("Reliability", "CA2015", Justification = "The memory stays mapped while the channel lives. IpcMessage.Payload tells "
        + "users to keep the message while they read. Without a finalizer a dropped one would keep the mapping for ever.")]
    ~SegmentView() => _hold.LetGoAll();

    public override Span<byte> GetSpan()
    {
        // Given back, it may be unmapped or another message's.
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _isOpen) == 0, typeof(IpcMessage));
        return new(_start, _length);
    }

    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)elementIndex, (uint)GetSpan().Length, nameof(elementIndex));
        ObjectDisposedException.ThrowIf(!_hold.TryAdd(), typeof(IpcMessage));
        return new(_start + elementIndex, pinnable: this);
    }

    public override void Unpin()
    {
        if (_hold.LetGo()) GC.SuppressFinalize(this);
    }

    public void CopyTo(byte* target) => Block.Copy(target, _start, _length);

    /// <summary>Gives the segment back to its owner, once.</summary>
    public void GiveBack()
    {
        if (Interlocked.Exchange(ref _isOpen, 0) == 0) return;
        ShareHeader* mine = _socket.Mine!.Header;
        Volatile.Write(ref mine->Credits[_token.Number], _token.Generation);
        Interlocked.Increment(ref mine->CreditCount);
        if (Volatile.Read(ref _socket.Theirs!.Header->SleepersOnCredit) != 0) _ = Futex.WakeAll(&mine->CreditCount);
        Unpin();
    }

    protected override void Dispose(bool disposing) => GiveBack();
}
