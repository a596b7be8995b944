namespace MemPrims.Codecs;

/// <summary>
/// The result of a read: <see cref="Length"/> bytes that hold <see cref="Value"/>. It is returned in two registers. Out parameters would
/// keep both in memory.
/// </summary>
internal readonly struct Decoded(ulong value, int length)
{
    public const int NeedMoreData = 0, InvalidData = -1;

    public readonly ulong Value = value;

    /// <summary>How many bytes the value took, or one of the two constants.</summary>
    public readonly int Length = length;

    /// <summary>The answer that all codecs give.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static OperationStatus Answer(Decoded read, out ulong value, out int consumed)
    {
        if (read.Length > 0)
        {
            value = read.Value;
            consumed = read.Length;
            return OperationStatus.Done;
        }
        value = 0;
        consumed = 0;
        return read.Length == NeedMoreData ? OperationStatus.NeedMoreData : OperationStatus.InvalidData;
    }
}
