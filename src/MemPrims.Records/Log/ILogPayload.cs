namespace MemPrims.Records.Log;

/// <summary>What is appended, so that one routine serves spans and sequences.</summary>
internal interface ILogPayload
{
    /// <summary>Whether <see cref="CopyTo"/> may call code that is not the log's own.</summary>
    static abstract bool RunsForeignCode { get; }

    long Length { get; }

    void CopyTo(int from, Span<byte> destination);
}
