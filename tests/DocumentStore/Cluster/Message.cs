using System.Buffers.Binary;

namespace DocumentStore.Cluster;

/// <summary>What clients and nodes send each other: a kind and what belongs to it, with the length before. Threads: static.</summary>
internal static class Message
{
    /// <summary>The longest request has a batch, and the longest answer a page of documents.</summary>
    public const int MostRequest = Proposal.MostBytes + 1, MostAnswer = 256 << 20;

    public delegate void Write(ref Appender to);

    public enum Request : byte { Put, Get, Facets, State, Piece, Range }

    /// <summary>
    /// Wrong tells why the question has no answer, Later why it has none yet. None of them is a request, which a connection to oneself
    /// would bring back.
    /// </summary>
    public enum Answer : byte { Done = 100, None, NotLeader, Wrong, Later }

    public static byte[] Of<TKind>(TKind kind, Write? write = null) where TKind : unmanaged, Enum
    {
        using SegmentList list = new();
        Appender to = new(list);
        try
        {
            to.Write(kind);
            write?.Invoke(ref to);
            to.Commit();
        }
        finally
        {
            to.Dispose();
        }
        return list.ToArray();
    }

    /// <summary>How a request has a position that it waits for: 0 for all that was acknowledged, else one more than it.</summary>
    public static long Awaited(long? atLeast) => atLeast is not < 0 and not long.MaxValue ? atLeast + 1 ?? 0
        : throw new ArgumentOutOfRangeException(nameof(atLeast), $"{atLeast} is no position: a commit returns one.");

    public static async Task SendAsync(Stream to, ReadOnlyMemory<byte> message, CancellationToken cancellationToken)
    {
        byte[] whole = new byte[sizeof(int) + message.Length];
        BinaryPrimitives.WriteInt32LittleEndian(whole, message.Length);
        message.CopyTo(whole.AsMemory(sizeof(int)));
        await to.WriteAsync(whole, cancellationToken).ConfigureAwait(false);
    }

    /// <exception cref="IOException">The other side has closed, or sends something else.</exception>
    public static async Task<byte[]> ReceiveAsync(Stream from, int most, CancellationToken cancellationToken)
    {
        byte[] length = new byte[sizeof(int)];
        await from.ReadExactlyAsync(length, cancellationToken).ConfigureAwait(false);
        int bytes = BinaryPrimitives.ReadInt32LittleEndian(length);
        if (bytes <= 0 || bytes > most) throw new IOException($"No message has {bytes} bytes. Is another program at the port?");
        byte[] message = new byte[bytes];
        await from.ReadExactlyAsync(message, cancellationToken).ConfigureAwait(false);
        return message;
    }
}
