namespace MemPrims.Sets;

// Where the parts of a set in the portable Roaring format lie. All numbers are little-endian:
//   without run containers   u32 12346, u32 containers
//   with them                u32 12347 | (containers - 1) << 16, then a bit per container: whether it is one of runs
//   heads                    per container u16 key, u16 cardinality - 1
//   offsets                  per container u32, from the first byte of the set; left out with runs and fewer than 4 containers
//   containers               u16 ids up to 4096 of them; else 8 KiB of bits; or u16 count, then per run u16 first, u16 how many follow
internal readonly record struct SetHeader(int Containers, bool HasRunHeader)
{
    public const uint Plain = 12346, WithRuns = 12347;
    private const int FewestWithOffsets = 4;
    public const int HeadSize = 4, OffsetSize = 4, RunFlagsAt = 4;

    public int HeadsAt => HasRunHeader ? RunFlagsAt + (Containers + 7) / 8 : 2 * sizeof(uint);
    public int OffsetsAt => HeadsAt + Containers * HeadSize;
    public bool HasOffsets => !HasRunHeader || Containers >= FewestWithOffsets;

    // The bytes before the first container.
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

    // Writes what comes before the heads; the flags for runs are clear.
    public void WriteStart(Span<byte> destination)
    {
        destination[..HeadsAt].Clear();
        BinaryPrimitives.WriteUInt32LittleEndian(destination, HasRunHeader ? WithRuns | (uint)(Containers - 1) << 16 : Plain);
        if (!HasRunHeader) BinaryPrimitives.WriteInt32LittleEndian(destination[sizeof(uint)..], Containers);
    }
}

