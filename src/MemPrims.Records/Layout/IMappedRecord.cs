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
