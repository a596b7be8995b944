using System.CommandLine;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using DocumentStore;
using DocumentStore.Cluster;
using DocumentStore.Index;
using Spectre.Console;

namespace Docstore;

/// <summary>The command. Exit codes: 0 done, 1 nothing found or not verified, 2 wrong use, 3 the disk or the data.</summary>
internal static class Program
{
    internal const int BatchSize = 500;

    // A key may begin with @, which is no file of words.
    private static readonly ParserConfiguration s_literally = new() { ResponseFileTokenReplacer = null };

    private static readonly Argument<string> s_folder = new("folder") { Description = "the folder of the collection" };

    private static int Main(string[] args)
    {
        if (IndexWorker.TryRun(args, out int code)) return code;
        try
        {
            ParseResult parsed = (args.Any(IsCluster) ? ClusterCommands.Root() : Root()).Parse(args, s_literally);
            if (parsed.Errors.Count > 0)
                return Fail(2, $"{string.Join(' ', parsed.Errors.Select(static one => one.Message))} See docstore --help.");
            return parsed.Invoke(new() { EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = null });
        }
        catch (Exception e) when (e is ArgumentException or FormatException or JsonException)
        {
            return Fail(2, e.Message);
        }
        catch (Exception e) when (e is IOException or TimeoutException or UnauthorizedAccessException or SocketException)
        {
            return Fail(3, e.Message);
        }
    }

    private static bool IsCluster(string word) => word == "--cluster" || word.StartsWith("--cluster=", StringComparison.Ordinal);

    internal static int Fail(int code, string what)
    {
        Console.Error.WriteLine($"docstore: {what.ReplaceLineEndings(" ")}");
        return code;
    }

    private static RootCommand Root() => new("A document store made of MemPrims. With --cluster in the place of a folder put, get, range, "
        + "facets, load and state ask a cluster: docstore put --cluster x --help.")
    {
        Load(), Get(), Range(), Facets(), Verify(), Stats(), Compact(), NodeCommand.Cluster(),
    };

    private static Command New(string name, string what, Func<ParseResult, string, int> run, params Symbol[] more)
    {
        Command command = new(name, what) { s_folder };
        foreach (Symbol symbol in more)
        {
            if (symbol is Argument argument) command.Arguments.Add(argument);
            else command.Options.Add((Option)symbol);
        }
        command.SetAction(parsed => run(parsed, parsed.GetRequiredValue(s_folder)));
        return command;
    }

    private static Command Load()
    {
        Option<string> from = new("--from") { Description = "a file with a JSON document on each line; - is the input" };
        Option<string> key = new("--key") { Description = "the property whose value is the key", DefaultValueFactory = static _ => "id" };
        Option<int> sample = AtLeast(1, new("--sample") { Description = "makes so many orders instead" });
        Option<string[]> index = new("--index") { Description = "a path to keep in order; several are allowed" };
        Option<string[]> facet = new("--facet") { Description = "a path to count by; several are allowed" };
        return New("load", "puts documents in", (parsed, folder) =>
        {
            int count = parsed.GetValue(sample);
            string[] indexes = parsed.GetValue(index) ?? [], facets = parsed.GetValue(facet) ?? [];
            if (count > 0 && indexes.Length + facets.Length == 0) (indexes, facets) = (Sample.Indexes, Sample.Facets);
            if (NodeOptions.IsCollectionOfNode(folder))
                throw new ArgumentException($"{folder} is the collection of a node, and others would lack the documents: load --cluster.");
            using Collection collection = Collection.Open(folder,
                indexes.Length + facets.Length > 0 ? new() { Indexes = indexes, Facets = facets } : null);
            return Loading.Run(collection, Loading.From(parsed.GetValue(from), parsed.GetValue(key)!, count), BatchSize);
        }, from, key, sample, index, facet);
    }

    private static Command Get()
    {
        Argument<string> key = new("key") { Description = "the key of a document" };
        return New("get", "prints a document", (parsed, folder) =>
        {
            using Collection collection = Collection.Open(folder);
            if (!collection.TryGet(parsed.GetRequiredValue(key), out ReadOnlySpan<byte> content)) return Fail(1,
                "There is no such document.");
            Console.WriteLine(Encoding.UTF8.GetString(content));
            return 0;
        }, key);
    }

    internal static readonly Option<string[]> s_where = new("--where")
    {
        Description = "facet=value; several are allowed, and all must hold",
    };
    internal static readonly Option<int> s_limit = AtLeast(0, new("--limit")
    {
        Description = "how many to print", DefaultValueFactory = static _ => 20,
    });

