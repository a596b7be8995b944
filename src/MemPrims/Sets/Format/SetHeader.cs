using System.Buffers.Binary;

namespace MemPrims.Sets;

/// <summary>
/// Where the parts of a set in the portable Roaring format lie. All numbers are little-endian:
/// <code>
/// without run containers   u32 12346, u32 containers
/// with them                u32 12347 | (containers - 1) &lt;&lt; 16, then a bit per container: whether it is one of runs
/// heads                    per container u16 key, u16 cardinality - 1
/// offsets                  per container u32, from the first byte of the set; left out with runs and fewer than 4 containers
/// containers               u16 ids up to 4096 of them; else 8192 bytes of bits; or u16 count, then per run u16 first, u16 how many follow
/// </code>
/// </summary>
internal readonly record struct SetHeader(int Containers, bool HasRunHeader)
{
    private const uint Plain = 12346, WithRuns = 12347;
    private const int FewestWithOffsets = 4;
    public const int HeadSize = 4, OffsetSize = 4, RunFlagsAt = 4;

    public int HeadsAt => HasRunHeader ? RunFlagsAt + (Containers + 7) / 8 : 2 * sizeof(uint);
    public int OffsetsAt => HeadsAt + Containers * HeadSize;
    public bool HasOffsets => !HasRunHeader || Containers >= FewestWithOffsets;

    /// <summary>The bytes before the first container.</summary>
    public int Size => OffsetsAt + (HasOffsets ? Containers * OffsetSize : 0);

    public static SetHeader Read(ReadOnlySpan<byte> source)
    {
        if (source.Length < 2 * sizeof(uint))
            throw new IdSetDamagedException(0, $"A set takes 8 bytes at least, but there are {source.Length}");
        uint cookie = BinaryPrimitives.ReadUInt32LittleEndian(source);
        uint count = BinaryPrimitives.ReadUInt32LittleEndian(source[sizeof(uint)..]);
        bool runs = (ushort)cookie == WithRuns;
        if (runs) count = (cookie >> 16) + 1;
        else if (cookie != Plain) throw new IdSetDamagedException(0, $"A set begins with {Plain} or {WithRuns}, not with {cookie}");
        if (count > Container.Universe)
            throw new IdSetDamagedException(sizeof(uint), $"A set has at most {Container.Universe} containers, not {count}");
        SetHeader header = new((int)count, runs);
        if (source.Length < header.Size)
            throw new IdSetDamagedException(
                source.Length, $"The header of {count} containers takes {header.Size} bytes, but there are {source.Length}");
        int spare = runs ? source[header.HeadsAt - 1] >> ((header.Containers - 1) % 8 + 1) : 0;
        if (spare != 0)
            throw new IdSetDamagedException(header.HeadsAt - 1, "The header marks containers as runs that the set does not have");
        return header;
    }

    /// <summary>Writes what comes before the heads; the flags for runs are clear.</summary>
    public void WriteStart(Span<byte> destination)
    {
        destination[..HeadsAt].Clear();
        BinaryPrimitives.WriteUInt32LittleEndian(destination, HasRunHeader ? WithRuns | (uint)(Containers - 1) << 16 : Plain);
        if (!HasRunHeader) BinaryPrimitives.WriteInt32LittleEndian(destination[sizeof(uint)..], Containers);
    }

    /// <summary>Writes all that comes before the containers, for <paramref name="view"/>.</summary>
    public void Write(Span<byte> destination, in SetView view)
    {
        destination = destination[..Size];
        WriteStart(destination);
        int offset = Size;
        for (int i = 0; i < Containers; i++)
        {
            ContainerView container = view[i];
            Span<byte> head = destination[(HeadsAt + i * HeadSize)..];
            BinaryPrimitives.WriteUInt16LittleEndian(head, (ushort)view.Key(i));
            BinaryPrimitives.WriteUInt16LittleEndian(head[sizeof(ushort)..], (ushort)(container.Cardinality - 1));
            if (HasRunHeader && container.Kind == ContainerKind.Run) destination[RunFlagsAt + (i >> 3)] |= (byte)(1 << (i & 7));
            if (HasOffsets) BinaryPrimitives.WriteInt32LittleEndian(destination[(OffsetsAt + i * OffsetSize)..], offset);
            offset += container.SerializedSize;
        }
    }
}
