using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <content>To and from the 64-bit form of the portable Roaring format, and sets that answer from their caller's bytes.</content>
public sealed partial class IdSet64
{
    /// <inheritdoc cref="IdSet.SerializedSize"/>
    public long SerializedSize
    {
        get
        {
            long size = sizeof(ulong) + (long)_parts.Count * sizeof(uint);
            for (int i = 0; i < _parts.Count; i++) size += _parts[i].SerializedSize;
            return size;
        }
    }

    /// <summary>
    /// Writes the set in the 64-bit form of the portable Roaring format; one that was loaded and not changed as it was, without upper
    /// halves that have no ids.
    /// </summary>
    public void Serialize(IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        BinaryPrimitives.WriteInt64LittleEndian(destination.GetSpan(sizeof(ulong)), _parts.Count);
        destination.Advance(sizeof(ulong));
        for (int i = 0; i < _parts.Count; i++)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(destination.GetSpan(sizeof(uint)), _parts.Keys[i]);
            destination.Advance(sizeof(uint));
            _parts[i].Serialize(destination);
        }
    }

    /// <summary>Writes the set in the 64-bit form of the portable Roaring format, and returns how many bytes.</summary>
    /// <exception cref="ArgumentException">The destination is shorter than <see cref="SerializedSize"/>; nothing is written.</exception>
    /// <exception cref="IdSetDamagedException">The set is frozen, and its bytes changed while they were written.</exception>
    public int Serialize(Span<byte> destination)
    {
        long size = SerializedSize;
        if (destination.Length < size)
            throw new ArgumentException($"The set takes {size} bytes, but the destination has {destination.Length}.", nameof(destination));
        Write(destination[..(int)size]);
        return (int)size;
    }

    // All of the destination, which was as long as the set a moment ago.
    private void Write(Span<byte> destination)
    {
        BinaryPrimitives.WriteInt64LittleEndian(destination, _parts.Count);
        int at = sizeof(ulong);
        for (int i = 0; i < _parts.Count; i++)
        {
            if (!BinaryPrimitives.TryWriteUInt32LittleEndian(destination[at..], _parts.Keys[i])
                || !_parts[i].TrySerialize(destination[(at + sizeof(uint))..], out long size)) SetErrors.ThrowBytesChanged(0);
            else at += sizeof(uint) + (int)size;
        }
        if (at != destination.Length) SetErrors.ThrowBytesChanged(0);
    }

    /// <summary>Writes the set in the 64-bit form of the portable Roaring format.</summary>
    public void Serialize(Stream destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        Span<byte> number = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteInt64LittleEndian(number, _parts.Count);
        destination.Write(number);
        for (int i = 0; i < _parts.Count; i++)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(number, _parts.Keys[i]);
            destination.Write(number[..sizeof(uint)]);
            _parts[i].Serialize(destination);
        }
    }

    /// <inheritdoc cref="IdSet.ToByteArray"/>
    public byte[] ToByteArray()
    {
        byte[] bytes = GC.AllocateUninitializedArray<byte>(checked((int)SerializedSize));
        Write(bytes);
        return bytes;
    }

    /// <summary>Reads a set that lies in several pieces of memory; the same as <see cref="Deserialize(ReadOnlySpan{byte})"/>.</summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static IdSet64 Deserialize(in ReadOnlySequence<byte> source) =>
        source.IsSingleSegment ? Deserialize(source.FirstSpan) : Deserialize(SetErrors.Joined(source));

    /// <summary>
    /// Reads a set, which must take all of <paramref name="source"/>, and checks everything in it. The memory it takes is at most 16
    /// times that of the bytes: an upper half with a single id has 22 of them, and makes an object and an array.
    /// </summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static IdSet64 Deserialize(ReadOnlySpan<byte> source)
    {
        IdSet64 set = Deserialize(source, out int consumed);
        CheckEnd(source.Length, consumed);
        return set;
    }

    /// <summary>The same for a set that other bytes may follow. <paramref name="consumed"/> is the number of its own.</summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static IdSet64 Deserialize(ReadOnlySpan<byte> source, out int consumed)
    {
        IdSet64 set = new();
        int at = sizeof(ulong);
        long before = -1;
        for (ulong left = ReadCount(source); left > 0; left--)
        {
            before = ReadKey(source[at..], at, before);
            at += sizeof(uint);
            try
            {
                set._parts.AppendUnlessEmpty((uint)before, IdSet.Deserialize(source[at..], out int size));
                at += size;
            }
            catch (IdSetDamagedException damage)
            {
                throw damage.Behind(at);
            }
        }
        consumed = at;
        return set;
    }

    private static ulong ReadCount(ReadOnlySpan<byte> source)
    {
        if (source.Length < sizeof(ulong))
            throw new IdSetDamagedException(0, $"A 64-bit set takes 8 bytes at least, but there are {source.Length}");
        ulong count = BinaryPrimitives.ReadUInt64LittleEndian(source);
        if (count > 1ul << 32) throw new IdSetDamagedException(0, $"A 64-bit set has at most 2^32 upper halves, not {count}");
        return count;
    }

    private static uint ReadKey(ReadOnlySpan<byte> source, long at, long before)
    {
        if (source.Length < sizeof(uint)) throw new IdSetDamagedException(at, "Another upper half should follow, but the bytes end");
        uint key = BinaryPrimitives.ReadUInt32LittleEndian(source);
        if (key <= before) throw new IdSetDamagedException(at, $"The upper half {key} is not above the one before it, {before}");
        return key;
    }

    private static void CheckEnd(long length, long at)
    {
        if (at != length) throw new IdSetDamagedException(at, $"The set ends here, but {length - at} bytes follow");
    }

    /// <summary>
    /// Opens a set where its bytes lie: nothing is copied or decoded. Its headers and bounds are checked; its contents only with
    /// <paramref name="validate"/>, which also refuses bytes after the set.
    /// </summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static IdSet64 OpenFrozen(ReadOnlyMemory<byte> source, bool validate = false) =>
        Open(source.Length, at => source[(int)at..], validate);

    /// <summary>Opens a set in the memory of an owner, as <see cref="IdSet.OpenFrozen(IMemoryOwner{byte}, bool)"/> does.</summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static IdSet64 OpenFrozen(IMemoryOwner<byte> owner, bool validate = false)
    {
        ArgumentNullException.ThrowIfNull(owner);
        return OpenFrozen(new OwnedMemory(owner).Memory, validate);
    }

    /// <summary>
    /// Opens a set in a buffer that a handle keeps, as <see cref="IdSet.OpenFrozen(SafeBuffer, long, long, bool)"/> does; it may be
    /// larger than 2 GiB.
    /// </summary>
    /// <param name="owner">The buffer.</param>
    /// <param name="offset">
    /// The first byte of the set in it. The handle of a mapped view begins at a page, before the first byte of the view: add the
    /// <c>PointerOffset</c> of the view.
    /// </param>
    /// <param name="length">The bytes that the set may take. More may follow it, unless <paramref name="validate"/> is set.</param>
    /// <param name="validate">Whether the contents are checked too.</param>
    /// <exception cref="ArgumentOutOfRangeException">The range leads outside the buffer.</exception>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static unsafe IdSet64 OpenFrozen(SafeBuffer owner, long offset, long length, bool validate = false)
    {
        HandleReference reference = HandleReference.Of(owner, offset, length);
        return Open(length, at => Memory(reference.Start + offset, at, length, reference), validate);
    }

    /// <summary>Opens a set where its bytes lie, as <see cref="OpenFrozen(ReadOnlyMemory{byte}, bool)"/> does.</summary>
    /// <remarks>
    /// <para><b>Readable range</b> <paramref name="source"/> up to <paramref name="length"/> bytes, which may be more than 2 GiB; nothing
    /// outside is read.</para>
    /// <para><b>Overlap</b> any number of sets may lie in the same bytes.</para>
    /// <para><b>Alignment</b> none is needed.</para>
    /// <para><b>Lifetime</b> the bytes stay where they are as long as the set is used. They should not change; if they do, answers are
    /// wrong but stay inside the bytes.</para>
    /// <para><b>Wrong length</b> negative: <see cref="ArgumentOutOfRangeException"/>; too short for the set:
    /// <see cref="IdSetDamagedException"/>; too long for the memory: undefined.</para>
    /// </remarks>
    public static unsafe IdSet64 OpenFrozen(byte* source, nint length, bool validate = false)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        if (length > 0) ArgumentNullException.ThrowIfNull(source);
        return Open(length, at => Memory(source, at, length, owner: null), validate);
    }

    private static unsafe Memory<byte> Memory(byte* source, long at, long length, object? owner) =>
        new PointerMemory(source + at, (int)Math.Min(length - at, int.MaxValue), owner).Memory;

    /// <summary>
    /// Opens a set of which <paramref name="from"/> gives the bytes after an offset, as many as one piece of memory can have.
    /// </summary>
    private static IdSet64 Open(long length, Func<long, ReadOnlyMemory<byte>> from, bool validate)
    {
        IdSet64 set = new() { IsFrozen = true };
        long at = sizeof(ulong), before = -1;
        for (ulong left = ReadCount(from(0).Span); left > 0; left--)
        {
            before = ReadKey(from(at).Span, at, before);
            at += sizeof(uint);
            try
            {
                set._parts.AppendUnlessEmpty((uint)before, IdSet.OpenFrozenPart(from(at), validate, at, out int size));
                at += size;
            }
            catch (IdSetDamagedException damage)
            {
                throw damage.Behind(at);
            }
        }
        if (validate) CheckEnd(length, at);
        return set;
    }
}
