using System.ComponentModel;

namespace MemPrims.Records;

/// <summary>What the generator makes of a type with <see cref="MappedRecordAttribute"/>.</summary>
public interface IMappedRecord<TSelf> where TSelf : IMappedRecord<TSelf>, allows ref struct
{
    /// <summary>Where the fields are.</summary>
    static abstract RecordLayout Layout { get; }

    /// <summary>The record with its setters.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    static abstract TSelf Over(RecordSlot slot);
}

/// <summary>The nested <c>View</c> of a record: the same properties without setters, over the mapped page itself.</summary>
public interface IRecordView<TSelf> where TSelf : IRecordView<TSelf>, allows ref struct
{
    /// <summary>The view over a record's bytes.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    static abstract TSelf Over(RecordBytes bytes);
}

/// <summary>
/// Nothing to pass: left out, it makes the compiler keep what a call returns within the block of the call, so that no span outlives its
/// snapshot.
/// </summary>
public readonly struct CallersBlock;

/// <summary>A field of a record by name, for calls that take one. Found in the record's nested <c>Fields</c>.</summary>
/// <param name="Offset">In the fixed part.</param>
public readonly record struct RecordField<TRecord, TValue>(int Offset) where TRecord : allows ref struct;
