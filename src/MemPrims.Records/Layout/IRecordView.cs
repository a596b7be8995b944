namespace MemPrims.Records;

/// <summary>The nested <c>View</c> of a record: the same properties without setters, over the mapped page itself.</summary>
public interface IRecordView<TSelf> where TSelf : IRecordView<TSelf>, allows ref struct
{
    /// <summary>The view over a record's bytes.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    static abstract TSelf Over(RecordBytes bytes);
}
