using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// A set in the portable format, read where it lies: in bytes of its own, as built and loaded sets have them until they are changed, or in its caller's.
/// Opening foreign bytes checks the header, the order of the keys and that every container lies inside them; the contents only when asked.
/// A container's bounds are checked again whenever it is looked at, so bytes that change under a mapping cannot lead outside it.
/// </summary>
internal readonly struct SetImage
{
    // Bytes in an array are found without a call.
    private readonly byte[]? _array;
    private readonly ReadOnlyMemory<byte> _memory;

    // Made for the few sets that have no offsets in their header.
    private readonly byte[]? _offsets;
    private readonly int _start, _length;
    private readonly SetHeader _header;

    private SetImage(ReadOnlyMemory<byte> bytes, SetHeader header, byte[]? offsets, bool isForeign, bool isChecked = true)
    {
        IsChecked = isChecked;
        _header = header;
        _offsets = offsets;
        _length = bytes.Length;
        IsForeign = isForeign;
        if (MemoryMarshal.TryGetArray(bytes, out ArraySegment<byte> segment)) (_array, _start) = (segment.Array, segment.Offset);
        else _memory = bytes;
    }

    /// <summary>Whether the bytes are the caller's, who may not have had them checked.</summary>
    public bool IsForeign { get; }

    /// <summary>Whether the contents of all containers have been checked.</summary>
    public bool IsChecked { get; }

    /// <summary>Whether there is a set: a default has none.</summary>
    public bool Exists
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _length != 0;
    }

    public bool HasRunHeader => _header.HasRunHeader;

    public ReadOnlySpan<byte> Bytes => MemoryMarshal.CreateReadOnlySpan(ref First, _length);

    private ref byte First
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref _array is not null ? ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_array), _start) : ref MemoryMarshal.GetReference(_memory.Span);
    }

    /// <summary>Opens the set at the start of its caller's bytes.</summary>
    public static SetImage Open(ReadOnlyMemory<byte> bytes, bool validate)
    {
        SetHeader header = SetHeader.Read(bytes.Span);
        byte[]? offsets = Offsets(bytes.Span, header);
        int end = Check(View(bytes.Span, header, offsets), header, validate);
        return new(bytes[..end], header, offsets, isForeign: true, isChecked: validate);
    }

    /// <summary>Copies the set at the start of <paramref name="bytes"/> after checking everything in it.</summary>
    public static SetImage Copy(ReadOnlySpan<byte> bytes)
    {
        SetHeader header = SetHeader.Read(bytes);
        byte[]? offsets = Offsets(bytes, header);
        int end = Check(View(bytes, header, offsets), header, contents: true);
        return new(bytes[..end].ToArray(), header, offsets, isForeign: false);
    }

    /// <summary>Of bytes whose offsets, where the header has none, are known.</summary>
    public static SetImage Own(byte[] bytes, SetHeader header, byte[]? offsets) => new(bytes, header, offsets, isForeign: false);

    /// <summary>Of the bytes that <paramref name="header"/> and the containers behind it were written to.</summary>
    public static SetImage Own(byte[] bytes, SetHeader header) => new(bytes, header, Offsets(bytes, header), isForeign: false);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public SetView View() => new(ref First, _length, _header, _offsets);

    private static SetView View(ReadOnlySpan<byte> bytes, SetHeader header, byte[]? offsets) =>
        new(ref MemoryMarshal.GetReference(bytes), bytes.Length, header, offsets);

    private static byte[]? Offsets(ReadOnlySpan<byte> bytes, SetHeader header)
    {
        if (header.HasOffsets) return null;
        byte[] offsets = new byte[header.Containers * SetHeader.OffsetSize];
        SetView view = View(bytes, header, offsets);
        int offset = header.Size;
        for (int i = 0; i < header.Containers; i++)
        {
            BinaryPrimitives.WriteInt32LittleEndian(offsets.AsSpan(i * SetHeader.OffsetSize), offset);
            offset += view[i].SerializedSize;
        }
        return offsets;
    }

    private static int Check(in SetView view, SetHeader header, bool contents)
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
