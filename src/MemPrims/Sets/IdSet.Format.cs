using System.Buffers;
using System.Buffers.Binary;

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

    /// <summary>
    /// Writes the set in the portable Roaring format; a set that was loaded and not changed as the bytes that it was loaded from, but
    /// that runs that touch are joined.
    /// </summary>
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
        WriteContainers(bytes);
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
    public int Serialize(Span<byte> destination)
    {
        long size = SerializedSize;
        if (destination.Length < size)
            throw new ArgumentException($"The set takes {size} bytes, but the destination has {destination.Length}.", nameof(destination));
        if (IsFrozen && HasTouchingRuns()) Joined()._image.Bytes.CopyTo(destination);
        else if (_image.Exists) _image.Bytes.CopyTo(destination);
        else WriteContainers(destination);
        GC.KeepAlive(this);
        return (int)size;
    }

    /// <summary>Writes the set in the portable Roaring format.</summary>
    public void Serialize(Stream destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        if (IsFrozen && HasTouchingRuns()) destination.Write(Joined()._image.Bytes);
        else if (_image.Exists) destination.Write(_image.Bytes);
        else WriteContainers(destination);
        GC.KeepAlive(this);
    }

    /// <summary>Reads a set that lies in several pieces of memory; the same as <see cref="Deserialize(ReadOnlySpan{byte})"/>.</summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static IdSet Deserialize(in ReadOnlySequence<byte> source) =>
        source.IsSingleSegment ? Deserialize(source.FirstSpan) : Deserialize(source.ToArray());

    private void WriteContainers(Span<byte> destination)
    {
        SetView view = View();
        SetHeader header = HeaderToWrite(view);
        header.Write(destination, view);
        int at = header.Size;
        for (int i = 0; i < view.Length; i++) at += view[i].WriteTo(destination[at..]);
    }

    private void WriteContainers(Stream destination)
    {
        SetView view = View();
        byte[] header = GC.AllocateUninitializedArray<byte>(HeaderToWrite(view).Size);
        HeaderToWrite(view).Write(header, view);
        destination.Write(header);
        Span<byte> count = stackalloc byte[sizeof(ushort)];
        for (int i = 0; i < view.Length; i++)
        {
            ContainerView container = view[i];
            BinaryPrimitives.WriteUInt16LittleEndian(count, (ushort)container.Count);
            if (container.Kind == ContainerKind.Run) destination.Write(count);
            destination.Write(container.Bytes);
        }
    }

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