    internal static readonly Argument<string> s_index = new("index") { Description = "the path of an index" };
    internal static readonly Option<string> s_from = new("--from") { Description = "the first value" };
    internal static readonly Option<string> s_to = new("--to") { Description = "values below this one" };
    internal static readonly Option<string> s_after = new("--after") { Description = "what the page before ended with" };

    internal static (string Facet, string Value)[] Where(ParseResult parsed) => [.. (parsed.GetValue(s_where) ?? []).Select(
        static where => where.IndexOf('=') is > 0 and int at ? (where[..at], where[(at + 1)..])
            : throw new ArgumentException($"{where} is no facet=value."))];

    private static FieldValue? Value(string? text) => text is null ? null
        : double.TryParse(text, out double number) ? number : bool.TryParse(text, out bool truth) ? truth : (FieldValue?)text;

    private static Command Range()
    {
        return New("range", "prints documents in the order of an index", (parsed, folder) =>
        {
            using Collection collection = Collection.Open(folder);
            collection.WaitForIndex(collection.End, TimeSpan.FromMinutes(10));
            QueryResult found = collection.Find(InRange(parsed) with
            {
                After = parsed.GetValue(s_after) is { } page ? Page(page) : null,
            });
            foreach (Document one in found.Documents) Console.WriteLine($"{one.Key} {Encoding.UTF8.GetString(one.Content)}");
            if (found.Next is { } next) Console.Error.WriteLine($"more: --after {Convert.ToHexString(next)}");
            return found.Documents.Length > 0 ? 0 : 1;
        }, s_index, s_from, s_to, s_where, s_limit, s_after);
    }

    internal static byte[] Page(string text)
    {
        try
        {
            return Convert.FromHexString(text);
        }
        catch (FormatException e)
        {
            throw new ArgumentException($"{text} is nothing for --after: the page before ended with what it takes.", e);
        }
    }

    internal static Option<int> AtLeast(int least, Option<int> option)
    {
        option.Validators.Add(given =>
        {
            // What is no number the parser tells.
            if (given.Tokens is [{ Value: { } text }] && int.TryParse(text, out int number) && number < least)
                given.AddError($"{option.Name} is {least} at least.");
        });
        return option;
    }

    internal static Query InRange(ParseResult parsed) => new()
    {
        Index = parsed.GetRequiredValue(s_index), From = Value(parsed.GetValue(s_from)), To = Value(parsed.GetValue(s_to)),
        Where = Equal(parsed), Limit = parsed.GetValue(s_limit),
    };

    private static (string, FieldValue)[] Equal(ParseResult parsed) =>
        [.. Where(parsed).Select(static one => (one.Facet, (FieldValue)one.Value))];

    private static Command Facets()
    {
        Argument<string[]> facets = new("facet") { Description = "paths of facets", Arity = ArgumentArity.OneOrMore };
        return New("facets", "counts the values of facets", (parsed, folder) =>
        {
            using Collection collection = Collection.Open(folder);
            collection.WaitForIndex(collection.End, TimeSpan.FromMinutes(10));
            QueryResult found = collection.Find(new()
            {
                Where = Equal(parsed), Facets = parsed.GetRequiredValue(facets), Top = parsed.GetValue(s_limit), Limit = 0,
            });
            Console.WriteLine($"{found.Total} documents");
            foreach ((string facet, ValueCount[] values) in found.Facets)
                foreach (ValueCount value in values) Console.WriteLine($"{facet}\t{value.Value}\t{value.Count}");
            return found.Total > 0 ? 0 : 1;
        }, facets, s_where, s_limit);
    }

    private static Command Verify() => New("verify", "compares log, keys and indexes with each other", static (_, folder) =>
    {
        using Collection collection = Collection.Open(folder);
        collection.WaitForIndex(collection.End, TimeSpan.FromMinutes(10));
        if (collection.Verify() is { } wrong) return Fail(1, wrong);
        Console.WriteLine($"{collection.Count} documents, all is well");
        return 0;
    });

    private static Command Stats() => New("stats", "tells of the documents and indexes", static (_, folder) =>
    {
        using Collection collection = Collection.Open(folder);
        collection.WaitForIndex(collection.End, TimeSpan.FromMinutes(10));
        Table table = new Table().AddColumns("", "entries");
        foreach ((string name, long entries) in collection.Statistics()) table.AddRow(Markup.Escape(name), $"{entries}");
        table.AddRow("superseded bytes of the log", $"{collection.Superseded}");
        AnsiConsole.Write(table);
        return 0;
    });

    private static Command Compact() => New("compact", "drops what is superseded", static (_, folder) =>
    {
        using Collection collection = Collection.Open(folder);
        long before = collection.Superseded;
        collection.Compact();
        Console.WriteLine($"{before} bytes of the log were superseded, {collection.Superseded} still are");
        return 0;
    });
}
