namespace MemPrims.Codecs;

/// <summary>
/// Sorted, distinct ids of 32 or 64 bits in a span of a given size, as engines keep lists of postings in a page. The gaps are packed in
/// blocks of 257 ids, and reading may start at any block. PACKED-IDS.md is the format. A list says where it ends, so it may be shorter
/// than the span that it lies in. A list of ids is written in one form, whatever the type of the ids and the instructions of the machine.
///
/// Readers look at nothing outside the span. Bytes that are no list are a <see cref="DamagedDataException"/>. It is thrown when the
/// damage is met, so not where only other blocks are read. The methods are for any number of threads, as long as no one writes.
/// </summary>
public static unsafe class PackedIds
{
    /// <summary>The most ids that a list has.</summary>
    public const int MaxCount = 1 << 24;

    /// <summary>
    /// Writes the ids from the first one on, as many as fit. <paramref name="taken"/> is how many, and <paramref name="written"/> the
    /// bytes that they take; those behind may be overwritten. If ids are left, the answer is
    /// <see cref="OperationStatus.DestinationTooSmall"/>.
    /// </summary>
    /// <exception cref="ArgumentException">Ids that were looked at are not strictly increasing.</exception>
    public static OperationStatus Encode(ReadOnlySpan<ulong> ids, Span<byte> destination, out int taken, out int written)
    {
        fixed (ulong* from = ids)
        fixed (byte* to = destination)
            return Encode(from, ids.Length, to, destination.Length, whole: false, out taken, out written);
    }

    /// <inheritdoc cref="Encode(ReadOnlySpan{ulong}, Span{byte}, out int, out int)"/>
    public static OperationStatus Encode(ReadOnlySpan<uint> ids, Span<byte> destination, out int taken, out int written)
    {
        fixed (uint* from = ids)
        fixed (byte* to = destination)
            return Encode(from, ids.Length, to, destination.Length, whole: false, out taken, out written);
    }

    /// <summary>Reads all the ids, and returns how many there are.</summary>
    /// <exception cref="ArgumentException">The destination takes fewer ids than there are; nothing is written.</exception>
    /// <exception cref="DamagedDataException">The bytes are no list. Ids before the damage may have been written.</exception>
    public static int Decode(ReadOnlySpan<byte> source, Span<ulong> destination) => Decode<ulong>(source, destination);

    /// <inheritdoc cref="Decode(ReadOnlySpan{byte}, Span{ulong})"/>
    public static int Decode(ReadOnlySpan<byte> source, Span<uint> destination) => Decode<uint>(source, destination);

    /// <summary>
    /// Reads the ids from the first one on that is not below <paramref name="first"/>, as many as there are and the destination takes, and
    /// returns how many. Of the blocks before only the heads are looked at.
    /// </summary>
    /// <exception cref="DamagedDataException">The bytes are no list. Ids before the damage may have been written.</exception>
    public static int DecodeFrom(ReadOnlySpan<byte> source, ulong first, Span<ulong> destination) =>
        DecodeFrom<ulong>(source, first, destination);

    /// <inheritdoc cref="DecodeFrom(ReadOnlySpan{byte}, ulong, Span{ulong})"/>
    public static int DecodeFrom(ReadOnlySpan<byte> source, uint first, Span<uint> destination) =>
        DecodeFrom<uint>(source, first, destination);

    /// <summary>How many ids there are.</summary>
    /// <exception cref="DamagedDataException">The bytes are no list.</exception>
    public static int Count(ReadOnlySpan<byte> source)
    {
        fixed (byte* from = source) return new PackedIdsBlocks(from, source.Length, ulong.MaxValue).Count;
    }

    /// <summary>The least id.</summary>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    /// <exception cref="DamagedDataException">The bytes are no list.</exception>
    public static ulong Min(ReadOnlySpan<byte> source)
    {
        fixed (byte* from = source)
        {
            PackedIdsBlocks blocks = new(from, source.Length, ulong.MaxValue);
            return blocks.Count > 0 ? blocks.First : throw CodecErrors.NoId();
        }
    }

