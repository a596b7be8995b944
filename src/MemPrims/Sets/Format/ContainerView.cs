using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// A container's content where it lies: on the heap, or in the bytes of a file, at any address (x64 and arm64 read unaligned words).
/// Those bytes may not have been checked, so nothing here or in the kernels relies on their order, or on the cardinality being true.
/// </summary>
internal readonly ref struct ContainerView(ref byte data, ContainerKind kind, int count, int cardinality)
{
    private readonly ref byte _data = ref data;

    public readonly int Count = count, Cardinality = cardinality;

    public readonly ContainerKind Kind = kind;

    public ReadOnlySpan<ushort> Ids
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => MemoryMarshal.CreateReadOnlySpan(ref Unsafe.As<byte, ushort>(ref _data), Count);
    }

    public ReadOnlySpan<Run> Runs
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => MemoryMarshal.CreateReadOnlySpan(ref Unsafe.As<byte, Run>(ref _data), Count);
    }

    public ref ulong Words
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref Unsafe.As<byte, ulong>(ref _data);
    }

    public bool IsFull => Cardinality == Container.Universe;

    /// <summary>The content as the portable format holds it, without a run container's count.</summary>
    public ReadOnlySpan<byte> Bytes => MemoryMarshal.CreateReadOnlySpan(ref _data, Kind switch
    {
        ContainerKind.Array => Count * sizeof(ushort),
        ContainerKind.Bitmap => Bitmap.Bytes,
        _ => Count * Unsafe.SizeOf<Run>(),
    });

    /// <summary>What the portable format takes for it.</summary>
    public int SerializedSize => Bytes.Length + (Kind == ContainerKind.Run ? sizeof(ushort) : 0);

    /// <summary>Writes it as the portable format holds it, and returns how many bytes.</summary>
    public int WriteTo(Span<byte> destination)
    {
        int at = 0;
        if (Kind == ContainerKind.Run)
        {
            BinaryPrimitives.WriteUInt16LittleEndian(destination, (ushort)Count);
            at = sizeof(ushort);
        }
        Bytes.CopyTo(destination[at..]);
        return at + Bytes.Length;
    }

    public bool Contains(ushort id) => Kind switch
    {
        ContainerKind.Bitmap => Bitmap.Contains(ref Words, id),
        ContainerKind.Array => ArrayContains.Holds(ref Unsafe.As<byte, ushort>(ref _data), Count, id),
        _ => RunSearch.Contains(Runs, id),
    };
}
