using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace MemPrims.Tool;

// The usual help of a command, and examples of it.
internal sealed class HelpWithExamples(HelpAction usual) : SynchronousCommandLineAction
{
    private static readonly (string Line, string Does)[] s_examples =
    [
        ("memprims doctor --json", "which instructions run here"),
        ("memprims doctor --expect Vector256", "ends with 3 in any other tier"),
        ("memprims sweep", "how fast it is here"),
        ("memprims sweep --only Copy --csv copy.csv --svg plots", "copies alone, also to files"),
        ("memprims file info orders.pages", "what it is"),
        ("memprims file verify /var/lib/app/log", "the folder of a log"),
        ("memprims file dump stats.rec --layout App.recordlayout --json", "records with their values, an object a line"),
        ("memprims file dump ids.roaring --limit 10", "the first ten ids"),
        ("memprims file dump orders.pages --tree \"by city\"", "one tree of several"),
        ("memprims file salvage stats.rec saved.rec", "what is whole, in a new file"),
        ("memprims message decode --schema app.pb --type app.Order order.bin", "as JSON"),
    ];

    // A wrong command line beside --help is no error.
    public override bool ClearsParseErrors => true;

    public static void AddTo(RootCommand root)
    {
        HelpOption help = root.Options.OfType<HelpOption>().Single();
        help.Action = new HelpWithExamples((HelpAction)help.Action!);
    }

    public override int Invoke(ParseResult parsed)
    {
        int result = usual.Invoke(parsed);
        string start = string.Join(' ', PathOf(parsed.CommandResult.Command));
        (string Line, string Does)[] examples = [.. s_examples.Where(example => $"{example.Line} ".StartsWith($"{start} "))];
        TextWriter output = parsed.InvocationConfiguration.Output;
        output.WriteLine("Examples:");
        int width = examples.Max(example => example.Line.Length) + 2;
        foreach ((string line, string does) in examples) output.WriteLine($"  {line.PadRight(width)}{does}");
        return result;
    }

    // memprims and the commands down to this one.
    public static IEnumerable<string> PathOf(Command command)
    {
        Command? above = command.Parents.OfType<Command>().FirstOrDefault();
        return above is null ? ["memprims"] : [.. PathOf(above), command.Name];
    }
}