    /// <summary>The greatest id. Only the last block is decoded.</summary>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    /// <exception cref="DamagedDataException">The bytes are no list.</exception>
    public static ulong Max(ReadOnlySpan<byte> source)
    {
        ulong* ids = stackalloc ulong[PackedBlock.MostIds];
        fixed (byte* from = source)
        {
            PackedIdsBlocks blocks = new(from, source.Length, ulong.MaxValue);
            blocks.MoveTo(ulong.MaxValue);
            if (blocks.Count == 0) throw CodecErrors.NoId();
            blocks.Decode(ids);
            return ids[blocks.Gaps];
        }
    }

    /// <summary>How many bytes the list takes: those behind are not its own.</summary>
    /// <exception cref="DamagedDataException">The bytes are no list.</exception>
    public static int Size(ReadOnlySpan<byte> source)
    {
        fixed (byte* from = source)
        {
            PackedIdsBlocks blocks = new(from, source.Length, ulong.MaxValue);
            while (blocks.MoveNext())
            {
            }
            return blocks.Size;
        }
    }

    /// <summary>
    /// Adds an id to the list at the beginning of <paramref name="room"/>, and returns true, also where it is there already. Returns
    /// false if the list would no longer fit: then nothing is changed. A byte 0 is the empty list, so zeroed room has one. Bytes of the
    /// room behind <paramref name="written"/>, the new size, may be overwritten. The ids are written anew, and meanwhile take 8 bytes of
    /// rented memory each.
    /// </summary>
    /// <exception cref="DamagedDataException">The bytes are no list; nothing is changed.</exception>
    public static bool TryAdd(Span<byte> room, ulong id, out int written) => TryChange(room, id, isThere: true, out written);

    /// <summary>
    /// Removes an id, and returns true, also where it is not there. Returns false if the list would no longer fit, since the two gaps
    /// beside the id become one of more bits: then nothing is changed.
    /// </summary>
    /// <inheritdoc cref="TryAdd"/>
    public static bool TryRemove(Span<byte> room, ulong id, out int written) => TryChange(room, id, isThere: false, out written);

    private static OperationStatus Encode<T>(T* ids, int count, byte* to, int room, bool whole, out int taken, out int written)
        where T : unmanaged
    {
        taken = written = 0;
        if (count == 0)
        {
            if (room == 0) return OperationStatus.DestinationTooSmall;
            *to = 0;
            written = 1;
            return OperationStatus.Done;
        }
        ulong* wide = stackalloc ulong[PackedBlock.MostIds];
        uint* low = stackalloc uint[PackedBlock.MostGaps];
        PackedBlock* shapes = stackalloc PackedBlock[PackedIdsPlan.MostKept];
        int most = Math.Min(count, MaxCount), at = 0;
        PackedIdsPlan plan = new(PackedId.Of(ids)), longest = plan;
        PackedBlock last = default, longestLast = default;
        for (long size = 0; at < most && size <= (long)room + PackedIdsPlan.MostSaved; at = plan.Count(last))
        {
            ulong* from = PackedId.Widen(ids + at, Math.Min(most - at, PackedBlock.MostIds), wide);
            if (at > 0)
            {
                ulong before = PackedId.Of(ids + at - 1);
                if (from[0] <= before) throw CodecErrors.NotIncreasing(at, before, from[0]);
                plan.Add(last, PackedId.Of(ids + at - PackedBlock.MostIds), before, from[0]);
            }
            int gaps = Math.Min(most - at, PackedBlock.MostIds) - 1, fitting = gaps;
            last = Shape(from, gaps, low, at);
            if (plan.Blocks < PackedIdsPlan.MostKept) shapes[plan.Blocks] = last;
            size = plan.Size(last);
            if (size > room)
            {
                // The most gaps with which it fits, by halves.
                fitting = -1;
                for (int step = PackedBlock.MostGaps; step > 0; step /= 2)
                    if (fitting + step < gaps && plan.Size(Shape(from, fitting + step, low, at)) <= room) fitting += step;
                if (fitting < 0) continue;
            }
            (longest, longestLast) = (plan, fitting == gaps ? last : Shape(from, fitting, low, at));
            taken = longest.Count(longestLast);
        }
        bool all = taken == count;
        if (taken > 0 && longest.Blocks < PackedIdsPlan.MostKept) shapes[longest.Blocks] = longestLast;
        if (taken > 0 && (all || !whole)) written = (int)(longest.Write(ids, shapes, longestLast, to, to + room) - to);
        return all ? OperationStatus.Done : OperationStatus.DestinationTooSmall;
    }

