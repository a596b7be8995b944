using System.CommandLine;

namespace MemPrims.Benchmarks.Channels;

/// <summary>
/// `channels [trips|work|stream]`: its options, and the order of its rows. A run ends by itself before its time limit and says which rows
/// it left out, so that long tables can be made by several short runs.
/// </summary>
internal sealed class ChannelCommand
{
    private readonly Argument<string> _table = new("table")
    {
        DefaultValueFactory = _ => "trips",
        Description = "trips: round trips for 1 B to 8 MiB. work: with work or sleep in between. stream: small messages one way."
    };
    private readonly Option<string[]> _placements = new("--placement")
    {
        AllowMultipleArgumentsPerToken = true,
        Description = "two: pinned to two processors. one: both pinned to one. free: as placed. All three without it."
    };
    private readonly Option<int> _from = new("--from") { Description = "The shortest message in bytes." };
    private readonly Option<int?> _most = new("--most") { Description = "The longest message in bytes; 8 MiB, of `stream` 1 KiB." };
    private readonly Option<string?> _who = new("--who") { Description = "Only contenders with this in their name; several by commas." };
    private readonly Option<double?> _seconds = new("--seconds")
    {
        Description = "Seconds for one contender in one row; 0.1, of `work` 0.3."
    };
    private readonly Option<double> _limit = new("--limit")
    {
        DefaultValueFactory = _ => 45,
        Description = "Seconds for the whole run. Rows that would not end in time are left out and named."
    };

    public static Command Create()
    {
        ChannelCommand options = new();
        options._table.AcceptOnlyFromAmong("trips", "work", "stream");
        options._placements.AcceptOnlyFromAmong("two", "one", "free");
        Command command = new("channels", "Messages between two processes: p50, p99, throughput and the processor time of both.") {
            options._table, options._placements, options._from, options._most, options._who, options._seconds, options._limit };
        command.SetAction(options.Run);
        return command;
    }

    private int Run(ParseResult parsed)
    {
        ChannelTable table = parsed.GetValue(_table) switch
        {
            "work" => new WorkTable(),
            "stream" => new StreamTable(parsed.GetValue(_from), parsed.GetValue(_most) ?? 1024),
            _ => new TripTable(parsed.GetValue(_from), parsed.GetValue(_most) ?? Buffers.Most),
        };
        table.Seconds = parsed.GetValue(_seconds) ?? table.Seconds;
        string[] chosen = parsed.GetValue(_placements) is { Length: > 0 } some ? some : ["two", "one", "free"];
        string[] who = parsed.GetValue(_who)?.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries) ?? [];
        return table.Run([.. Placement.All.Where(place => chosen.Contains(place.Word))], who,
            TimeSpan.FromSeconds(parsed.GetValue(_limit)));
    }
}
