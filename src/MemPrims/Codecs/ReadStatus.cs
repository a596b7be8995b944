using System.Buffers;
using System.Runtime.CompilerServices;

namespace MemPrims.Codecs;

/// <summary>Turns the result of an internal read into the answer that all codecs give.</summary>
internal static class ReadStatus
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static OperationStatus Of(Decoded read, out ulong value, out int consumed)
    {
        if (read.Length > 0)
        {
            value = read.Value;
            consumed = read.Length;
            return OperationStatus.Done;
        }
        value = 0;
        consumed = 0;
        return read.Length == Decoded.NeedMoreData ? OperationStatus.NeedMoreData : OperationStatus.InvalidData;
    }
}