    private static PackedBlock Shape(ulong* ids, int gaps, uint* low, int position)
    {
        if (PackedBlock.TryOf(ids, gaps, low, out PackedBlock block)) return block;
        int at = 1;
        // Bounded: ids that another thread changes may be in order by now.
        while (at < gaps && ids[at] > ids[at - 1]) at++;
        throw CodecErrors.NotIncreasing(position + at, ids[at - 1], ids[at]);
    }

    private static int Decode<T>(ReadOnlySpan<byte> source, Span<T> destination)
        where T : unmanaged
    {
        fixed (byte* from = source)
        fixed (T* to = destination)
        {
            PackedIdsBlocks blocks = new(from, source.Length, MostOf<T>());
            if (destination.Length < blocks.Count) throw CodecErrors.TooFewIds(blocks.Count, destination.Length);
            for (T* at = to; blocks.MoveNext(); at += blocks.Gaps + 1) blocks.Decode(at);
            return blocks.Count;
        }
    }

    private static int DecodeFrom<T>(ReadOnlySpan<byte> source, ulong first, Span<T> destination)
        where T : unmanaged
    {
        fixed (byte* from = source)
        fixed (T* to = destination)
        {
            PackedIdsBlocks blocks = new(from, source.Length, MostOf<T>());
            ulong* room = stackalloc ulong[PackedBlock.MostIds];
            int written = 0;
            blocks.MoveTo(first);
            if (blocks.Count == 0) return 0;
            do
            {
                int count = blocks.Gaps + 1, skip = 0;
                if (blocks.Start >= first && count <= destination.Length - written) blocks.Decode(to + written);
                else
                {
                    blocks.Decode(room);
                    skip = Below(room, count, first);
                    count = Math.Min(count - skip, destination.Length - written);
                    Narrow(room + skip, count, to + written);
                }
                written += count;
            }
            while (written < destination.Length && blocks.MoveNext());
            return written;
        }
    }

    private static bool TryChange(Span<byte> room, ulong id, bool isThere, out int written)
    {
        int count = Count(room);
        ulong[] ids = ArrayPool<ulong>.Shared.Rent(count + 1);
        try
        {
            Decode(room, ids);
            int at = ids.AsSpan(0, count).BinarySearch(id);
            written = Size(room);
            if (at >= 0 == isThere) return true;
            if (isThere)
            {
                ids.AsSpan(~at, count - ~at).CopyTo(ids.AsSpan(~at + 1));
                ids[~at] = id;
                count++;
            }
            else ids.AsSpan(at + 1, --count - at).CopyTo(ids.AsSpan(at));
            fixed (ulong* from = ids)
            fixed (byte* to = room)
            {
                if (Encode(from, count, to, room.Length, whole: true, out _, out int size) != OperationStatus.Done) return false;
                written = size;
                return true;
            }
        }
        finally
        {
            ArrayPool<ulong>.Shared.Return(ids);
        }
    }

    // How many of the ids are below another one.
    internal static int Below(ulong* ids, int count, ulong id)
    {
        int at = new ReadOnlySpan<ulong>(ids, count).BinarySearch(id);
        return at < 0 ? ~at : at;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Narrow<T>(ulong* from, int count, T* to)
        where T : unmanaged
    {
        if (sizeof(T) == sizeof(ulong)) new ReadOnlySpan<ulong>(from, count).CopyTo(new Span<ulong>(to, count));
        else
            for (int i = 0; i < count; i++) ((uint*)to)[i] = (uint)from[i];
    }

    private static ulong MostOf<T>() where T : unmanaged => sizeof(T) == sizeof(ulong) ? ulong.MaxValue : uint.MaxValue;
}
