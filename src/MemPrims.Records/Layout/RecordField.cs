namespace MemPrims.Records;

/// <summary>A field of a record by name, for calls that take one. Found in the record's nested <c>Fields</c>.</summary>
/// <param name="offset">In the fixed part.</param>
public readonly struct RecordField<TRecord, TValue>(int offset) where TRecord : allows ref struct
{
    internal int Offset => offset;
}
