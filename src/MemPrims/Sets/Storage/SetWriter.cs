namespace MemPrims.Sets;

// Takes the containers of a result, in the order of their keys, and makes the content of a set of them. There are two ways. As an image:
// kernels write each container after the last one in a buffer that the thread keeps, and the buffer is copied once at the end. Apart: in a
// large result of large containers, each gets its own array, and bitmaps are written directly into theirs.
internal sealed class SetWriter
{
    // What a container's content may take, and what a kernel may store after it.
    public const int MostContent = Bitmap.Bytes, Slack = 512;

    // A larger image would be a large object for the runtime. Every 3 MB of large objects make it collect all generations, so their price
    // grows with the heap. Or of 16 bitmaps with 16 others, beside an idle heap of 1 million objects: 84 µs as an image, 10.5 µs apart;
    // beside an empty heap 10.4 and 11.8.
    private const int MostInImage = 80_000;

    // Smaller containers stay in an image of any size: an array for each would cost more than the collections.
    private const int LeastApart = 1024;

    private const int UsualBuffer = 32 * 1024, LargestKept = 1 << 20;

    // The bitmaps of sets that were cleared, which the thread keeps for its next results: 512 KiB at most. New memory comes from the
    // garbage collector cold, so a result in it costs more than the operation (bitmap × bitmap in Sets/pairs and Sets/uncleared pairs).
    private const int MostSpare = 64;

    // Not `[]`: the runtime's empty array of a type of ours is compiled at its first use.
    private static readonly Container[] s_none = new Container[0];

    [ThreadStatic]
    private static SetWriter? s_spare;

    private byte[] _bytes = GC.AllocateUninitializedArray<byte>(UsualBuffer);
    private readonly byte[]?[] _spares = new byte[]?[MostSpare];
    private byte[]? _words;
    private uint[] _heads = new uint[64];
    private int[] _offsets = new int[64];
    private bool[] _areRuns = new bool[64];
    private Container[] _apart = s_none;
    private int _count, _end, _runs, _expectedContainers, _spareCount;
    private bool _isApart, _mustBeImage;

    // The thread's writer, empty, for a result that is likely to take so many bytes and containers. Finish gives it back.
    public static SetWriter Rent(long expected = 0, int containers = 0)
    {
        SetWriter writer = s_spare ?? new();
        s_spare = null;
        writer._count = writer._end = writer._runs = 0;
        writer._isApart = AreBetterApart(expected, containers);
        writer._mustBeImage = false;
        writer._expectedContainers = containers;
        return writer;
    }

    // The same for a result that is an image, however large.
    public static SetWriter RentForImage()
    {
        SetWriter writer = Rent();
        writer._mustBeImage = true;
        return writer;
    }

