using System.Buffers.Binary;

namespace MemPrims.Sets;

/// <summary>How a container holds its ids.</summary>
internal enum ContainerKind : byte
{
    /// <summary>The ids, 2 bytes each, in order: at most 4096.</summary>
    Array = 0,

    /// <summary>A bit for each of 65,536 ids: 8 KiB.</summary>
    Bitmap = 1,

    /// <summary>Stretches of ids without a gap, 4 bytes each, in order.</summary>
    Run = 2,
}

/// <summary>
/// The ids that share their upper 16 bits, in an array of their own. From <see cref="Start"/> on, <see cref="Data"/> has the bytes that
/// the portable format has for them, without the number of runs. It may have room before and after them, so that an id is put in or
/// taken out by moving the shorter side. The key and the cardinality are in the heads of the set.
/// </summary>
internal struct Container
{
    /// <summary>With more ids than this an array is larger than a bitmap; the portable format tells the two apart by it.</summary>
    public const int MaxArray = Bitmap.Bytes / sizeof(ushort);

    /// <summary>The ids that a container can hold.</summary>
    public const int Universe = 65536;

    public byte[] Data;

    /// <summary>The ids of an array, the runs of a run container.</summary>
    public int Count;

    /// <summary>The byte of <see cref="Data"/> where the content begins.</summary>
    public ushort Start;

    public ContainerKind Kind;

    /// <summary>The bytes of an array, or of a bitmap where the ids are too many for one.</summary>
    public static int SizeOfIds(int cardinality) => cardinality > MaxArray ? Bitmap.Bytes : cardinality * sizeof(ushort);

    /// <summary>The bytes of runs in the portable format, with their number before them.</summary>
    public static int SizeOfRuns(int count) => sizeof(ushort) + count * Unsafe.SizeOf<Run>();

    public static Container OfId(ushort id)
    {
        // Room for four: most containers get more ids.
        byte[] data = new byte[4 * sizeof(ushort)];
        Unsafe.WriteUnaligned(ref MemoryMarshal.GetArrayDataReference(data), id);
        return new() { Data = data, Count = 1, Kind = ContainerKind.Array };
    }

    /// <summary>Of bits: an array where they are few.</summary>
    public static Container OfWords(ref ulong words, int cardinality)
    {
        bool areFew = cardinality <= MaxArray;
        byte[] data = new byte[SizeOfIds(cardinality)];
        if (areFew) BitmapDecode.Write(ref words, (ushort)0, MemoryMarshal.Cast<byte, ushort>(data.AsSpan()));
        else MemoryMarshal.CreateReadOnlySpan(ref Unsafe.As<ulong, byte>(ref words), Bitmap.Bytes).CopyTo(data);
        return new() { Data = data, Count = areFew ? cardinality : 0, Kind = areFew ? ContainerKind.Array : ContainerKind.Bitmap };
    }

    public static Container CopyOf(in ContainerView view) => new() { Data = view.Bytes.ToArray(), Count = view.Count, Kind = view.Kind };

    public readonly ContainerView View(int cardinality) =>
        new(ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(Data), (nint)Start), Kind, Count, cardinality);
}

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

/// <summary>Rank, select and decoding within a container.</summary>
internal static class ContainerOrder
{
    /// <summary>How many ids are at or below <paramref name="id"/>.</summary>
    public static int Rank(in ContainerView view, ushort id)
    {
        switch (view.Kind)
        {
            case ContainerKind.Array:
                return ArraySearch.UpTo(view.Ids, id);
            case ContainerKind.Bitmap:
                return BitmapCount.Range(ref view.Words, 0, id);
            default:
                int rank = 0;
                foreach (Run run in view.Runs)
                {
                    if (run.Start > id) break;
                    rank += Math.Min(run.End, id) - run.Start + 1;
                }
                return rank;
        }
    }

    /// <summary>
    /// The id that has <paramref name="rank"/> ids below it. If damaged bytes hold fewer ids than they claim, it is 65,535.
    /// </summary>
    public static ushort Select(in ContainerView view, int rank)
    {
        switch (view.Kind)
        {
            case ContainerKind.Array:
                return view.Ids[rank];
            case ContainerKind.Bitmap:
                for (int i = 0; i < Bitmap.WordCount; i++)
                {
                    ulong word = Unsafe.Add(ref view.Words, i);
                    int bits = BitOperations.PopCount(word);
                    if (rank < bits)
                    {
                        for (; rank > 0; rank--) word &= word - 1;
                        return (ushort)((i << 6) + BitOperations.TrailingZeroCount(word));
                    }
                    rank -= bits;
                }
                return ushort.MaxValue;
            default:
                foreach (Run run in view.Runs)
                {
                    int length = run.LengthMinusOne + 1;
                    if (rank < length) return (ushort)Math.Min(run.Start + rank, ushort.MaxValue);
                    rank -= length;
                }
                return ushort.MaxValue;
        }
    }

    /// <summary>
    /// Writes the ids from <paramref name="first"/> to <paramref name="last"/>, as far as the destination takes them, and returns how
    /// many.
    /// </summary>
    public static int DecodePart(in ContainerView view, int first, int last, uint high, Span<uint> destination)
    {
        switch (view.Kind)
        {
            case ContainerKind.Array:
                int start = (int)SortedSearch.LowerBound(view.Ids, (ushort)first);
                int end = last == ushort.MaxValue ? view.Count : (int)SortedSearch.LowerBound(view.Ids, (ushort)(last + 1));
                int count = Math.Clamp(end - start, 0, destination.Length);
                ArrayDecode.Write(view.Ids.Slice(start, count), high, destination);
                return count;
            case ContainerKind.Bitmap:
                return BitmapDecode.Write(ref view.Words, first >> 6, (last >> 6) + 1, high, destination);
            default:
                return RunKernels.Decode(view.Runs, first, last, high, destination);
        }
    }

    /// <summary>
    /// Writes the ids with <paramref name="high"/> above them. What lies after them in the destination may be overwritten.
    /// </summary>
    public static void Decode<T>(in ContainerView view, T high, Span<T> destination)
        where T : unmanaged, IBinaryInteger<T>
    {
        switch (view.Kind)
        {
            case ContainerKind.Array:
                ArrayDecode.Write(view.Ids, high, destination);
                break;
            case ContainerKind.Bitmap:
                BitmapDecode.Write(ref view.Words, high, destination);
                break;
            default:
                RunKernels.Decode(view.Runs, 0, ushort.MaxValue, high, destination);
                break;
        }
    }
}
