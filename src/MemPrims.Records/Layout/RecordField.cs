namespace MemPrims.Records;

/// <summary>A field of a record by name, for calls that take one. Found in the record's nested <c>Fields</c>.</summary>
/// <param name="Offset">In the fixed part.</param>
public readonly record struct RecordField<TRecord, TValue>(int Offset) where TRecord : allows ref struct;
