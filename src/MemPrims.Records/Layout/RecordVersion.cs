namespace MemPrims.Records;

/// <summary>One version of a layout: the hash of its description, and its sizes. For generated code.</summary>
/// <param name="hash">FNV-1a of the layout's line, as the lock file has it.</param>
/// <param name="fixedBytes">Bytes of the fixed part.</param>
/// <param name="recordBytes">Bytes from one record to the next.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct RecordVersion(ulong hash, ushort fixedBytes, ushort recordBytes)
{
    internal readonly ulong Hash = hash;
    internal readonly ushort FixedBytes = fixedBytes, RecordBytes = recordBytes;
}
