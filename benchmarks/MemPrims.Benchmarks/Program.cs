using System.CommandLine;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using MemPrims.Benchmarks;
using MemPrims.Benchmarks.Against;
using MemPrims.Benchmarks.Channels;
using MemPrims.Benchmarks.Cold;
using MemPrims.Benchmarks.Latency;
using MemPrims.Benchmarks.Publish;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Benchmarks.Sets;
using MemPrims.Benchmarks.Wire;

// Processes that the commands start. Those of `wire-cold` come first because their time runs from here.
if (args is ["wire-cold", "ours" or "generated", _]) return WireCold.RunChild(args[1], args[2]);
if (args is [ColdCommand.ChildVerb, string routine, string length, string side])
    return ColdCommand.RunChild(routine, int.Parse(length), side == "ours");
if (args is [FacetCold.ChildVerb, string who, string folder, string hits]) return FacetCold.RunChild(who, folder, int.Parse(hits));
if (args is [FirstCalls.ChildVerb, string call]) return FirstCalls.RunChild(call);
if (args is [SizeSweep.ChildVerb, string tier, string perPoint])
    return SizeSweep.RunChild(tier, double.Parse(perPoint, System.Globalization.CultureInfo.InvariantCulture));
if (args is ["channels-partner", ..]) return Partner.Run(args);

// Options without a command go to BenchmarkDotNet: `--filter *`, `--list flat`, `--job short`.
if (args is [['-', ..], ..] and not ["--help" or "-h" or "-?" or "--version"])
{
    if (TierJobs.TakeBasis(ref args) is not { } basis) return 1;
    IEnumerable<Summary> summaries = BenchmarkSwitcher.FromAssembly(typeof(RatioCommand).Assembly).Run(args, new TierJobs(basis));
    return summaries.Any(s => s.HasCriticalValidationErrors || s.Reports.Any(report => !report.Success)) ? 1 : 0;
}

Argument<string?> filter = new("filter")
{
    Description = "Part of a case's group, name or class; all cases without it.",
    Arity = ArgumentArity.ZeroOrOne
};
// What looks like an option and is none of the command's would otherwise be taken for the filter.
filter.Validators.Add(parsed =>
{
    if (parsed.Tokens is [{ Value: ['-', ..] option }]) parsed.AddError($"There is no option '{option}' here.");
});
Option<bool> json = new("--json") { Description = "Print the results as JSON instead of tables." };
Option<double> seconds = Above0(new Option<double>("--seconds")
{ Description = "Seconds measured per case, after the warm-up.", DefaultValueFactory = _ => 0.25 });
Command ratio = new("ratio", "Measures MemPrims against its peers as interleaved pairs; a ratio above 1 is in our favour.")
    { filter, json, seconds };
ratio.SetAction(parsed => RatioCommand.Run(parsed.GetValue(filter), parsed.GetValue(json), parsed.GetValue(seconds)));
Option<double> each = Above0(new Option<double>("--seconds")
{ Description = "Seconds measured per contender, after the warm-up.", DefaultValueFactory = _ => 0.5 });
Command latency = new("latency", "Tells p50 and p99 of single operations on records, bytes allocated, and bytes written per commit.")
    { filter, each };
latency.SetAction(parsed => LatencyCommand.Run(parsed.GetValue(filter), parsed.GetValue(each)));
Option<bool> strict = new("--strict") { Description = "End with 1 when a routine takes more than twice the BCL's time." };
Command cold = new("cold", "Tells ns a call in the first 150 ms of processes with one processor, for every public routine of "
    + "Compare and Copy and the search in a page.") { filter, strict };
cold.SetAction(parsed => ColdCommand.Run(parsed.GetValue(filter), parsed.GetValue(strict)));
Argument<DirectoryInfo> packages = new("packages") { Description = "A folder with the four packages: `dotnet pack MemPrims.sln -o`." };
packages.AcceptExistingOnly();
Argument<string?> callFilter = new("filter")
{
    Description = "Part of a call's name; with it no page is written.",
    Arity = ArgumentArity.ZeroOrOne
};
Option<DirectoryInfo> results = new("--to")
{
    Description = "The folder of all processors' results.",
    DefaultValueFactory = _ => new("benchmarks/results")
};
Command firstCalls = new("first-calls", "Tells how long the first calls of new processes take, by the plain assemblies of packages and "
    + "by the precompiled ones; writes first-calls.md.") { packages, callFilter, results };
firstCalls.SetAction(parsed => FirstCallsCommand.Run(parsed.GetValue(packages)!, parsed.GetValue(callFilter), parsed.GetValue(results)!));
Command wireCold = new("wire-cold", "Tells how long a new process takes for its first protobuf messages, beside generated code.");
wireCold.SetAction(_ => WireCold.Run());
Command facetCold = new("facet-cold", "Tells how long a new process takes for its first counts of facets, beside a loop by hand.");
facetCold.SetAction(_ => FacetCold.Run());
Argument<string> commit = new("commit") { Description = "What to compare with: a commit, a tag, a branch." };
Argument<string?> rowFilter = new("filter")
{ Description = "Part of a row's name; all rows without it.", Arity = ArgumentArity.ZeroOrOne };
Command against = new("against", "Tells which everyday operations are slower than at a commit, or allocate more; ends with 3 then.")
    { commit, rowFilter };
against.SetAction(parsed => AgainstCommand.Run(parsed.GetValue(commit)!, parsed.GetValue(rowFilter)));
return new RootCommand("Benchmarks of MemPrims. Without a command, options go to BenchmarkDotNet: --list flat, --filter, --job short.")
{
    against, ratio, latency, cold, firstCalls, ChannelCommand.Create(), wireCold, facetCold, PublishCommand.Create(),
    PublishCommand.CreateCompare(),
}.Parse(args).Invoke();

static Option<T> Above0<T>(Option<T> option) where T : System.Numerics.INumber<T>
{
    option.Validators.Add(parsed =>
    {
        if (parsed.Tokens is [{ Value: var text }] && T.TryParse(text, null, out T? value) && value <= T.Zero)
            parsed.AddError($"{option.Name} takes a number above 0, and not {value}.");
    });
    return option;
}
