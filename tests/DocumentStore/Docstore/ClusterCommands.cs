using System.CommandLine;
using System.Diagnostics;
using System.Net;
using System.Text;
using DocumentStore;
using DocumentStore.Cluster;

namespace Docstore;

/// <summary>The node of a cluster, and the commands that ask one. Exit codes are those of the others.</summary>
internal static class ClusterCommands
{
    // The exit code by which a node asks to be started again.
    private const int EX_TEMPFAIL = 75;

    private static readonly Option<string> s_cluster = new("--cluster")
    {
        Description = "the members: address:port,… with a / between those of two shards",
    };
    private static readonly Option<string> s_atLeast = new("--at-least")
    {
        Description = "the position that a replica must have, as put prints it; without it the leader answers, with all that was " +
            "acknowledged",
    };

    public static RootCommand Root() => new("Asks a cluster of document stores.") { Put(), Get(), Range(), Facets(), Load() };

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
        command.SetAction(async (parsed, cancellationToken) =>
        {
            string[] indexes = parsed.GetValue(index) ?? [], facets = parsed.GetValue(facet) ?? [];
            NodeOptions options = new()
            {
                Id = parsed.GetValue(id), Members = EndPoints(parsed.GetRequiredValue(members)),
                Listen = parsed.GetValue(listen) is { } at ? EndPoint(at) : null,
                Folder = parsed.GetValue(folder) ?? $"node-{parsed.GetValue(id)}",
                Definition = indexes.Length + facets.Length > 0 ? new() { Indexes = indexes, Facets = facets } : null,
                ElectionTimeout = TimeSpan.FromMilliseconds(parsed.GetValue(election)),
                KeepEntries = parsed.GetValue(keep), LogFileBytes = parsed.GetValue(file),
            };
            TaskCompletionSource ended = new();
            using CancellationTokenRegistration _ = cancellationToken.Register(ended.SetResult);
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
        });
        return command;
    }

    private static Command Put()
    {
        Argument<string> key = new("key"), document = new("document");
        return New("put", "puts a document in, and prints the position", async (parsed, client) =>
        {
            byte[] content = Encoding.UTF8.GetBytes(parsed.GetRequiredValue(document));
            Console.WriteLine(string.Join('/', await client.CommitAsync(new Batch().Put(parsed.GetRequiredValue(key), content))));
            return 0;
        }, key, document);
    }

    private static Command Get()
    {
        Argument<string> key = new("key");
        return New("get", "prints a document", async (parsed, client) =>
        {
            byte[]? content = await client.GetAsync(parsed.GetRequiredValue(key), AtLeast(parsed));
            if (content is null) return Program.Fail(1, "There is no such document.");
            Console.WriteLine(Encoding.UTF8.GetString(content));
            return 0;
        }, key, s_atLeast);
    }

    private static Command Range() => New("range", "prints documents in the order of an index", static async (parsed, client) =>
    {
        byte[][]? after = parsed.GetValue(Program.s_after) is { } page ? [.. page.Split('/').Select(Convert.FromHexString)] : null;
        (FoundDocument[] documents, byte[][]? next) = await client.RangeAsync(Program.InRange(parsed), after, AtLeast(parsed));
        foreach (FoundDocument one in documents) Console.WriteLine($"{one.Key} {Encoding.UTF8.GetString(one.Content)}");
        if (next is not null) Console.Error.WriteLine($"more: --after {string.Join('/', next.Select(Convert.ToHexString))}");
        return documents.Length > 0 ? 0 : 1;
    }, Program.s_index, Program.s_from, Program.s_to, Program.s_where, Program.s_limit, Program.s_after, s_atLeast);

    private static Command Facets()
    {
        Argument<string[]> facets = new("facet") { Arity = ArgumentArity.OneOrMore };
        return New("facets", "counts the values of facets", async (parsed, client) =>
        {
            ClusterCounts found = await client.CountAsync(
                parsed.GetRequiredValue(facets), Program.Where(parsed), parsed.GetValue(Program.s_limit), AtLeast(parsed));
            Console.WriteLine($"{found.Total} documents");
            foreach ((string facet, ValueCount[] values) in found.Facets)
                foreach (ValueCount value in values) Console.WriteLine($"{facet}\t{value.Value}\t{value.Count}");
            return found.Total > 0 ? 0 : 1;
        }, facets, Program.s_where, Program.s_limit, s_atLeast);
    }

    private static Command Load()
    {
        Option<string> from = new("--from") { Description = "a file with a JSON document on each line; - is the input" };
        Option<string> key = new("--key") { Description = "the property whose value is the key", DefaultValueFactory = static _ => "id" };
        Option<int> sample = new("--sample") { Description = "makes so many orders instead" };
        return New("load", "puts documents in", async (parsed, client) =>
        {
            int count = parsed.GetValue(sample);
            long start = Stopwatch.GetTimestamp(), done = 0;
            List<TimeSpan> waits = [];
            foreach (Batch batch in Loading.Batches(Loading.From(parsed.GetValue(from), parsed.GetValue(key)!, count), Program.BatchSize))
            {
                long asked = Stopwatch.GetTimestamp();
                await client.CommitAsync(batch);
                waits.Add(Stopwatch.GetElapsedTime(asked));
                done += batch.Count;
            }
            Console.WriteLine($"{done} documents in {Stopwatch.GetElapsedTime(start).TotalSeconds:0.00} s");
            waits.Sort();
            if (waits.Count > 0) Console.WriteLine($"ms a batch: p50 {Wait(0.5):0.0}, p99 {Wait(0.99):0.0}, most {Wait(1):0.0}");
            return 0;

            double Wait(double part) => waits[(int)((waits.Count - 1) * part)].TotalMilliseconds;
        }, from, key, sample);
    }

    private static Command New(string name, string what, Func<ParseResult, ShardedClient, Task<int>> run, params Symbol[] more)
    {
        Command command = new(name, what) { s_cluster };
        foreach (Symbol symbol in more)
        {
            if (symbol is Argument argument) command.Arguments.Add(argument);
            else command.Options.Add((Option)symbol);
        }
        command.SetAction(async (parsed, _) =>
        {
            using ShardedClient client = new([.. parsed.GetRequiredValue(s_cluster).Split('/').Select(EndPoints)]);
            return await run(parsed, client);
        });
        return command;
    }

    private static long[]? AtLeast(ParseResult parsed) => parsed.GetValue(s_atLeast) is not { } positions ? null :
        [.. positions.Split('/').Select(one => long.TryParse(one, out long position) && position >= 0 ? position
            : throw new ArgumentException($"{positions} is no position: put prints one, a number for each shard with a / between."))];

    private static IPEndPoint[] EndPoints(string members) => [.. members.Split(',').Select(EndPoint)];

    // Clients have the next port.
    private static IPEndPoint EndPoint(string text) =>
        IPEndPoint.TryParse(text, out IPEndPoint? address) && address.Port is > 0 and < IPEndPoint.MaxPort ? address
            : throw new ArgumentException($"\"{text}\" is no address with a port, as 10.0.0.1:3262 is.");
}
