using System.CommandLine;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Running;
using MemPrims.Benchmarks;
using MemPrims.Benchmarks.Channels;
using MemPrims.Benchmarks.Cold;
using MemPrims.Benchmarks.Latency;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Benchmarks.Wire;

// `wire-cold` measures the first messages of new processes; it comes first because their time runs from here.
if (args is ["wire-cold", ..]) return WireCold.Run(args[1..]);

if (args is [ColdCommand.ChildVerb, string routine, string length, string side])
    return ColdCommand.RunChild(routine, int.Parse(length), side == "ours");
if (args is ["channels-partner", ..]) return Partner.Run(args);

// `ratio …` measures interleaved pairs in this process, `latency …` single calls, `cold …` the first 150 ms of a process, and
// `channels …` messages between processes. Anything else goes to BenchmarkDotNet (`--filter *`, `--list flat`, `--job short`).
if (args is not ["ratio" or "latency" or "cold" or "channels", ..])
{
    BenchmarkSwitcher.FromAssembly(typeof(RatioCommand).Assembly).Run(TierJobs.TakeBasis(args, out Job basis), new TierJobs(basis));
    return 0;
}

Argument<string?> filter = new("filter") { Description = "Part of a case's group, name or class; all cases without it.",
    Arity = ArgumentArity.ZeroOrOne };
Option<bool> json = new("--json") { Description = "Print the results as JSON instead of tables." };
Option<double> seconds = new("--seconds") { Description = "Seconds measured per case, after the warm-up.",
    DefaultValueFactory = _ => 0.25 };
Command ratio = new("ratio", "Measures MemPrims against its peers as interleaved pairs; a ratio above 1 is in our favour.")
    { filter, json, seconds };
ratio.SetAction(parsed => RatioCommand.Run(parsed.GetValue(filter), parsed.GetValue(json), parsed.GetValue(seconds)));
Option<double> each = new("--seconds") { Description = "Seconds measured per contender, after the warm-up.",
    DefaultValueFactory = _ => 0.5 };
Command latency = new("latency", "Tells p50 and p99 of single operations on records, bytes allocated, and bytes written per commit.")
    { filter, each };
latency.SetAction(parsed => LatencyCommand.Run(parsed.GetValue(filter), parsed.GetValue(each)));
Option<bool> strict = new("--strict") { Description = "End with 1 when a routine takes more than twice the BCL's time." };
Command cold = new("cold", "Tells ns a call in the first 150 ms of processes with one processor, for every public routine of "
    + "Compare and Copy and the search in a page.") { filter, strict };
cold.SetAction(parsed => ColdCommand.Run(parsed.GetValue(filter), parsed.GetValue(strict)));
return new RootCommand { ratio, latency, cold, ChannelCommand.Create() }.Parse(args).Invoke();