// A set in the portable format, read where it lies. The bytes are its own, as in built and loaded sets until they are changed, or its
// caller's (foreign). Opening foreign bytes checks the header, the order of the keys, and that each container lies inside the bytes; the
// contents are checked only when asked. The bounds of a container are checked again at each use, so bytes that change under a mapping
// never lead outside.
internal readonly struct SetImage
{
    // In a set of fewer bytes, Contains looks into a container even where the key is not there: a branch on that is often predicted wrong,
    // and costs more (Sets/small, 100 ids in 10 million, 32 ns with the branch).
    private const int MostBlind = 4096;

    // An array, a PointerMemory or another MemoryManager; _place says which. The bytes of the first two are found without a call.
    private readonly object? _bytes;

    // The offsets of containers, for the few sets whose header has none.
    private readonly byte[]? _offsets;

    // Where the set starts in a larger one. The offset of damage is counted from the start of that one.
    private readonly long _origin;
    private readonly int _start, _length;
    private readonly SetHeader _header;
    private readonly Place _place;

    private SetImage(ReadOnlyMemory<byte> bytes, SetHeader header, byte[]? offsets, bool isChecked, long origin)
    {
        IsChecked = isChecked;
        IsForeign = true;
        _header = header;
        _offsets = offsets;
        _origin = origin;
        _length = bytes.Length;
        if (MemoryMarshal.TryGetArray(bytes, out ArraySegment<byte> segment))
        {
            (_bytes, _start) = (segment.Array, segment.Offset);
            return;
        }
        MemoryMarshal.TryGetMemoryManager(bytes, out MemoryManager<byte>? manager, out _start, out _);
        _bytes = manager;
        _place = manager is PointerMemory ? Place.Pointer : Place.Manager;
    }

    private SetImage(byte[] bytes, SetHeader header, byte[]? offsets) =>
        (_bytes, _length, _header, _offsets, IsChecked) = (bytes, bytes.Length, header, offsets, true);

    private enum Place : byte
    {
        Array,
        Pointer,
        Manager,
    }

    // Whether the bytes are the caller's.
    public bool IsForeign { get; }

    // Whether the contents of all containers have been checked.
    public bool IsChecked { get; }

    // Whether there is a set: a default has none.
    public bool Exists
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _length != 0;
    }

    public bool HasRunHeader => _header.HasRunHeader;

    public int Length => _length;

    public ReadOnlySpan<byte> Bytes => MemoryMarshal.CreateReadOnlySpan(ref First, _length);

    private ref byte First
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => ref _place == Place.Array
            ? ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(Unsafe.As<byte[]>(_bytes)!), _start)
            : ref FirstOfForeign();
    }

    // Opens the set at the start of its caller's bytes, of which these start at `origin`. The contents are checked only with `validate`.
    public static SetImage Open(ReadOnlyMemory<byte> bytes, bool validate, long origin = 0)
    {
        ReadOnlySpan<byte> all = bytes.Span;
        SetHeader header = SetHeader.Read(all);
        byte[]? offsets = Offsets(all, header);
        int end = validate ? -1 : EndOf(all, header, offsets);
        // The slower check finds the same, and says where.
        if (end < 0) end = Check(View(all, header, offsets), header, validate);
        return new(bytes[..end], header, offsets, validate, origin);
    }

    // Copies the set at the start of `bytes` after checking everything in it.
    public static SetImage Copy(ReadOnlySpan<byte> bytes)
    {
        SetHeader header = SetHeader.Read(bytes);
        byte[]? offsets = Offsets(bytes, header);
        int end = Check(View(bytes, header, offsets), header, contents: true);
        return new(bytes[..end].ToArray(), header, offsets);
    }

    // Of bytes whose offsets, where the header has none, are known.
    public static SetImage Own(byte[] bytes, SetHeader header, byte[]? offsets) => new(bytes, header, offsets);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public SetView View() => new(ref First, _length, _header, _offsets, _origin);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public SetHeads Heads() => new(ref Unsafe.Add(ref First, _header.HeadsAt), _header.Containers);

    // One container, without a view of all.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ContainerView At(int index)
    {
        ref byte bytes = ref First;
        ref byte heads = ref Unsafe.Add(ref bytes, _header.HeadsAt);
        ref byte offsets = ref _offsets is null ? ref Unsafe.Add(ref bytes, _header.OffsetsAt)
            : ref MemoryMarshal.GetArrayDataReference(_offsets);
        return SetView.InImage(ref bytes, _length, ref heads, ref offsets, _header.HasRunHeader, index, _origin);
    }

    // Whether the set has an id: only its container is looked up, and nothing else of a view is made.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Contains(uint id)
    {
        ref byte bytes = ref First;
        if (_header.Containers == 0) return false;
        ref byte heads = ref Unsafe.Add(ref bytes, _header.HeadsAt);
        int at = KeySearch.Near(ref heads, _header.Containers, (int)(id >> IdSet.KeyShift), out bool isThere);
        if (!isThere & _length > MostBlind) return false;
        bool holds = _header.HasRunHeader ? ContainsBesideRuns(ref bytes, at, (ushort)id)
            : HoldsPlain(ref bytes, at, ref Unsafe.Add(ref bytes, _header.OffsetsAt), (ushort)id);
        return holds & isThere;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool ContainsBesideRuns(ref byte bytes, int index, ushort id)
    {
        bool isRuns = (Unsafe.Add(ref bytes, SetHeader.RunFlagsAt + (index >> 3)) >> (index & 7) & 1) != 0;
        ref byte offsets = ref _offsets is null ? ref Unsafe.Add(ref bytes, _header.OffsetsAt)
            : ref MemoryMarshal.GetArrayDataReference(_offsets);
        if (!isRuns) return HoldsPlain(ref bytes, index, ref offsets, id);
        long offset = Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref offsets, (nint)index * SetHeader.OffsetSize));
        if (offset + sizeof(ushort) > _length) return ContainsInView(index, id);
        ref byte content = ref Unsafe.Add(ref bytes, (nint)offset);
        int count = Unsafe.ReadUnaligned<ushort>(ref content);
        if (offset + Container.SizeOfRuns(count) > _length) return ContainsInView(index, id);
        return RunKernels.Contains(
            MemoryMarshal.CreateReadOnlySpan(ref Unsafe.As<byte, Run>(ref Unsafe.Add(ref content, sizeof(ushort))), count), id);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool HoldsPlain(ref byte bytes, int index, ref byte offsets, ushort id)
    {
        int cardinality = Unsafe.ReadUnaligned<ushort>(
            ref Unsafe.Add(ref bytes, _header.HeadsAt + index * SetHeader.HeadSize + sizeof(ushort))) + 1;
        long offset = Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref offsets, (nint)index * SetHeader.OffsetSize));
        bool isBitmap = cardinality > Container.MaxArray;
        if (offset + Container.SizeOfIds(cardinality) > _length) return ContainsInView(index, id);
        ref byte content = ref Unsafe.Add(ref bytes, (nint)offset);
        if (Hardware.Tier != Tier.Scalar && cardinality <= ArrayContains.MostFew && offset >= ArrayContains.BytesInFront)
            return ArrayContains.HoldsFew(ref Unsafe.As<byte, ushort>(ref content), cardinality, id);
        return isBitmap
            ? (Unsafe.Add(ref content, id >> 3) >> (id & 7) & 1) != 0
            : ArrayContains.Holds(ref Unsafe.As<byte, ushort>(ref content), cardinality, id);
    }

    // The offset leads outside: the view throws the error.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool ContainsInView(int index, ushort id) => View()[index].Contains(id);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private unsafe ref byte FirstOfForeign()
    {
        if (_place == Place.Pointer) return ref *(Unsafe.As<PointerMemory>(_bytes)!.Start + _start);
        Span<byte> bytes = Unsafe.As<MemoryManager<byte>>(_bytes)!.GetSpan();
        if (bytes.Length - _start < _length) SetErrors.ThrowShorter(bytes.Length, _start + _length);
        return ref Unsafe.Add(ref MemoryMarshal.GetReference(bytes), _start);
    }

    private static SetView View(ReadOnlySpan<byte> bytes, SetHeader header, byte[]? offsets) =>
        new(ref MemoryMarshal.GetReference(bytes), bytes.Length, header, offsets, origin: 0);

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

    // Where the set ends; -1 if its keys, offsets and bounds are not sound.
    private static int EndOf(ReadOnlySpan<byte> bytes, SetHeader header, byte[]? apart)
    {
        ref byte first = ref MemoryMarshal.GetReference(bytes);
        ref byte heads = ref Unsafe.Add(ref first, header.HeadsAt);
        ref byte offsets = ref apart is null ? ref Unsafe.Add(ref first, header.OffsetsAt)
            : ref MemoryMarshal.GetArrayDataReference(apart);
        long offset = header.Size;
        int before = -1;
        for (nint i = 0; i < header.Containers; i++)
        {
            uint head = Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref heads, i * SetHeader.HeadSize));
            int key = (ushort)head, cardinality = (int)(head >> 16) + 1;
            if (key <= before | Unsafe.ReadUnaligned<uint>(ref Unsafe.Add(ref offsets, i * SetHeader.OffsetSize)) != offset) return -1;
            before = key;
            if (header.HasRunHeader && (Unsafe.Add(ref first, SetHeader.RunFlagsAt + (i >> 3)) >> ((int)i & 7) & 1) != 0)
            {
                if (offset + sizeof(ushort) > bytes.Length) return -1;
                int runs = Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref first, (nint)offset));
                offset += Container.SizeOfRuns(runs);
            }
            else offset += Container.SizeOfIds(cardinality);
        }
        return offset <= bytes.Length ? (int)offset : -1;
    }

    private static int Check(in SetView view, SetHeader header, bool contents)
    {
        int offset = header.Size, before = -1;
        for (int i = 0; i < view.Length; i++)
        {
            int key = view.Key(i);
            if (key <= before)
                throw new IdSetDamagedException(
                    header.HeadsAt + i * SetHeader.HeadSize,
                    $"Container {i} has the key {key}, which is not above the one before it, {before}");
            if (view.Offset(i) != offset)
                throw new IdSetDamagedException(
                    header.OffsetsAt + i * SetHeader.OffsetSize,
                    $"Container {i} is said to start at byte {view.Offset(i)}, but the one before it ends at {offset}");
            ContainerView container = view[i];
            if (contents) ContainerCheck.Contents(container, i, offset);
            offset += container.SerializedSize;
            before = key;
        }
        return offset;
    }
}

