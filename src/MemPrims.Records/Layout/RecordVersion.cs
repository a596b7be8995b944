using System.ComponentModel;

namespace MemPrims.Records;

/// <summary>One version of a layout: the hash of its description, and its sizes. For generated code.</summary>
/// <param name="Hash">FNV-1a of the layout's line, as the lock file has it.</param>
/// <param name="FixedBytes">Bytes of the fixed part.</param>
/// <param name="RecordBytes">Bytes from one record to the next.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct RecordVersion(ulong Hash, ushort FixedBytes, ushort RecordBytes);
