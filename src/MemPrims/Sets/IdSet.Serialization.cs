using System.Buffers;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <content>
/// To and from the portable Roaring format, see <see cref="SetHeader"/> for its layout; and sets that answer from their caller's bytes,
/// where these lie.
/// </content>
public sealed partial class IdSet
{
    /// <summary>The bytes that <see cref="Serialize(IBufferWriter{byte})"/> writes.</summary>
    public long SerializedSize
    {
        get
        {
            IdSet set = AsWritten();
            return set._image.Exists ? set._image.Length : SetFormat.Size(View(), HasRunHeader);
        }
    }

    /// <summary>
    /// Writes the set in the portable Roaring format; a set that was loaded and not changed as the bytes that it was loaded from, but
    /// that runs that touch are joined.
    /// </summary>
    public void Serialize(IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        IdSet set = AsWritten();
        if (set._image.Exists) destination.Write(set._image.Bytes);
        else SetFormat.Write(View(), HasRunHeader, destination);
        GC.KeepAlive(set);
    }

    /// <summary>The set in the portable Roaring format.</summary>
    public byte[] ToByteArray()
    {
        IdSet set = AsWritten();
        byte[] bytes = set._image.Exists ? set._image.Bytes.ToArray()
            : GC.AllocateUninitializedArray<byte>(checked((int)SetFormat.Size(View(), HasRunHeader)));
        if (!set._image.Exists) SetFormat.Write(View(), HasRunHeader, bytes.AsSpan());
        GC.KeepAlive(set);
        return bytes;
    }

    /// <summary>
    /// Reads a set in the portable Roaring format, which must take all of <paramref name="source"/>, and checks everything in it.
    /// The memory it takes is that of the bytes, until it is changed.
    /// </summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static IdSet Deserialize(ReadOnlySpan<byte> source)
    {
        IdSet set = Deserialize(source, out int consumed);
        if (consumed != source.Length)
            throw new IdSetDamagedException(consumed, $"The set ends here, but {source.Length - consumed} bytes follow");
        return set;
    }

    /// <summary>The same for a set that other bytes may follow; <paramref name="consumed"/>: its own.</summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static IdSet Deserialize(ReadOnlySpan<byte> source, out int consumed)
    {
        SetImage image = SetImage.Copy(source);
        consumed = image.Length;
        IdSet set = new(image);
        return set.HasTouchingRuns() ? set.Joined() : set;
    }

    /// <summary>Writes the set in the portable Roaring format, and returns how many bytes.</summary>
    /// <exception cref="ArgumentException">The destination is shorter than <see cref="SerializedSize"/>; nothing is written.</exception>
    public int Serialize(Span<byte> destination) => TrySerialize(destination, out long size) ? (int)size
        : throw new ArgumentException($"The set takes {size} bytes, but the destination has {destination.Length}.", nameof(destination));

    /// <summary>Writes the set if there is room for the <paramref name="size"/> that it takes.</summary>
    internal bool TrySerialize(Span<byte> destination, out long size)
    {
        IdSet set = AsWritten();
        size = set._image.Exists ? set._image.Length : SetFormat.Size(View(), HasRunHeader);
        if (destination.Length < size) return false;
        if (set._image.Exists) set._image.Bytes.CopyTo(destination);
        else SetFormat.Write(View(), HasRunHeader, destination);
        GC.KeepAlive(set);
        return true;
    }

    /// <summary>Writes the set in the portable Roaring format.</summary>
    public void Serialize(Stream destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        IdSet set = AsWritten();
        if (set._image.Exists) destination.Write(set._image.Bytes);
        else SetFormat.Write(View(), HasRunHeader, destination);
        GC.KeepAlive(set);
    }

    /// <summary>Reads a set that lies in several pieces of memory; the same as <see cref="Deserialize(ReadOnlySpan{byte})"/>.</summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static IdSet Deserialize(in ReadOnlySequence<byte> source) =>
        source.IsSingleSegment ? Deserialize(source.FirstSpan) : Deserialize(SetErrors.Joined(source));

    private bool HasRunHeader => _containers is { HasRunHeader: true };

    /// <summary>The set itself, or a copy of a frozen one whose runs touch.</summary>
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