// Writes the containers of a set in the portable format, whose layout SetHeader tells.
internal static class SetFormat
{
    public static long Size(in SetView view)
    {
        long size = Header(view).Size;
        for (int i = 0; i < view.Length; i++) size += view[i].SerializedSize;
        return size;
    }

    public static void Write(in SetView view, Span<byte> destination)
    {
        SetHeader header = Header(view);
        header.WriteStart(destination);
        MemoryMarshal.CreateReadOnlySpan(ref view.Heads(0), view.Length * SetHeader.HeadSize).CopyTo(destination[header.HeadsAt..]);
        int at = header.Size;
        for (int i = 0; i < view.Length; i++)
        {
            ContainerView container = view[i];
            if (container.Kind == ContainerKind.Run) destination[SetHeader.RunFlagsAt + (i >> 3)] |= (byte)(1 << (i & 7));
            if (header.HasOffsets)
                BinaryPrimitives.WriteInt32LittleEndian(destination[(header.OffsetsAt + i * SetHeader.OffsetSize)..], at);
            at += container.WriteTo(destination[at..]);
        }
    }

    // Whether runs touch, which other writers allow themselves: they are joined when the set is written.
    public static bool HaveTouchingRuns(in SetView view)
    {
        bool touch = false;
        for (int i = 0; i < view.Length && !touch; i++)
        {
            ContainerView container = view[i];
            touch = container.Kind == ContainerKind.Run && RunKernels.Touch(container.Runs);
        }
        return touch;
    }

    private static SetHeader Header(in SetView view)
    {
        bool hasRunHeader = false;
        for (int i = 0; i < view.Length && !hasRunHeader; i++) hasRunHeader = view[i].Kind == ContainerKind.Run;
        return new(view.Length, hasRunHeader);
    }
}
