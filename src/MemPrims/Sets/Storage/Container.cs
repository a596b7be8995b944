namespace MemPrims.Sets;

// How a container holds its ids.
internal enum ContainerKind : byte
{
    // The ids, 2 bytes each, in order: at most 4096.
    Array = 0,

    // A bit for each of 65,536 ids: 8 KiB.
    Bitmap = 1,

    // Stretches of ids without a gap, 4 bytes each, in order.
    Run = 2,
}

// The ids that share their upper 16 bits, in an array of their own. From Start on, Data has the bytes that the portable format has for
// them, without the number of runs. It may have room before and after them, so that an id is put in or taken out by moving the shorter
// side. The key and the cardinality are in the heads of the set.
internal struct Container
{
    // With more ids than this an array is larger than a bitmap; the portable format tells the two apart by it.
    public const int MaxArray = Bitmap.Bytes / sizeof(ushort);

    // The ids that a container can hold.
    public const int Universe = 65536;

    public byte[] Data;

    // The ids of an array, the runs of a run container.
    public int Count;

    // The byte of Data where the content begins.
    public ushort Start;

    public ContainerKind Kind;

    // The bytes of an array, or of a bitmap where the ids are too many for one.
    public static int SizeOfIds(int cardinality) => cardinality > MaxArray ? Bitmap.Bytes : cardinality * sizeof(ushort);

    // The bytes of runs in the portable format, with their number before them.
    public static int SizeOfRuns(int count) => sizeof(ushort) + count * Unsafe.SizeOf<Run>();

    public static Container OfId(ushort id)
    {
        // Room for four: most containers get more ids.
        byte[] data = new byte[4 * sizeof(ushort)];
        Unsafe.WriteUnaligned(ref MemoryMarshal.GetArrayDataReference(data), id);
        return new() { Data = data, Count = 1, Kind = ContainerKind.Array };
    }

    // Of bits: an array where they are few.
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

// A container's content where it lies: on the heap, or in the bytes of a file, at any address (x64 and arm64 read unaligned words). Those
// bytes may not have been checked, so nothing here or in the kernels relies on their order, or on the cardinality being true.
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

    // The content as the portable format holds it, without a run container's count.
    public ReadOnlySpan<byte> Bytes => MemoryMarshal.CreateReadOnlySpan(ref _data, Kind switch
    {
        ContainerKind.Array => Count * sizeof(ushort),
        ContainerKind.Bitmap => Bitmap.Bytes,
        _ => Count * Unsafe.SizeOf<Run>(),
    });

    // What the portable format takes for it.
    public int SerializedSize => Bytes.Length + (Kind == ContainerKind.Run ? sizeof(ushort) : 0);

    // Writes it as the portable format holds it, and returns how many bytes.
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
        _ => RunKernels.Contains(Runs, id),
    };
}

// Rank, select and decoding within a container.
internal static class ContainerOrder
{
    // How many ids are at or below `id`.
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

    // The id that has `rank` ids below it. If damaged bytes hold fewer ids than they claim, it is 65,535.
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

    // Writes the ids from `first` to `last`, as far as the destination takes them, and returns how many.
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

    // Writes the ids with `high` above them. What lies after them in the destination may be overwritten.
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
