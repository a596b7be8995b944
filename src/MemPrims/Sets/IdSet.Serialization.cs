namespace MemPrims.Sets;

/// <content>To and from the portable Roaring format, see <see cref="SetHeader"/> for its layout.</content>
public sealed partial class IdSet
{
    /// <inheritdoc/>
    public override long SerializedSize => AsWritten().SizeAsItIs;

    internal override bool TryWrite(Span<byte> destination, out long size)
    {
        IdSet set = AsWritten();
        size = set.SizeAsItIs;
        if (destination.Length < size) return false;
        if (set._image.Exists) set._image.Bytes.CopyTo(destination);
        else SetFormat.Write(View(), destination);
        GC.KeepAlive(set);
        return true;
    }

    static IdSet IIdSet<IdSet, uint>.Read(ReadOnlySpan<byte> source, out int consumed)
    {
        SetImage image = SetImage.Copy(source);
        consumed = image.Length;
        IdSet set = new(image);
        return set.HasTouchingRuns() ? set.Joined() : set;
    }

    static IdSet IIdSet<IdSet, uint>.Open(ForeignBytes bytes, bool validate, out long end)
    {
        IdSet set = OpenPart(bytes.From(0), validate, origin: 0, out int size);
        end = size;
        return set;
    }

    // Opens the set at the start of bytes that go on after it, and that lie `origin` bytes after the first one given.
    internal static IdSet OpenPart(ReadOnlyMemory<byte> source, bool validate, long origin, out int size)
    {
        SetImage image = SetImage.Open(source, validate, origin);
        size = image.Length;
        return new(image);
    }

    private long SizeAsItIs => _image.Exists ? _image.Length : SetFormat.Size(View());

    // The set itself, or a copy of a frozen one whose runs touch.
    private IdSet AsWritten() => IsFrozen && HasTouchingRuns() ? Joined() : this;

    private bool HasTouchingRuns()
    {
        bool touch = _image.HasRunHeader && SetFormat.HaveTouchingRuns(View());
        GC.KeepAlive(this);
        return touch;
    }

    private IdSet Joined()
    {
        SetView view = View();
        SetWriter result = SetWriter.RentForImage();
        for (int i = 0; i < view.Length; i++) result.Copy(view.Key(i), view[i], join: true);
        GC.KeepAlive(this);
        return new(result);
    }
}
