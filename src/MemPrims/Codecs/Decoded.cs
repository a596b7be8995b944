namespace MemPrims.Codecs;

// The result of a read: Length bytes that hold Value. It is returned in two registers. Out parameters would keep both in memory.
internal readonly struct Decoded(ulong value, int length)
{
    public const int NeedMoreData = 0, InvalidData = -1;

    public readonly ulong Value = value;

    // How many bytes the value took, or one of the two constants.
    public readonly int Length = length;

    // The answer that all codecs give.
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
