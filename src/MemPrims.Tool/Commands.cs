using System.CommandLine;
using System.CommandLine.Parsing;

namespace MemPrims.Tool;

// The commands of `memprims`, their options and help texts.
internal static class Commands
{
    public static int Invoke(string[] args)
    {
        RootCommand root = new("MemPrims: memory primitives for storage engines. Ends with 0 when all is well, 1 when nothing could be "
            + "done (usage, missing or foreign files), 2 when a file is damaged, 3 when a check does not hold.")
        {
            Doctor(), Sweep(), FileCommands(), Message(),
        };
        HelpWithExamples.AddTo(root);
        ParseResult parsed = root.Parse([.. Words(args)], new ParserConfiguration { ResponseFileTokenReplacer = null });
        if (parsed.Errors.Count == 0 || parsed.Action is System.CommandLine.Help.HelpAction or HelpWithExamples)
            return parsed.Invoke(new InvocationConfiguration { EnableDefaultExceptionHandler = false });
        string path = string.Join(' ', HelpWithExamples.PathOf(parsed.CommandResult.Command));
        return Failure.Tell(Exit.Usage, parsed.UnmatchedTokens is [var word, ..] ? $"{Unknown(parsed, word)}: see {path} --help."
            // The parser's lists have a line and a tab before each value.
            : $"{string.Join(" ", parsed.Errors.Select(error => error.Message)).Replace("\t", "")} See {path} --help.");
    }

    // The parser drops the empty value of --option= and takes the next word in its place.
    private static IEnumerable<string> Words(string[] args)
    {
        bool mayBeOption = true;
        foreach (string word in args)
        {
            mayBeOption &= word != "--";
            bool isEmpty = mayBeOption && word is ['-', '-', ..] && word.IndexOfAny(['=', ':']) == word.Length - 1;
            yield return isEmpty ? word[..^1] : word;
            if (isEmpty) yield return "";
        }
    }

    private static string Unknown(ParseResult parsed, string word) => word is ['-', _, ..] ? $"There is no option {word}"
        : parsed.CommandResult.Command.Subcommands.Count > 0 ? $"There is no command {word}" : $"{word} is one argument too many";

    private static Command Doctor()
    {
        Option<Tier?> expect = new("--expect") { Description = "The tier that should be in use; the command ends with 3 when it is not." };
        expect.AcceptOnlyFromAmong(StringComparer.OrdinalIgnoreCase, Enum.GetNames<Tier>());
        Option<bool> json = Json();
        Command doctor = new("doctor",
            "Tells which instruction tier, backend and checksum path MemPrims uses on this machine.") { expect, json };
        doctor.SetAction(parsed => DoctorCommand.Run(parsed.GetValue(expect), parsed.GetValue(json)));
        return doctor;
    }

    private static Command Sweep()
    {
        Option<string?> only = new("--only")
        { HelpName = "words", Description = "Measure the cases with this in their operation or name." };
        Option<double> seconds = new("--seconds")
        {
            HelpName = "number", Description = "Seconds measured per case.", DefaultValueFactory = _ => 0.12,
            CustomParser = parsed =>
            {
                bool isNumber = double.TryParse(parsed.Tokens[0].Value, CultureInfo.InvariantCulture, out double value);
                if (!isNumber || value is not (> 0 and < 60)) parsed.AddError("--seconds takes a number above 0 and below 60.");
                return value;
            },
        };
        Option<bool> json = Json();
        Option<string?> csv = At("--csv", "file", "Write the results to this file, too.");
        Option<string?> svg = At("--svg", "folder", "Write plots of time against size into this folder, too.");
        Command sweep = new("sweep",
            "Measures searches, then Block.Compare, Equal and Copy by size, beside .NET's own routines, in about a minute. "
            + "A ratio above 1 is in our favour.") { only, seconds, json, csv, svg };
        sweep.SetAction(parsed => SweepCommand.Run(parsed.GetValue(only), parsed.GetValue(seconds),
            new(parsed.GetValue(json), parsed.GetValue(csv), parsed.GetValue(svg))));
        return sweep;
    }

