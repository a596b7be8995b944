namespace MemPrims.Sets;

/// <content>To and from the 64-bit form of the portable Roaring format.</content>
public sealed partial class IdSet64
{
    /// <inheritdoc/>
    public override long SerializedSize => sizeof(ulong) + _sets.Sum(static set => sizeof(uint) + set.SerializedSize);

    internal override void Write(CheckedWriter destination)
    {
        BinaryPrimitives.WriteInt64LittleEndian(destination.Room(sizeof(ulong)), _sets.Count);
        destination.Advance(sizeof(ulong));
        for (int i = 0; i < _sets.Count; i++)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(destination.Room(sizeof(uint)), _keys[i]);
            destination.Advance(sizeof(uint));
            _sets[i].Write(destination);
        }
    }

    internal override bool TryWrite(Span<byte> destination, out long size)
    {
        size = SerializedSize;
        if (destination.Length < size) return false;
        destination = destination[..(int)size];
        BinaryPrimitives.WriteInt64LittleEndian(destination, _sets.Count);
        int at = sizeof(ulong);
        for (int i = 0; i < _sets.Count; i++, at += sizeof(uint))
        {
            // Where the set was long enough a moment ago and is no more, its bytes change.
            if (!BinaryPrimitives.TryWriteUInt32LittleEndian(destination[at..], _keys[i])
                || !_sets[i].TryWrite(destination[(at + sizeof(uint))..], out long part)) SetErrors.ThrowBytesChanged(0);
            else at += (int)part;
        }
        if (at != size) SetErrors.ThrowBytesChanged(0);
        return true;
    }

    static unsafe IdSet64 IIdSet<IdSet64, ulong>.Read(ReadOnlySpan<byte> source, out int consumed)
    {
        IdSet64 set = new();
        fixed (byte* first = source) consumed = (int)set.Read(new(first, source.Length, owner: null), validate: true);
        return set;
    }

    static IdSet64 IIdSet<IdSet64, ulong>.Open(ForeignBytes bytes, bool validate, out long end)
    {
        IdSet64 set = new(isFrozen: true);
        end = set.Read(bytes, validate);
        return set;
    }

    // Takes the parts that the bytes have, where they lie in a frozen set, else as copies. Returns where they end.
    private long Read(ForeignBytes bytes, bool validate)
    {
        long at = sizeof(ulong), before = -1;
        for (ulong left = ReadCount(bytes.Span(0)); left > 0; left--)
        {
            before = ReadKey(bytes.Span(at), at, before);
            at += sizeof(uint);
            try
            {
                IdSet part = IsFrozen ? IdSet.OpenPart(bytes.From(at), validate, at, out int size)
                    : IdSet.Deserialize(bytes.Span(at), out size);
                Append((uint)before, part);
                at += size;
            }
            catch (IdSetDamagedException damage)
            {
                throw damage.Behind(at);
            }
        }
        return at;
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
}
