using System.Net;

namespace DocumentStore.Cluster;

/// <summary>
/// Takes a leader's snapshot over, in pieces that each have a checksum, into a folder beside the collection; after a crash it goes on
/// where it was. A whole one takes the collection's place when the node starts again. DotNext itself would have to send all of it within
/// the timeout of one request, so what it sends is the offer. Threads: any.
/// </summary>
internal sealed class SnapshotTaker(NodeOptions options, RaftFile file) : IAsyncDisposable
{
    public const int PieceBytes = 1 << 20;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);
    private readonly Lock _lock = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly TaskCompletionSource _taken = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly string _part = PartOf(options.Folder), _whole = WholeOf(options.Folder);
    private Task _taking = Task.CompletedTask;

    /// <summary>Ends when the node has to start again.</summary>
    public Task Taken => _taken.Task;

    /// <summary>Where the collection of a node lies.</summary>
    public static string CollectionOf(string folder) => Path.Combine(folder, "collection");

    /// <summary>Puts a whole snapshot in the place of the collection, which nobody has open. A crash leaves it to the next time.</summary>
    public static void Install(string folder)
    {
        string collection = CollectionOf(folder);
        if (!Directory.Exists(WholeOf(folder))) return;
        for (int left = 500; Directory.Exists(collection); left--)
        {
            try
            {
                Directory.Delete(collection, recursive: true);
            }
            catch (IOException) when (left > 0)
            {
                // The worker of a node that was killed may still be saving.
                Thread.Sleep(20);
            }
        }
        Directory.Move(WholeOf(folder), collection);
    }

    public void Begin(Snapshot offer)
    {
        lock (_lock)
        {
            if (_taking.IsCompleted && !Taken.IsCompleted && !_stop.IsCancellationRequested) _taking = Task.Run(() => TakeAsync(offer));
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _taking.ConfigureAwait(false);
        _stop.Dispose();
    }

    internal static string PartOf(string folder) => Path.Combine(folder, "snapshot.part");

    internal static string WholeOf(string folder) => Path.Combine(folder, "snapshot");

    private async Task TakeAsync(Snapshot offer)
    {
        try
        {
            if (Snapshot.IdOf(_part) != offer.Id) Drop();
            Directory.CreateDirectory(_part);
            Snapshot.Identify(_part, offer.Id);
            using ClusterClient client = new(options.Members, s_patience);
            foreach ((long first, long end) in offer.Files.Zip([.. offer.Files.Skip(1), offer.End]))
                await TakeFileAsync(client, offer, first, end).ConfigureAwait(false);
            // Reads and checks all of it: each piece is as it was sent, and the other disk may have rotted.
            using (LogFile log = LogFile.Open(_part))
                if (log.End < offer.End) throw new DamagedDataException($"Its log ends at {log.End}, and not at {offer.End}.");
            if (!file.TryKeep(offer.Head.Index)) Drop();
            else
            {
                // From here on it is a collection of its own.
                File.Delete(Snapshot.IdPathOf(_part));
                Directory.Move(_part, _whole);
                _taken.SetResult();
            }
        }
        catch (Exception e) when (e is DamagedDataException or MappedFileException)
        {
            options.Tell($"The snapshot of member {offer.Member} is refused: {e.Message}");
            Drop();
        }
        catch (Exception e) when (e is TimeoutException or ArgumentException or OperationCanceledException)
        {
            if (!_stop.IsCancellationRequested) options.Tell($"The snapshot of member {offer.Member} cannot be taken now: {e.Message}");
        }
        catch (IOException e)
        {
            file.Progress.Fail(e);
        }
    }

    private async Task TakeFileAsync(ClusterClient client, Snapshot offer, long first, long end)
    {
        using FileStream to = new(Snapshot.PathOf(_part, first), FileMode.OpenOrCreate);
        to.Position = to.Length / PieceBytes * PieceBytes;
        while (first + to.Position < end)
        {
            _stop.Token.ThrowIfCancellationRequested();
            int bytes = (int)Math.Min(PieceBytes, end - first - to.Position);
            to.Write(await client.PieceAsync(offer.Member, offer.Id, first + to.Position, bytes).ConfigureAwait(false));
        }
        to.SetLength(end - first);
        to.Flush(flushToDisk: true);
    }

    private void Drop()
    {
        if (Directory.Exists(_part)) Directory.Delete(_part, recursive: true);
    }
}