    /// <summary>
    /// Opens a set where its bytes lie, for instance in a mapped file. Nothing is copied or decoded, and the time does not depend on the
    /// number of ids. The header and the bounds are checked. The contents are checked only with <paramref name="validate"/>, which also
    /// refuses bytes after the set. Unchecked contents that are damaged give wrong answers or an <see cref="IdSetDamagedException"/>,
    /// and never lead outside the bytes. A set that <see cref="And"/>, <see cref="Or"/> and the like make of it is checked before it is
    /// returned.
    /// </summary>
    /// <exception cref="IdSetDamagedException">The bytes are not a set in the portable Roaring format.</exception>
    public static IdSet OpenFrozen(ReadOnlyMemory<byte> source, bool validate = false)
    {
        IdSet set = OpenFrozenPart(source, validate, origin: 0, out int size);
        if (validate && size != source.Length)
            throw new IdSetDamagedException(size, $"The set ends here, but {source.Length - size} bytes follow");
        return set;
    }

    /// <summary>
    /// The same without a check of the contents, for a set that other bytes may follow. <paramref name="consumed"/> is the number of its
    /// own. (<see cref="SerializedSize"/> may be less: runs that touch are joined when the set is written.)
    /// </summary>
    /// <exception cref="IdSetDamagedException">The bytes are not a set in the portable Roaring format.</exception>
    public static IdSet OpenFrozen(ReadOnlyMemory<byte> source, out int consumed) =>
        OpenFrozenPart(source, validate: false, origin: 0, out consumed);

    /// <summary>
    /// Opens a set in the memory of <paramref name="owner"/>. The set keeps its owner alive but does not dispose it. The memory is asked
    /// for at each use, so once the owner is disposed its own exception is thrown.
    /// </summary>
    /// <exception cref="IdSetDamagedException">The bytes are not a set in the portable Roaring format.</exception>
    public static IdSet OpenFrozen(IMemoryOwner<byte> owner, bool validate = false)
    {
        ArgumentNullException.ThrowIfNull(owner);
        return OpenFrozen(new OwnedMemory(owner).Memory, validate);
    }

    /// <summary>
    /// Opens a set in a buffer that a handle keeps, for instance that of a mapped file (<c>SafeMemoryMappedViewHandle</c>). The set holds
    /// the handle: the bytes stay, even if the handle is disposed meanwhile, until the set has been collected.
    /// </summary>
    /// <param name="owner">The buffer.</param>
    /// <param name="offset">
    /// The first byte of the set in it. The handle of a mapped view begins at a page, before the first byte of the view: add the
    /// <c>PointerOffset</c> of the view.
    /// </param>
    /// <param name="length">The bytes that the set may take. More may follow it, unless <paramref name="validate"/> is set.</param>
    /// <param name="validate">Whether the contents are checked too.</param>
    /// <exception cref="ArgumentOutOfRangeException">The range leads outside the buffer.</exception>
    /// <exception cref="IdSetDamagedException">The bytes are not a set in the portable Roaring format.</exception>
    public static unsafe IdSet OpenFrozen(SafeBuffer owner, long offset, long length, bool validate = false)
    {
        HandleReference reference = HandleReference.Of(owner, offset, length);
        return OpenFrozen(new PointerMemory(reference.Start + offset, (int)Math.Min(length, int.MaxValue), reference).Memory, validate);
    }

    /// <summary>Opens a set where its bytes lie, as <see cref="OpenFrozen(ReadOnlyMemory{byte}, bool)"/> does.</summary>
    /// <remarks>
    /// <para><b>Readable range</b> <paramref name="source"/> up to <paramref name="length"/> bytes; nothing outside is read. Only the
    /// first 2 GiB count: a set cannot have more.</para>
    /// <para><b>Overlap</b> any number of sets may lie in the same bytes.</para>
    /// <para><b>Alignment</b> none is needed.</para>
    /// <para><b>Lifetime</b> the bytes stay where they are as long as the set is used. They should not change. If they do, answers
    /// may be wrong but stay inside the bytes. A set made of them is sound, or there is an <see cref="IdSetDamagedException"/>.</para>
    /// <para><b>Wrong length</b> negative: <see cref="ArgumentOutOfRangeException"/>; too short for the set:
    /// <see cref="IdSetDamagedException"/>; too long for the memory: undefined.</para>
    /// </remarks>
    public static unsafe IdSet OpenFrozen(byte* source, nint length, bool validate = false)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        if (length > 0) ArgumentNullException.ThrowIfNull(source);
        return OpenFrozen(new PointerMemory(source, (int)Math.Min(length, int.MaxValue)).Memory, validate);
    }

    /// <summary>
    /// Opens the set at the start of bytes that go on after it, and that lie <paramref name="origin"/> bytes after the first one given.
    /// </summary>
    internal static IdSet OpenFrozenPart(ReadOnlyMemory<byte> source, bool validate, long origin, out int size)
    {
        SetImage image = SetImage.Open(source, validate, origin);
        size = image.Length;
        return new(image);
    }
}
