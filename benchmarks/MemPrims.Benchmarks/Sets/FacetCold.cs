using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// `facet-cold`: what a new process takes for its first counts of a million documents, by a <see cref="FacetField"/> opened from its image
/// and by the loop that people write over an <c>int[]</c>. Each side runs in processes of its own with the same hits. It tells the
/// microseconds of the first call, which contain its compilation, and the nanoseconds a call in the 200 ms from the first call on. Medians
/// of nine processes each.
/// </summary>
internal static class FacetCold
{
    /// <summary>The child's first argument.</summary>
    public const string ChildVerb = "facet-cold-child";

    private const int Values = 100, Milliseconds = 200, Children = 9, Queries = 64;
    private static readonly int[] s_hits = [10, 100, 1000, 10_000, 100_000];

    /// <summary>One process: counts by the files of the folder until the time is over.</summary>
    public static int RunChild(string side, string folder, int hits)
    {
        uint[][] queries = [.. Enumerable.Range(0, Queries).Select(seed => IdSamples.Uniform(hits, FacetDocuments.Count, seed))];
        int[] counts = new int[Values];
        Func<uint[], long> count;
        if (side == "ours")
        {
            FacetField field = FacetField.Open(File.ReadAllBytes(Path.Combine(folder, "field")));
            count = query => Ours(field, query, counts);
        }
        else
        {
            int[] valueOf = MemoryMarshal.Cast<byte, int>(File.ReadAllBytes(Path.Combine(folder, "column"))).ToArray();
            count = query => ByHand(valueOf, query, counts);
        }
        long start = Stopwatch.GetTimestamp(), sum = count(queries[0]), calls = 1;
        TimeSpan first = Stopwatch.GetElapsedTime(start), spent;
        do
        {
            foreach (uint[] query in queries) sum += count(query);
            calls += Queries;
            spent = Stopwatch.GetElapsedTime(start);
        }
        while (spent.TotalMilliseconds < Milliseconds);
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{first.TotalMicroseconds} {spent.TotalNanoseconds / calls}"));
        return sum > 0 ? 0 : 1;
    }

    public static int Run()
    {
        string folder = Directory.CreateTempSubdirectory("facet-cold").FullName;
        try
        {
            FacetDocuments documents = FacetDocuments.Of(Values, skewed: false, each: 1);
            File.WriteAllBytes(Path.Combine(folder, "field"), documents.Field.ToByteArray());
            File.WriteAllBytes(Path.Combine(folder, "column"), MemoryMarshal.AsBytes<int>(documents.ValueOf));
            Console.WriteLine($"The first counts of a process, FacetField and by hand; {Hardware.Describe()}");
            Console.WriteLine("| hits | first call, µs | by hand | times as fast | a call in 200 ms, ns | by hand | times as fast |");
            Console.WriteLine("| --- | --- | --- | --- | --- | --- | --- |");
            foreach (int hits in s_hits)
            {
                double[][] ours = new double[Children][], byHand = new double[Children][];
                for (int i = 0; i < Children; i++) (ours[i], byHand[i]) = (Child("ours", folder, hits), Child("by-hand", folder, hits));
                (double first, double call) = (Median(ours, 0), Median(ours, 1));
                (double firstByHand, double callByHand) = (Median(byHand, 0), Median(byHand, 1));
                Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"| {hits:N0} | {first:0} | {firstByHand:0} | "
                    + $"{firstByHand / first:0.00} | {call:0} | {callByHand:0} | {callByHand / call:0.00} |"));
            }
        }
        finally
        {
            Directory.Delete(folder, true);
        }
        return 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Ours(FacetField field, uint[] query, int[] counts)
    {
        field.Count(query, counts);
        return counts[1] + counts[0];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long ByHand(int[] valueOf, uint[] query, int[] counts)
    {
        FacetRatio.CountByHand(valueOf, 1, query, counts);
        return counts[1] + counts[0];
    }

    private static double[] Child(string side, string folder, int hits)
    {
        ProcessStartInfo info = new(Environment.ProcessPath!) { RedirectStandardOutput = true };
        if (Path.GetFileNameWithoutExtension(info.FileName) == "dotnet") info.ArgumentList.Add(typeof(FacetCold).Assembly.Location);
        foreach (string argument in (string[])[ChildVerb, side, folder, $"{hits}"]) info.ArgumentList.Add(argument);
        using Process process = Process.Start(info)!;
        string line = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        if (process.ExitCode != 0) throw new InvalidOperationException($"The process of {side} ended with {process.ExitCode}.");
        return [.. line.Split(' ').Select(time => double.Parse(time, CultureInfo.InvariantCulture))];
    }

    private static double Median(double[][] runs, int figure) => runs.Select(run => run[figure]).Order().ElementAt(runs.Length / 2);
}
