using System.Buffers;
using MemPrims.Buffers;

namespace MemPrims.Tests.Buffers;

internal static class ReaderAnswers
{
    // What a TryRead found: Done if it answered true, and the reader's Status otherwise.
    public static OperationStatus Answer<TReader>(ref this TReader from, bool isRead)
        where TReader : struct, IReader, allows ref struct => isRead ? OperationStatus.Done : from.Status;
}
