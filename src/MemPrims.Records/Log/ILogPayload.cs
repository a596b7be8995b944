namespace MemPrims.Records.Log;

// What is appended, so that one routine serves spans and sequences.
internal interface ILogPayload
{
    // Whether CopyTo may call code that is not the log's own.
    static abstract bool RunsForeignCode { get; }

    long Length { get; }

    void CopyTo(int from, Span<byte> destination);
}
