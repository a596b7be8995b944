using System.Buffers;
using System.Buffers.Binary;

namespace MemPrims.Sets;

public sealed partial class IdSet64
{
    /// <summary>The bytes that <see cref="Serialize(IBufferWriter{byte})"/> writes.</summary>
    public long SerializedSize
    {
        get
        {
            long size = sizeof(ulong) + (long)_sets.Count * sizeof(uint);
            foreach (IdSet set in _sets) size += set.SerializedSize;
            return size;
        }
    }

    /// <summary>Writes the set in the 64-bit form of the portable Roaring format; one that was loaded and not changed as it was.</summary>
    public void Serialize(IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        BinaryPrimitives.WriteInt64LittleEndian(destination.GetSpan(sizeof(ulong)), _sets.Count);
        destination.Advance(sizeof(ulong));
        for (int i = 0; i < _sets.Count; i++)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(destination.GetSpan(sizeof(uint)), _keys[i]);
            destination.Advance(sizeof(uint));
            _sets[i].Serialize(destination);
        }
    }

    /// <summary>The set in the 64-bit form of the portable Roaring format.</summary>
    public byte[] ToByteArray()
    {
        ArrayBufferWriter<byte> writer = new(checked((int)SerializedSize));
        Serialize(writer);
        return writer.WrittenSpan.ToArray();
    }

    /// <summary>Reads a set, which must take all of <paramref name="source"/>, and checks everything in it.</summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static IdSet64 Deserialize(ReadOnlySpan<byte> source)
    {
        IdSet64 set = new();
        int at = sizeof(ulong);
        for (ulong left = ReadCount(source); left > 0; left--)
        {
            uint key = set.ReadKey(source, ref at);
            set.Append(key, IdSet.Deserialize(source[at..], out int consumed));
            at += consumed;
        }
        CheckEnd(source, at);
        return set;
    }

    /// <summary>
    /// Opens a set where its bytes lie: nothing is copied or decoded. Its headers and bounds are checked; its contents only with <paramref name="validate"/>,
    /// which also refuses bytes behind the set.
    /// </summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static IdSet64 OpenFrozen(ReadOnlyMemory<byte> source, bool validate = false)
    {
        IdSet64 set = new() { IsFrozen = true };
        int at = sizeof(ulong);
        for (ulong left = ReadCount(source.Span); left > 0; left--)
        {
            uint key = set.ReadKey(source.Span, ref at);
            IdSet part = IdSet.OpenFrozenPart(source[at..], validate);
            set.Append(key, part);
            at += (int)part.SerializedSize;
        }
        if (validate) CheckEnd(source.Span, at);
        return set;
    }

    /// <summary>Opens a set where its bytes lie, as <see cref="OpenFrozen(ReadOnlyMemory{byte}, bool)"/> does.</summary>
    /// <remarks>
    /// <para><b>Readable range</b> <paramref name="source"/> up to <paramref name="length"/> bytes, at most 2 GiB; nothing outside is read.</para>
    /// <para><b>Overlap</b> any number of sets may lie in the same bytes.</para>
    /// <para><b>Alignment</b> none is needed.</para>
    /// <para><b>Lifetime</b> the bytes stay where they are as long as the set is used. They should not change; if they do, answers are wrong but stay inside the bytes.</para>
    /// <para><b>Wrong length</b> negative: <see cref="ArgumentOutOfRangeException"/>; too short for the set: <see cref="IdSetDamagedException"/>; too long for the memory: undefined.</para>
    /// </remarks>
    public static unsafe IdSet64 OpenFrozen(byte* source, nint length, bool validate = false)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        return OpenFrozen(new PointerMemory(source, (int)Math.Min(length, int.MaxValue)).Memory, validate);
    }

    private static ulong ReadCount(ReadOnlySpan<byte> source)
    {
        if (source.Length < sizeof(ulong)) throw new IdSetDamagedException(0, $"A 64-bit set takes 8 bytes at least, but there are {source.Length}");
        ulong count = BinaryPrimitives.ReadUInt64LittleEndian(source);
        if (count > 1ul << 32) throw new IdSetDamagedException(0, $"A 64-bit set has at most 2^32 upper halves, not {count}");
        return count;
    }

    private uint ReadKey(ReadOnlySpan<byte> source, ref int at)
    {
        if (source.Length - at < sizeof(uint)) throw new IdSetDamagedException(at, $"Upper half {_keys.Count} should follow, but the bytes end");
        uint key = BinaryPrimitives.ReadUInt32LittleEndian(source[at..]);
        if (_keys.Count > 0 && key <= _keys[^1]) throw new IdSetDamagedException(at, $"The upper half {key} is not above the one before it, {_keys[^1]}");
        at += sizeof(uint);
        return key;
    }

    private static void CheckEnd(ReadOnlySpan<byte> source, int at)
    {
        if (at != source.Length) throw new IdSetDamagedException(at, $"The set ends here, but {source.Length - at} bytes follow");
    }
}
