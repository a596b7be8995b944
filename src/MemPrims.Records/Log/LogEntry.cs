namespace MemPrims.Records;

/// <summary>A frame of a <see cref="LogFile"/>. The payload is mapped memory, valid as <see cref="LogFile.Read"/> says.</summary>
public readonly ref struct LogEntry
{
    internal LogEntry(long position, long next, ReadOnlySpan<byte> payload)
    {
        Position = position;
        Next = next;
        Payload = payload;
    }

    /// <summary>What <see cref="LogFile.Append(ReadOnlySpan{byte})"/> returned.</summary>
    public long Position { get; }

    /// <summary>Where to read on.</summary>
    public long Next { get; }

    /// <summary>What was appended.</summary>
    public ReadOnlySpan<byte> Payload { get; }
}