    private static Command FileCommands()
    {
        Argument<string> path = new("path") { Description = "The file; of a log, its folder.", Validators = { RequirePath } };
        Option<bool> json = Json();
        Option<string?> layout = At("--layout", "file", "For records: the .recordlayout of the program that wrote them.");
        Command info = new("info", "Tells what a file is, and what its header says.") { path, layout, json };
        info.SetAction(parsed => FileCommand.Info(parsed.GetRequiredValue(path), parsed.GetValue(layout), parsed.GetValue(json)));

        Command verify = new("verify", "Reads and checks all of a file.") { path, layout, json };
        verify.SetAction(parsed => FileCommand.Verify(parsed.GetRequiredValue(path), parsed.GetValue(layout), parsed.GetValue(json)));

        Option<long?> limit = new("--limit")
        {
            HelpName = "count", Description = "The most entries. [default: all]",
            CustomParser = parsed =>
            {
                if (long.TryParse(parsed.Tokens[0].Value, NumberStyles.None, CultureInfo.InvariantCulture, out long most)) return most;
                parsed.AddError("--limit takes a number from 0 on.");
                return null;
            },
        };
        Option<string?> tree = new("--tree")
        {
            HelpName = "name",
            Description = "For sorted pages: this tree alone, named as the dump names it. \"\" is the tree without a name.",
        };
        Command dump = new("dump", "Writes out the entries of a file, one a line: values between tabs, or JSON objects. Keys, values and "
            + "payloads are text in quotes where all of it can be shown, else 0x and hexadecimal digits; in JSON they are base64.")
            { path, limit, tree, layout, json };
        dump.SetAction(parsed => FileCommand.Dump(parsed.GetRequiredValue(path), parsed.GetValue(layout), parsed.GetValue(tree),
            parsed.GetValue(json), parsed.GetValue(limit) ?? long.MaxValue));

        Argument<string> newPath = new("new path")
        { Description = "A file, or a log's folder, that is not there yet.", Validators = { RequirePath } };
        Command salvage = new("salvage", "Copies what is sound of a damaged file into a new one. Ends with 2 when parts were lost.")
            { path, newPath, layout, json };
        salvage.SetAction(parsed => FileCommand.Salvage(parsed.GetRequiredValue(path), parsed.GetRequiredValue(newPath),
            parsed.GetValue(layout), parsed.GetValue(json)));

        return new("file", "Looks into files of records, logs, sorted pages, sets and facets. It says which it is by the first bytes, and "
            + "never changes it.") { info, verify, dump, salvage };
    }

    private static Command Message()
    {
        Option<string?> schema = At("--schema", "file", "A descriptor set, as protoc --descriptor_set_out --include_imports writes it.");
        schema.Required = true;
        Option<string> type = new("--type") { HelpName = "name", Description = "The full name of the message's type.", Required = true };
        Option<bool> compact = new("--compact") { Description = "The JSON in one line." };
        Argument<string> file = new("file") { Description = "The message; - is standard input.", Validators = { RequirePath } };
        Command decode = new("decode", "Writes a protobuf message as JSON.") { schema, type, compact, file };
        decode.SetAction(parsed => MessageCommand.Decode(parsed.GetRequiredValue(schema)!, parsed.GetRequiredValue(type),
            parsed.GetRequiredValue(file), parsed.GetValue(compact)));
        return new("message", "Looks into protobuf messages.") { decode };
    }

    private static Option<string?> At(string name, string what, string description) =>
        new(name) { HelpName = what, Description = description, Validators = { RequirePath } };

    private static void RequirePath(SymbolResult given)
    {
        if (given.Tokens.Any(token => token.Value.Length == 0)) given.AddError("A path is not empty.");
    }

    private static Option<bool> Json() => new("--json") { Description = "Print JSON." };
}
