namespace MemPrims.Guard;

/// <summary>A row of the table. What it works on is made when its turn comes.</summary>
internal sealed record Row(string Name, Func<Work> Prepare);

/// <summary>The batches of a row, ours and, where there is one, a peer's; both do this many operations.</summary>
internal sealed record Work(int Operations, Func<long> Ours, string? Peer = null, Func<long>? Theirs = null)
{
    /// <summary>Draws the inputs anew, before each batch.</summary>
    public Action Redraw { get; init; } = static () => { };

    public Action Close { get; init; } = static () => { };
}

/// <summary>The rows of one file. A commit whose API a file does not fit is measured without that file.</summary>
internal interface IRows
{
    IEnumerable<Row> All { get; }
}
