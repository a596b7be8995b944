namespace DocumentStore.Index;

/// <summary>
/// A request has its kind, its number, up to where the log is on the disk, and where it begins. The answer begins with the number.
/// </summary>
internal enum Request : byte
{
    /// <summary>Nothing more, and no answer.</summary>
    Feed,

    /// <summary>How far has the worker come?</summary>
    State,

    /// <summary>The same, and see Query.Write and QueryResult.Read.</summary>
    Query,

    /// <summary>Bring to the disk what the log has up to a position. The answer is how far it is there.</summary>
    Save,

    /// <summary>Compare the indexes with the documents. The answer is whether that is done, and what is wrong.</summary>
    Verify,
}
