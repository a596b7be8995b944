using System.Text.Json;

namespace DocumentStore.Cluster;

/// <summary>
/// Brings what is committed into the collection, in order. A document of it says how far, and others which batches of clients have been
/// applied; they change together with the rest. Threads: one of its own applies; any may read.
/// </summary>
internal sealed class Replica : IAsyncDisposable
{
    /// <summary>The key of the document that says how far, and the beginning of those of <see cref="ClientNumbers"/>.</summary>
    public const string StateKey = "\0cluster";

    /// <summary>How many documents are the cluster's own, once there is any.</summary>
    public const int OwnDocuments = 1 + ClientNumbers.Documents;

    private const int MostBytes = 4 << 20;

    private readonly RaftFile _file;
    private readonly CancellationTokenSource _stop = new();
    private readonly ClientNumbers _numbers;
    private readonly int _keeps;

    public Replica(RaftFile file, string folder, Definition? definition, int keeps)
    {
        (_file, _keeps) = (file, keeps);
        MakeFirst(folder, definition ?? new());
        Collection = Collection.Open(folder, definition);
        try
        {
            _numbers = new(Collection);
            // An array has no fields, so this is in no index.
            long[] state = Collection.TryGet(StateKey, out ReadOnlySpan<byte> json) ? JsonSerializer.Deserialize<long[]>(json)! : [0, 0];
            file.Progress.Committed = file.Progress.Applied = state[0];
            file.GoOnFrom(state[0], state[1]);
        }
        catch
        {
            Collection.Dispose();
            throw;
        }
        Applying = Task.Run(ApplyAsync);
    }

    public Collection Collection { get; }

    /// <summary>Ends by <see cref="DisposeAsync"/>, or fails with the disk.</summary>
    public Task Applying { get; }

    /// <summary>Whether a key is the cluster's own.</summary>
    public static bool IsOwn(string key) => key.StartsWith(StateKey, StringComparison.Ordinal);

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await Applying.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        Collection.Dispose();
        _stop.Dispose();
    }

    private async Task ApplyAsync()
    {
        RaftProgress progress = _file.Progress;
        try
        {
            while (true)
            {
                await progress.UntilAsync(() => progress.Committed > progress.Applied, _stop.Token).ConfigureAwait(false);
                Apply();
            }
        }
        catch (OperationCanceledException)
        {
            // The node is being closed.
        }
    }

    // Batches that wait are applied together: one sync serves them all.
    private void Apply()
    {
        Batch batch = new();
        long at = _file.Progress.Applied, end = _file.Progress.Committed;
        for (long bytes = 0; at < end && bytes < MostBytes;)
        {
            byte[] proposal = _file.ContentOf(++at);
            bytes += proposal.Length;
            // A leader begins with an empty entry.
            if (proposal.Length == 0) continue;
            (Guid client, long number) = Proposal.Head(proposal);
            if (_numbers.TryTake(client, number, at)) Proposal.AddTo(batch, proposal);
        }
        if (batch.Count > 0)
        {
            _numbers.AddTo(batch);
            Collection.Commit(batch.Put(StateKey, JsonSerializer.SerializeToUtf8Bytes((long[])[at, _file.TermOf(at)])));
            Cut(at);
        }
        _file.Progress.Applied = at;
    }

    // The collection is on the disk up to here, so it is the snapshot. Who takes one finds what follows it.
    private void Cut(long saved)
    {
        long keeps = _file.IsHeld ? 10L * _keeps : _keeps;
        if (saved - _file.Head.Index >= 2 * keeps) _file.CutTo(saved - keeps);
    }

    // A collection without a definition would be left where a crash stops the first start, and no node could open it.
    private static void MakeFirst(string folder, Definition definition)
    {
        string made = folder + ".new";
        if (Directory.Exists(folder)) return;
        if (Directory.Exists(made)) Directory.Delete(made, recursive: true);
        Collection.Open(made, definition).Dispose();
        Directory.Move(made, folder);
    }
}
