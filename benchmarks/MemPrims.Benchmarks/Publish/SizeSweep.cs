using System.Diagnostics;
using System.Text.Json;
using MemPrims.Benchmarks.Compare;
using MemPrims.Benchmarks.Copy;

namespace MemPrims.Benchmarks.Publish;

/// <summary>
/// Compare, equal and copy from 0 bytes to 64 KiB, beside the BCL and libc, on each instruction tier. A tier has processes of its own,
/// since a setting chooses it at start. All blocks of a batch have one length and are equal; offsets are drawn anew for every batch.
/// </summary>
internal static class SizeSweep
{
    /// <summary>The command that measures in the process of a tier.</summary>
    public const string ChildVerb = "publish-sizes";

    private static readonly int[] s_lengths =
    [
        0, 1, 2, 3, 4, 6, 8, 11, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256, 320, 400, 512, 700, 1024, 1400, 2048, 2800, 4096,
        5600, 8192, 16_384, 32_768, 65_536,
    ];

    private static readonly (string Name, (string Method, Func<BlockPairs, long> Run)[] Methods)[] s_routines =
    [
        ("compare", [("MemPrims", Batch.Of<BlockCompare>), ("BCL", Batch.Of<BclCompare>), ("libc", Batch.Of<LibcCompare>)]),
        ("equal", [("MemPrims", Batch.Of<BlockEqual>), ("BCL", Batch.Of<BclEqual>), ("libc", Batch.Of<LibcEqual>)]),
        ("copy", [("MemPrims", Batch.Of<BlockCopy>), ("BCL", Batch.Of<BufferMemoryCopy>), ("libc", Batch.Of<LibcCopy>)]),
    ];

    private static readonly (string Tier, string Setting, string Value)[] s_tiers =
    [
        ("widest", "", ""),
        ("256 bits preferred", "DOTNET_PreferredVectorBitWidth", "256"),
        ("AVX2", "DOTNET_EnableAVX512", "0"),
        ("128 bits", "DOTNET_EnableAVX2", "0"),
        ("scalar", "DOTNET_EnableHWIntrinsic", "0"),
    ];

    // Where the code of a contender falls in memory differs by process: rows of one process moved by up to 25 %.
    private const int Processes = 3;

    /// <summary>Measures on every tier, each in processes of its own, which share <paramref name="seconds"/>.</summary>
    public static List<SizePoint> AllTiers(double seconds)
    {
        List<SizePoint> points = [];
        for (int process = 1; process <= Processes; process++)
            foreach ((string tier, string setting, string value) in s_tiers)
            {
                Console.Error.WriteLine($"sizes, {tier}, {process} of {Processes} …");
                points.AddRange(InProcess(tier, setting, value, seconds / Processes));
            }
        return [.. points.GroupBy(point => point with { Time = default }).Select(same => same.Key with { Time = new(
            same.Min(point => point.Time.Minimum), Timing.Of([.. same.Select(point => point.Time.Median)]).Median) })];
    }

    private static SizePoint[] InProcess(string tier, string setting, string value, double seconds)
    {
        ProcessStartInfo start = new(Environment.ProcessPath!) { RedirectStandardOutput = true };
        foreach (string argument in (string[])[typeof(SizeSweep).Assembly.Location, ChildVerb, tier,
            seconds.ToString(System.Globalization.CultureInfo.InvariantCulture)])
            start.ArgumentList.Add(argument);
        if (setting.Length > 0) start.Environment[setting] = value;
        using Process child = Process.Start(start)!;
        string said = child.StandardOutput.ReadToEnd();
        child.WaitForExit();
        return child.ExitCode == 0 ? JsonSerializer.Deserialize<SizePoint[]>(said)!
            : throw new InvalidOperationException($"Measuring {tier} ended with {child.ExitCode}.");
    }

    /// <summary>What the process of a tier does: measures and prints its points.</summary>
    public static int RunChild(string tier, double seconds)
    {
        List<SizePoint> points = [];
        using (BlockPairs pairs = BlockPairs.Equal(Lengths.Measured, Lengths.MeasuredLongest))
            InterleavedRounds.Warm(pairs.Redraw,
                [.. s_routines.SelectMany(routine => routine.Methods.Select(method => (Func<long>)(() => method.Run(pairs))))]);
        foreach (int length in s_lengths)
        {
            using BlockPairs pairs = BlockPairs.Equal(Lengths.Fixed(length), length, BlockPairs.CallsFor(length));
            foreach ((string routine, (string Method, Func<BlockPairs, long> Run)[] methods) in s_routines)
            {
                Timing[] timings = InterleavedRounds.Measure(pairs.Count, TimeSpan.FromSeconds(seconds), pairs.Redraw,
                    [.. methods.Select(method => (Func<long>)(() => method.Run(pairs)))]);
                points.AddRange(methods.Select((method, i) => new SizePoint(tier, routine, method.Method, length, timings[i])));
            }
        }
        Console.WriteLine(JsonSerializer.Serialize(points));
        return 0;
    }
}
