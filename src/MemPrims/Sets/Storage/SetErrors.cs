namespace MemPrims.Sets;

// The errors that sets of 32 and of 64 bits share.
internal static class SetErrors
{
    public static T NotNull<T>([NotNull] T? other) where T : class
    {
        ArgumentNullException.ThrowIfNull(other);
        return other;
    }

    public static void CheckRanks(ReadOnlySpan<long> ranks, long count)
    {
        foreach (long rank in ranks)
            if (rank < 0 || rank >= count) ThrowRank(rank, count, nameof(ranks));
    }

    [DoesNotReturn]
    public static void ThrowFrozen() => throw new NotSupportedException(
        "The set is frozen: its ids lie in bytes that are not its own. Clone() gives one that can be changed.");

    [DoesNotReturn]
    public static void ThrowChangedMeanwhile() => throw new InvalidOperationException(
        "The set or field was changed while its ids were read, or by the writer during Serialize. Use a copy, or change it afterwards.");

    [DoesNotReturn]
    public static void ThrowBytesChanged(long offset) =>
        throw new IdSetDamagedException(offset, "The set is not as long as a moment ago: the bytes change while they are read");

    [DoesNotReturn]
    public static void ThrowShorter(int length, int opened) => throw new InvalidOperationException(
        $"The set was opened in {opened} bytes, but its memory's owner gives {length} of them now. Keep the memory as long as the set.");

    [DoesNotReturn]
    public static void ThrowNoRoom(long count, int room) =>
        throw new ArgumentException($"The set has {count} ids, but the destination takes {room}. Give a longer one.", "destination");

    [DoesNotReturn]
    public static void ThrowEmpty() =>
        throw new InvalidOperationException("The set is empty: it has no least and no greatest id. Ask IsEmpty first.");

    [DoesNotReturn]
    public static void ThrowRank(long rank, long count, string name) =>
        throw new ArgumentOutOfRangeException(name, rank, count == 0 ? "The set is empty, so no id has a rank."
            : $"The set has {count} ids, so ranks go from 0 to {count - 1}.");

    [DoesNotReturn]
    public static void ThrowShort(int asked, int room) =>
        throw new ArgumentException($"{asked} results are asked for, but the destination takes {room}. Give a longer one.", "ids");
}
