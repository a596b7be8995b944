using System.Buffers.Binary;

namespace MemPrims.Sets;

/// <summary>
/// A set in the portable format, read where it lies. Opening checks the header, the order of the keys and that every container lies inside the bytes;
/// the contents only when asked. A container's bounds are checked again whenever it is looked at, so bytes that change under a mapping cannot lead outside it.
/// </summary>
internal sealed class SetImage
{
    private readonly ReadOnlyMemory<byte> _bytes;
    private readonly SetHeader _header;

    // Made for the few sets that have no offsets in their header.
    private readonly byte[]? _offsets;

    private SetImage(ReadOnlyMemory<byte> bytes, SetHeader header, byte[]? offsets)
    {
        _bytes = bytes;
        _header = header;
        _offsets = offsets;
    }

    /// <summary>Opens the set at the start of <paramref name="bytes"/>.</summary>
    public static SetImage Open(ReadOnlyMemory<byte> bytes, bool validate)
    {
        SetHeader header = SetHeader.Read(bytes.Span);
        byte[]? offsets = Offsets(bytes.Span, header);
        int end = Check(View(bytes.Span, header, offsets), bytes.Span, header, validate);
        return new(bytes[..end], header, offsets);
    }

    public bool HasRunHeader => _header.HasRunHeader;

    public ReadOnlySpan<byte> Bytes => _bytes.Span;

    public SetView View() => View(_bytes.Span, _header, _offsets);

    /// <summary>Checks and views the set at the start of <paramref name="bytes"/> without keeping anything.</summary>
    public static SetView Checked(ReadOnlySpan<byte> bytes, out SetHeader header, out int end)
    {
        header = SetHeader.Read(bytes);
        SetView view = View(bytes, header, Offsets(bytes, header));
        end = Check(view, bytes, header, contents: true);
        return view;
    }

    private static SetView View(ReadOnlySpan<byte> bytes, SetHeader header, byte[]? offsets) =>
        new(bytes, header, offsets is null ? bytes[header.OffsetsAt..] : offsets);

    private static byte[]? Offsets(ReadOnlySpan<byte> bytes, SetHeader header)
    {
        if (header.HasOffsets) return null;
        byte[] offsets = new byte[header.Containers * SetHeader.OffsetSize];
        SetView view = new(bytes, header, offsets);
        int offset = header.Size;
        for (int i = 0; i < header.Containers; i++)
        {
            BinaryPrimitives.WriteInt32LittleEndian(offsets.AsSpan(i * SetHeader.OffsetSize), offset);
            offset += view[i].SerializedSize;
        }
        return offsets;
    }

    private static int Check(in SetView view, ReadOnlySpan<byte> bytes, SetHeader header, bool contents)
    {
        int offset = header.Size, before = -1;
        for (int i = 0; i < view.Length; i++)
        {
            int head = header.HeadsAt + i * SetHeader.HeadSize, key = view.Key(i);
            if (key <= before) throw new IdSetDamagedException(head, $"Container {i} has the key {key}, which is not above the one before it, {before}");
            if (view.Offset(i) != offset)
                throw new IdSetDamagedException(header.OffsetsAt + i * SetHeader.OffsetSize, $"Container {i} is said to start at byte {view.Offset(i)}, but the one before it ends at {offset}");
            ContainerView container = view[i];
            if (contents) ContainerCheck.Contents(container, i, offset);
            offset += container.SerializedSize;
            before = key;
        }
        return offset;
    }
}
