using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// A set's containers, on the heap or in the bytes of the portable format. The heads (u16 key, u16 cardinality - 1) lie alike in both, so whatever
/// needs keys and cardinalities only reads one dense array.
/// </summary>
internal readonly ref struct SetView
{
    private readonly ref byte _heads;
    private readonly ReadOnlySpan<Container> _containers;
    private readonly ReadOnlySpan<byte> _bytes, _runFlags, _offsets;

    public readonly int Length;

    /// <summary>Whether it lies in bytes of the format, which may not have been checked.</summary>
    public readonly bool IsImage;

    public SetView(ReadOnlySpan<uint> heads, ReadOnlySpan<Container> containers)
    {
        _heads = ref Unsafe.As<uint, byte>(ref MemoryMarshal.GetReference(heads));
        _containers = containers;
        Length = heads.Length;
    }

    public SetView(ReadOnlySpan<byte> bytes, SetHeader header, ReadOnlySpan<byte> offsets)
    {
        _bytes = bytes;
        _heads = ref MemoryMarshal.GetReference(bytes.Slice(header.HeadsAt, header.Containers * SetHeader.HeadSize));
        _runFlags = header.HasRunHeader ? bytes[header.RunFlagsAt..header.HeadsAt] : default;
        _offsets = offsets[..(header.Containers * SetHeader.OffsetSize)];
        IsImage = true;
        Length = header.Containers;
    }

    /// <summary>The upper 16 bits of a container's ids.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Key(int index) => Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref _heads, (nint)index * SetHeader.HeadSize));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int Cardinality(int index) => Unsafe.ReadUnaligned<ushort>(ref Unsafe.Add(ref _heads, (nint)index * SetHeader.HeadSize + sizeof(ushort))) + 1;

    public ContainerView this[int index]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => IsImage ? InImage(index) : _containers[index].View(Cardinality(index));
    }

    /// <summary>Where a container of an image starts.</summary>
    public long Offset(int index) => BinaryPrimitives.ReadUInt32LittleEndian(_offsets[(index * SetHeader.OffsetSize)..]);

    /// <summary>The ids in all containers, as the heads say.</summary>
    public long CountIds()
    {
        long count = Length;
        for (int i = 0; i < Length; i++) count += Cardinality(i) - 1;
        return count;
    }

    /// <summary>The first container from <paramref name="from"/> on whose key is not below <paramref name="key"/>.</summary>
    public int Seek(int key, int from)
    {
        if (from >= Length) return Length;
        int first = Key(from);
        if (first >= key) return from;
        // Keys without a gap, as those of document ids are, need no search.
        int guess = from + (key - first);
        if (guess < Length && Key(guess) == key) return guess;
        int step = 1;
        while (from + step < Length && Key(from + step) < key) step <<= 1;
        int low = from + (step >> 1), size = Math.Min(from + step, Length) - low;
        while (size > 0)
        {
            int half = (size + 1) >> 1;
            low += (int)SortedSearch.Step(Key(low + half - 1) < key, half);
            size -= half;
        }
        return low;
    }

    /// <summary>The container with that key; -1 when there is none.</summary>
    public int Find(int key)
    {
        int at = Seek(key, 0);
        return at < Length && Key(at) == key ? at : -1;
    }

    private ContainerView InImage(int index)
    {
        long offset = Offset(index);
        int cardinality = Cardinality(index), count = cardinality;
        ContainerKind kind = cardinality > Container.MaxArray ? ContainerKind.Bitmap : ContainerKind.Array;
        if (!_runFlags.IsEmpty && (_runFlags[index >> 3] >> (index & 7) & 1) != 0)
        {
            kind = ContainerKind.Run;
            if (offset + sizeof(ushort) > _bytes.Length) ThrowOutside(index, offset);
            count = BinaryPrimitives.ReadUInt16LittleEndian(_bytes[(int)offset..]);
            offset += sizeof(ushort);
        }
        int size = kind switch { ContainerKind.Bitmap => Bitmap.Bytes, ContainerKind.Array => count * sizeof(ushort), _ => count * Unsafe.SizeOf<Run>() };
        if (offset + size > _bytes.Length) ThrowOutside(index, offset);
        return new(ref Unsafe.Add(ref MemoryMarshal.GetReference(_bytes), (nint)offset), kind, count, cardinality);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ThrowOutside(int index, long offset) =>
        throw new IdSetDamagedException(offset, $"Container {index} of {Length} reaches past the end of the {_bytes.Length} bytes");
}

/// <summary>Goes through the containers that two sets have under the same key.</summary>
internal ref struct KeyPairs
{
    private int _nextA, _nextB;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Next(in SetView a, in SetView b, out int inA, out int inB)
    {
        int i = _nextA, j = _nextB;
        while (i < a.Length && j < b.Length)
        {
            int keyA = a.Key(i), keyB = b.Key(j);
            if (keyA == keyB)
            {
                _nextA = (inA = i) + 1;
                _nextB = (inB = j) + 1;
                return true;
            }
            if (keyA < keyB) i = a.Seek(keyB, i + 1);
            else j = b.Seek(keyA, j + 1);
        }
        inA = inB = -1;
        return false;
    }
}