    // Where the next container's content goes: MostContent bytes and Slack, unless more are asked for.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref byte Place(int bytes = MostContent)
    {
        if (_bytes.Length - _end < bytes + Slack) Grow(bytes);
        return ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(_bytes), _end);
    }

    // Where the next container's bits go if it stays a bitmap: AddWords takes them from there. Nothing may be stored after them. It may be
    // the same as Place.
    public ref ulong Words()
    {
        // If one container is a bitmap, mostly all are.
        if (!_isApart && _expectedContainers * (long)Bitmap.Bytes > MostInImage) PlaceAllApart();
        if (!_isApart) return ref Unsafe.As<byte, ulong>(ref Place());
        _words ??= NewBitmap();
        return ref Unsafe.As<byte, ulong>(ref MemoryMarshal.GetArrayDataReference(_words));
    }

    // The bits at Words are a container of more ids than an array holds.
    public void AddWords(int key, int cardinality)
    {
        if (!_isApart)
        {
            Add(key, cardinality, Bitmap.Bytes);
            return;
        }
        AddApart(key, cardinality, new() { Data = _words!, Kind = ContainerKind.Bitmap });
        _words = null;
    }

    // The content at Place is a container of `cardinality` ids. Without ids it is dropped.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add(int key, int cardinality, int bytes, bool areRuns = false)
    {
        if (cardinality == 0) return;
        int index = _count;
        if (index == _heads.Length) GrowHeads();
        _heads[index] = ContainerList.Head(key, cardinality);
        _offsets[index] = _end;
        _areRuns[index] = areRuns;
        _runs += areRuns ? 1 : 0;
        _end += bytes;
        _count = index + 1;
        if (_isApart | _end > MostInImage) PlaceApart();
    }

    // Takes the bitmaps of containers that nobody uses any more, as many as the thread keeps.
    public static void GiveBack(ReadOnlySpan<Container> containers)
    {
        SetWriter writer = s_spare ??= new();
        foreach (ref readonly Container container in containers)
        {
            if (writer._spareCount == MostSpare) return;
            if (container.Kind == ContainerKind.Bitmap && container.Data.Length == Bitmap.Bytes)
                writer._spares[writer._spareCount++] = container.Data;
        }
    }

    // Appends a container as it is; runs that touch become one if `join` is set.
    public void Copy(int key, in ContainerView container, bool join = false)
    {
        if (join && container.Kind == ContainerKind.Run && RunKernels.Touch(container.Runs))
        {
            AddJoined(key, container);
            return;
        }
        if (_isApart)
        {
            AddApart(key, container.Cardinality, container.Kind == ContainerKind.Bitmap ? CopyOfBitmap(container)
                : Container.CopyOf(container));
            return;
        }
        int size = container.SerializedSize;
        ref byte place = ref Place(size);
        container.WriteTo(MemoryMarshal.CreateSpan(ref place, size));
        Add(key, container.Cardinality, size, container.Kind == ContainerKind.Run);
    }

    private void AddJoined(int key, in ContainerView container)
    {
        ref byte place = ref Place(container.SerializedSize);
        int count = RunKernels.Join(container.Runs, ContainerBuild.RunsAt(ref place, container.Count));
        Unsafe.WriteUnaligned(ref place, (ushort)count);
        Add(key, container.Cardinality, Container.SizeOfRuns(count), areRuns: true);
    }

    // All that was added, as an image or as containers; neither, when there are no ids. The writer must not be used afterwards.
    public ContainerList? Finish(out SetImage image)
    {
        ContainerList? containers = null;
        image = default;
        if (_isApart)
        {
            containers = new(_heads.AsSpan(0, _count).ToArray(), _apart.AsSpan(0, _count).ToArray());
            // The arrays belong to the result from now on.
            Array.Clear(_apart, 0, _count);
        }
        else if (_count > 0) image = ToImage();
        if (_bytes.Length > LargestKept) _bytes = GC.AllocateUninitializedArray<byte>(UsualBuffer);
        s_spare = this;
        return containers;
    }

    private SetImage ToImage()
    {
        SetHeader header = new(_count, _runs > 0);
        int start = header.Size;
        byte[] image = GC.AllocateUninitializedArray<byte>(start + _end);
        header.WriteStart(image);
        MemoryMarshal.AsBytes(_heads.AsSpan(0, _count)).CopyTo(image.AsSpan(header.HeadsAt));
        byte[]? offsets = header.HasOffsets ? null : new byte[_count * SetHeader.OffsetSize];
        Span<byte> offsetsAt = offsets ?? image.AsSpan(header.OffsetsAt);
        for (int i = 0; i < _count; i++) BinaryPrimitives.WriteInt32LittleEndian(offsetsAt[(i * SetHeader.OffsetSize)..], start
            + _offsets[i]);
        for (int i = 0; _runs > 0 && i < _count; i++) image[SetHeader.RunFlagsAt + (i >> 3)] |= (byte)((_areRuns[i] ? 1 : 0) << (i & 7));
        _bytes.AsSpan(0, _end).CopyTo(image.AsSpan(start));
        return SetImage.Own(image, header, offsets);
    }

    private static bool AreBetterApart(long bytes, int containers) => bytes > MostInImage && bytes >= (long)containers * LeastApart;

    private void AddApart(int key, int cardinality, Container container)
    {
        if (_count == _heads.Length) GrowHeads();
        GrowApart();
        _heads[_count] = ContainerList.Head(key, cardinality);
        _apart[_count++] = container;
    }

    // Gives the container added last its own array; all of them, once the result has become large.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PlaceApart()
    {
        if (_isApart) PlaceApart(_count - 1, _end);
        else if (AreBetterApart(_end, _count)) PlaceAllApart();
        if (_isApart) _end = 0;
    }

    private void PlaceAllApart()
    {
        if (_mustBeImage) return;
        for (int i = 0; i < _count; i++) PlaceApart(i, i + 1 < _count ? _offsets[i + 1] : _end);
        _isApart = true;
        _end = 0;
    }

    private void PlaceApart(int index, int end)
    {
        GrowApart();
        bool isBitmap = !_areRuns[index] && (_heads[index] >> 16) >= Container.MaxArray;
        // The array of a container on the heap does not hold the number of runs.
        int start = _offsets[index] + (_areRuns[index] ? sizeof(ushort) : 0);
        byte[] data = isBitmap ? NewBitmap() : GC.AllocateUninitializedArray<byte>(end - start);
        _bytes.AsSpan(start, data.Length).CopyTo(data);
        _apart[index] = new()
        {
            Data = data,
            Kind = _areRuns[index] ? ContainerKind.Run : isBitmap ? ContainerKind.Bitmap : ContainerKind.Array,
            Count = isBitmap ? 0 : data.Length / (_areRuns[index] ? Unsafe.SizeOf<Run>() : sizeof(ushort)),
        };
    }

    private byte[] NewBitmap()
    {
        if (_spareCount == 0) return GC.AllocateUninitializedArray<byte>(Bitmap.Bytes);
        byte[] spare = _spares[--_spareCount]!;
        _spares[_spareCount] = null;
        return spare;
    }

    private Container CopyOfBitmap(in ContainerView bitmap)
    {
        byte[] data = NewBitmap();
        bitmap.Bytes.CopyTo(data);
        return new() { Data = data, Kind = ContainerKind.Bitmap };
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

    private void GrowApart()
    {
        if (_apart.Length < _heads.Length) Array.Resize(ref _apart, _heads.Length);
    }
}
