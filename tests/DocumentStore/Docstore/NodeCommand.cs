using System.CommandLine;
using System.Runtime.InteropServices;
using DocumentStore.Cluster;

namespace Docstore;

/// <summary>Runs a node of a cluster. Exit codes are those of the others, and one more.</summary>
internal static class NodeCommand
{
    // The exit code by which a node asks to be started again.
    private const int EX_TEMPFAIL = 75;

    public static Command Cluster() => new("cluster", "keeps a collection on several machines") { Node() };

    private static Command Node()
    {
        Option<int> id = new("--id") { Description = "which of the members this is, from 1 on", Required = true };
        Option<string> listen = new("--listen") { Description = "where to listen, if not at the member's address" };
        Option<string> members = new("--members") { Description = "address:port,… of all; clients have the next port", Required = true };
        Option<string> folder = new("--folder") { Description = "where to keep it; node-ID unless told" };
        Option<string[]> index = new("--index") { Description = "a path to keep in order" };
        Option<string[]> facet = new("--facet") { Description = "a path to count by" };
        Option<int> election = new("--election-ms")
        {
            Description = "how long to wait for a leader", DefaultValueFactory = static _ => 500,
        };
        Option<int> keep = new("--keep-entries") { Description = "so much of Raft's log stays", DefaultValueFactory = static _ => 1000 };
        Option<long> file = new("--log-file-bytes") { Description = "length of its files", DefaultValueFactory = static _ => 16 << 20 };
        Command command = new("node", "runs a node until it is ended") { id, listen, members, folder, index, facet, election, keep, file };
        command.SetAction(async (parsed, _) =>
        {
            string[] indexes = parsed.GetValue(index) ?? [], facets = parsed.GetValue(facet) ?? [];
            NodeOptions options = new()
            {
                Id = parsed.GetValue(id), Members = ClusterCommands.EndPoints(parsed.GetRequiredValue(members)),
                Listen = parsed.GetValue(listen) is { } at ? ClusterCommands.EndPoint(at) : null,
                Folder = parsed.GetValue(folder) ?? $"node-{parsed.GetValue(id)}",
                Definition = indexes.Length + facets.Length > 0 ? new() { Indexes = indexes, Facets = facets } : null,
                ElectionTimeout = TimeSpan.FromMilliseconds(parsed.GetValue(election)),
                KeepEntries = parsed.GetValue(keep), LogFileBytes = parsed.GetValue(file),
            };
            TaskCompletionSource ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
            using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, End),
                terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, End);
            // A node that has taken a snapshot over starts again.
            while (!ended.Task.IsCompleted)
            {
                try
                {
                    await using Node node = await DocumentStore.Cluster.Node.StartAsync(options);
                    Console.WriteLine("ready");
                    await await Task.WhenAny(node.Ended, ended.Task);
                }
                catch (TimeoutException e)
                {
                    Console.Error.WriteLine(e.Message);
                    return EX_TEMPFAIL;
                }
            }
            return 0;

            void End(PosixSignalContext signal)
            {
                signal.Cancel = true;
                ended.TrySetResult();
            }
        });
        return command;
    }
}
