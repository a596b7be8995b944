using System.Text.Json;
using System.Text.Json.Serialization;

namespace DocumentStore.Cluster;

/// <summary>
/// Brings what is committed into the collection, in order. A document of it says how far, and which batches of clients have been applied;
/// it changes together with the others. Threads: one of its own applies; any may read.
/// </summary>
internal sealed class Replica : IAsyncDisposable
{
    /// <summary>The key of that document.</summary>
    public const string StateKey = "\0cluster";

    // A client that has been silent while so many others wrote is forgotten: a batch that it repeats then may count twice.
    private const int MostClients = 1000, MostBytes = 4 << 20;

    private readonly RaftFile _file;
    private readonly CancellationTokenSource _stop = new();
    private readonly Dictionary<Guid, (long Number, long At)> _clients = [];
    private readonly int _keeps;

    public Replica(RaftFile file, string folder, Definition? definition, int keeps)
    {
        (_file, _keeps) = (file, keeps);
        Collection = Collection.Open(folder, definition ?? (Directory.Exists(folder) ? null : new()));
        State state = new(0, 0, []);
        if (Collection.TryGet(StateKey, out ReadOnlySpan<byte> json))
        {
            state = JsonSerializer.Deserialize<State>(json)!;
            foreach ((Guid id, long[] last) in state.Clients) _clients[id] = (last[0], last[1]);
            file.Progress.Committed = file.Progress.Applied = state.Applied;
        }
        file.GoOnFrom(state.Applied, state.Term);
        Applying = Task.Run(ApplyAsync);
    }

    public Collection Collection { get; }

    /// <summary>Ends by <see cref="DisposeAsync"/>, or fails with the disk.</summary>
    public Task Applying { get; }

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
            if (_clients.TryGetValue(client, out (long Number, long At) last) && number <= last.Number) continue;
            _clients[client] = (number, at);
            if (_clients.Count > MostClients) _clients.Remove(_clients.MinBy(static one => one.Value.At).Key);
            Proposal.AddTo(batch, proposal);
        }
        if (batch.Count > 0)
        {
            State state = new(at, _file.TermOf(at), _clients.ToDictionary(
                static one => one.Key, static one => new[] { one.Value.Number, one.Value.At }));
            Collection.Commit(batch.Put(StateKey, JsonSerializer.SerializeToUtf8Bytes(state)));
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

    /// <param name="Applied">The index of the last entry that is in the collection.</param>
    /// <param name="Term">That entry's term.</param>
    /// <param name="Clients">Of each client its last batch's number, and where that was.</param>
    private sealed record State(long Applied, [property: JsonRequired] long Term, Dictionary<Guid, long[]> Clients);
}
