using System.CommandLine;
using System.Diagnostics;
using System.Net;
using System.Text;
using DocumentStore;
using DocumentStore.Cluster;

namespace Docstore;

/// <summary>The commands that ask a cluster. Exit codes are those of the others.</summary>
internal static class ClusterCommands
{
    public static readonly Option<string> s_cluster = new("--cluster")
    {
        Description = "the members: address:port,… with a / between those of two shards",
    };
    private static readonly Option<string> s_atLeast = new("--at-least")
    {
        Description = "the position that a replica must have, as put prints it; without it the leader answers, with all that was " +
            "acknowledged",
    };

    private static readonly Option<int> s_patience = Program.AtLeast(1, new("--patience")
    {
        Description = "how many seconds to try", DefaultValueFactory = static _ => 30,
    });

    public static RootCommand Root() => new("Asks a cluster of document stores.")
    {
        Put(), Get(), Range(), Facets(), Load(), StateCommand.State(),
    };

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
        byte[][]? after = parsed.GetValue(Program.s_after) is { } page ? [.. page.Split('/').Select(Program.Page)] : null;
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
        Option<int> sample = Program.AtLeast(1, new("--sample") { Description = "makes so many orders instead" });
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
        Command command = new(name, what) { s_cluster, s_patience };
        foreach (Symbol symbol in more)
        {
            if (symbol is Argument argument) command.Arguments.Add(argument);
            else command.Options.Add((Option)symbol);
        }
        command.SetAction(async (parsed, _) =>
        {
            using ShardedClient client = new(Shards(parsed), TimeSpan.FromSeconds(parsed.GetValue(s_patience)));
            return await run(parsed, client);
        });
        return command;
    }

    private static long[]? AtLeast(ParseResult parsed) => parsed.GetValue(s_atLeast) is not { } positions ? null :
        [.. positions.Split('/').Select(one => long.TryParse(one, out long position) && position >= 0 ? position
            : throw new ArgumentException($"{positions} is no position: put prints one, a number for each shard with a / between."))];

    public static IPEndPoint[][] Shards(ParseResult parsed) => [.. parsed.GetRequiredValue(s_cluster).Split('/').Select(EndPoints)];

    public static IPEndPoint[] EndPoints(string members) => [.. members.Split(',').Select(EndPoint)];

    // Clients have the next port.
    public static IPEndPoint EndPoint(string text) =>
        IPEndPoint.TryParse(text, out IPEndPoint? address) && address.Port is > 0 and < IPEndPoint.MaxPort ? address
            : throw new ArgumentException($"\"{text}\" is no address with a port, as 10.0.0.1:3262 is.");
}
