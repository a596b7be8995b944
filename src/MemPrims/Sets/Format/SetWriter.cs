using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// Takes the containers of a result, in order, and makes one image of them. Kernels write a container's content straight to its place in a buffer that a thread
/// keeps; the image is copied out of it when the size of its header and its containers is known.
/// </summary>
internal sealed class SetWriter
{
    /// <summary>What a container's content may take, and what a kernel may store behind it.</summary>
    public const int MostContent = Bitmap.Bytes, Slack = 512;

    private const int LargestKept = 1 << 20;

    [ThreadStatic]
    private static SetWriter? s_spare;

    private byte[] _bytes = GC.AllocateUninitializedArray<byte>(32 * 1024);
    private uint[] _heads = new uint[64];
    private int[] _offsets = new int[64];
    private bool[] _areRuns = new bool[64];
    private int _count, _end, _runs;

    /// <summary>The thread's writer, empty. Give it back by <see cref="ToImage"/>.</summary>
    public static SetWriter Rent()
    {
        SetWriter writer = s_spare ?? new();
        s_spare = null;
        writer._count = writer._end = writer._runs = 0;
        return writer;
    }

    /// <summary>Where the next container's content goes: <see cref="MostContent"/> bytes and <see cref="Slack"/>, unless more are asked for.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref byte Place(int bytes = MostContent)
    {
        if (_bytes.Length - _end < bytes + Slack) Grow(bytes);
        return ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_bytes), _end);
    }

    /// <summary>The content at <see cref="Place"/> is a container of <paramref name="cardinality"/> ids; of none, it is dropped.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(int key, int cardinality, int bytes, bool areRuns = false)
    {
        if (cardinality == 0) return;
        int index = _count;
        if (index == _heads.Length) GrowHeads();
        _heads[index] = (uint)key | (uint)(cardinality - 1) << 16;
        _offsets[index] = _end;
        _areRuns[index] = areRuns;
        _runs += areRuns ? 1 : 0;
        _end += bytes;
        _count = index + 1;
    }

    /// <summary>Appends a container as it is.</summary>
    public void Copy(int key, in ContainerView container)
    {
        int size = container.SerializedSize;
        ref byte place = ref Place(size);
        container.WriteTo(MemoryMarshal.CreateSpan(ref place, size));
        Add(key, container.Cardinality, size, container.Kind == ContainerKind.Run);
    }

    /// <summary>Appends a container of runs, some of which touch: these become one.</summary>
    public void AddJoined(int key, in ContainerView container)
    {
        ref byte place = ref Place(container.SerializedSize);
        Span<Run> runs = MemoryMarshal.CreateSpan(ref Unsafe.As<byte, Run>(ref Unsafe.Add(ref place, sizeof(ushort))), container.Count);
        int count = RunJoin.Join(container.Runs, runs);
        Unsafe.WriteUnaligned(ref place, (ushort)count);
        Add(key, container.Cardinality, sizeof(ushort) + count * Unsafe.SizeOf<Run>(), areRuns: true);
    }

    /// <summary>The image of all that was added, and the end of this writer's use.</summary>
    public SetImage ToImage()
    {
        SetHeader header = new(_count, _runs > 0);
        int start = header.Size;
        byte[] image = GC.AllocateUninitializedArray<byte>(start + _end);
        header.WriteStart(image);
        ref byte bytes = ref MemoryMarshal.GetArrayDataReference(image);
        Unsafe.CopyBlockUnaligned(ref Unsafe.Add(ref bytes, header.HeadsAt), ref Unsafe.As<uint, byte>(ref MemoryMarshal.GetArrayDataReference(_heads)), (uint)(_count * SetHeader.HeadSize));
        byte[]? offsets = header.HasOffsets ? null : new byte[_count * SetHeader.OffsetSize];
        Span<byte> offsetsAt = offsets ?? image.AsSpan(header.OffsetsAt);
        for (int i = 0; i < _count; i++) BinaryPrimitives.WriteInt32LittleEndian(offsetsAt[(i * SetHeader.OffsetSize)..], start + _offsets[i]);
        for (int i = 0; _runs > 0 && i < _count; i++) image[SetHeader.RunFlagsAt + (i >> 3)] |= (byte)((_areRuns[i] ? 1 : 0) << (i & 7));
        _bytes.AsSpan(0, _end).CopyTo(image.AsSpan(start));
        if (_bytes.Length <= LargestKept) s_spare = this;
        return SetImage.Own(image, header, offsets);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Grow(int bytes)
    {
        byte[] larger = GC.AllocateUninitializedArray<byte>(Math.Max(_bytes.Length * 2, _end + bytes + Slack));
        _bytes.AsSpan(0, _end).CopyTo(larger);
        _bytes = larger;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void GrowHeads()
    {
        Array.Resize(ref _heads, _count * 2);
        Array.Resize(ref _offsets, _count * 2);
        Array.Resize(ref _areRuns, _count * 2);
    }
}
