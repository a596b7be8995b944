using System.Buffers;

namespace MemPrims.Sets;

/// <content>The portable Roaring format: see <see cref="SetHeader"/> for its layout.</content>
public sealed partial class IdSet
{
    /// <summary>The bytes that <see cref="Serialize(IBufferWriter{byte})"/> writes.</summary>
    public long SerializedSize
    {
        get
        {
            if (IsFrozen && HasTouchingRuns()) return Joined().SerializedSize;
            if (_image.Exists) return _image.Bytes.Length;
            SetView view = View();
            long size = HeaderToWrite(view).Size;
            for (int i = 0; i < view.Length; i++) size += view[i].SerializedSize;
            return size;
        }
    }

    /// <summary>Writes the set in the portable Roaring format; a set that was loaded and not changed as the bytes that it was loaded from, but that runs that touch are joined.</summary>
    public void Serialize(IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        if (_image.Exists)
        {
            IdSet written = IsFrozen && HasTouchingRuns() ? Joined() : this;
            destination.Write(written._image.Bytes);
            GC.KeepAlive(this);
            return;
        }
        SetView view = View();
        SetHeader header = HeaderToWrite(view);
        header.Write(destination.GetSpan(header.Size), view);
        destination.Advance(header.Size);
        for (int i = 0; i < view.Length; i++)
        {
            ContainerView container = view[i];
            destination.Advance(container.WriteTo(destination.GetSpan(container.SerializedSize)));
        }
    }

    /// <summary>The set in the portable Roaring format.</summary>
    public byte[] ToByteArray()
    {
        if (IsFrozen && HasTouchingRuns()) return Joined().ToByteArray();
        if (_image.Exists)
        {
            byte[] copy = _image.Bytes.ToArray();
            GC.KeepAlive(this);
            return copy;
        }
        byte[] bytes = GC.AllocateUninitializedArray<byte>(checked((int)SerializedSize));
        SetView view = View();
        SetHeader header = HeaderToWrite(view);
        header.Write(bytes, view);
        int at = header.Size;
        for (int i = 0; i < view.Length; i++) at += view[i].WriteTo(bytes.AsSpan(at));
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
        if (consumed != source.Length) throw new IdSetDamagedException(consumed, $"The set ends here, but {source.Length - consumed} bytes follow");
        return set;
    }

    /// <summary>The same for a set that other bytes may follow; <paramref name="consumed"/>: its own.</summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static IdSet Deserialize(ReadOnlySpan<byte> source, out int consumed)
    {
        SetImage image = SetImage.Copy(source);
        consumed = image.Bytes.Length;
        IdSet set = new(image);
        return set.HasTouchingRuns() ? set.Joined() : set;
    }

    /// <summary>
    /// Opens a set where its bytes lie, for instance in a mapped file: nothing is copied or decoded, and the time does not depend on the number of ids.
    /// Its header and bounds are checked; its contents only with <paramref name="validate"/>, which also refuses bytes behind the set.
    /// Unchecked contents that are damaged give wrong answers or an <see cref="IdSetDamagedException"/>, and never lead outside the bytes.
    /// </summary>
    /// <exception cref="IdSetDamagedException">The bytes are not a set in the portable Roaring format.</exception>
    public static IdSet OpenFrozen(ReadOnlyMemory<byte> source, bool validate = false)
    {
        SetImage image = SetImage.Open(source, validate);
        if (validate && image.Bytes.Length != source.Length)
            throw new IdSetDamagedException(image.Bytes.Length, $"The set ends here, but {source.Length - image.Bytes.Length} bytes follow");
        return new(image);
    }

    /// <summary>Opens a set where its bytes lie, as <see cref="OpenFrozen(ReadOnlyMemory{byte}, bool)"/> does.</summary>
    /// <remarks>
    /// <para><b>Readable range</b> <paramref name="source"/> up to <paramref name="length"/> bytes; nothing outside is read. Only the first 2 GiB count, more than a set can have.</para>
    /// <para><b>Overlap</b> any number of sets may lie in the same bytes.</para>
    /// <para><b>Alignment</b> none is needed.</para>
    /// <para><b>Lifetime</b> the bytes stay where they are as long as the set is used. They should not change; if they do, answers are wrong but stay inside the bytes.</para>
    /// <para><b>Wrong length</b> negative: <see cref="ArgumentOutOfRangeException"/>; too short for the set: <see cref="IdSetDamagedException"/>; too long for the memory: undefined.</para>
    /// </remarks>
    public static unsafe IdSet OpenFrozen(byte* source, nint length, bool validate = false)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        return OpenFrozen(new PointerMemory(source, (int)Math.Min(length, int.MaxValue)).Memory, validate);
    }

    /// <summary>Opens the set at the start of bytes that go on after it.</summary>
    internal static IdSet OpenFrozenPart(ReadOnlyMemory<byte> source, bool validate, out int size)
    {
        SetImage image = SetImage.Open(source, validate);
        size = image.Bytes.Length;
        return new(image);
    }

    /// <summary>Writes the set in the portable Roaring format, and returns how many bytes.</summary>
    /// <exception cref="ArgumentException">The destination is shorter than <see cref="SerializedSize"/>; nothing is written.</exception>
    public int Serialize(Span<byte> destination)
    {
        long size = SerializedSize;
        if (destination.Length < size) throw new ArgumentException($"The set takes {size} bytes, but the destination has {destination.Length}.", nameof(destination));
        if (_image.Exists && !(IsFrozen && HasTouchingRuns())) _image.Bytes.CopyTo(destination);
        else ToByteArray().CopyTo(destination);
        GC.KeepAlive(this);
        return (int)size;
    }

    /// <summary>Writes the set in the portable Roaring format.</summary>
    public void Serialize(Stream destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        if (_image.Exists && !(IsFrozen && HasTouchingRuns())) destination.Write(_image.Bytes);
        else destination.Write(ToByteArray());
        GC.KeepAlive(this);
    }

    /// <summary>Reads a set that lies in several pieces of memory; the same as <see cref="Deserialize(ReadOnlySpan{byte})"/>.</summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static IdSet Deserialize(in ReadOnlySequence<byte> source) => source.IsSingleSegment ? Deserialize(source.FirstSpan) : Deserialize(source.ToArray());

    /// <summary>Whether runs touch, which other writers allow themselves: they are joined when the set is written.</summary>
    private bool HasTouchingRuns()
    {
        if (!_image.HasRunHeader) return false;
        SetView view = View();
        bool touch = false;
        for (int i = 0; i < view.Length && !touch; i++)
        {
            ContainerView container = view[i];
            touch = container.Kind == ContainerKind.Run && RunJoin.Touch(container.Runs);
        }
        GC.KeepAlive(this);
        return touch;
    }

    private IdSet Joined()
    {
        SetView view = View();
        SetWriter result = SetWriter.RentForImage();
        for (int i = 0; i < view.Length; i++)
        {
            ContainerView container = view[i];
            if (container.Kind == ContainerKind.Run) result.AddJoined(view.Key(i), container);
            else result.Copy(view.Key(i), container);
        }
        GC.KeepAlive(this);
        return new(result.ToContent());
    }

    private SetHeader HeaderToWrite(in SetView view)
    {
        bool runs = _runHeader;
        for (int i = 0; i < view.Length && !runs; i++) runs = view[i].Kind == ContainerKind.Run;
        return new(view.Length, runs);
    }
}
