using System.Globalization;

namespace MemPrims.Fuzz;

/// <summary>
/// Every reader of foreign bytes holds its corpus and a row of mutations of it, which MEMPRIMS_SEED draws: about a second of them; with
/// MEMPRIMS_LONG=1 for 20 seconds, and with MEMPRIMS_FUZZ_SECONDS for so many. `.ci/fuzz` looks for inputs that take new ways.
/// </summary>
public class FuzzTests
{
    public static TheoryData<string> Targets => [.. Target.All.Select(target => target.Name)];

    /// <summary>Every second target. The others are those of a class of its own, so that two processors try two of them at once.</summary>
    public static TheoryData<string> First => [.. Target.All.Where(static (_, i) => i % 2 == 0).Select(target => target.Name)];

    [Theory]
    [MemberData(nameof(First))]
    public void Foreign_bytes_are_read_right_or_refused(string target) => Hold(target);

    internal static void Hold(string target)
    {
        using TempFolder folder = new();
        string kept = folder.File("input");
        int seconds = int.TryParse(Environment.GetEnvironmentVariable("MEMPRIMS_FUZZ_SECONDS"), out int given)
            ? given : LongRuns.Of(0, 20);
        ChildResult result = Child.Run(Runner.Hold, [target, kept, seconds.ToString(CultureInfo.InvariantCulture)]);
        if (result.ExitCode == 0) return;
        byte[] input = Runner.Kept(kept);
        string found = Path.Combine(Directory.CreateDirectory(Path.Combine(AppContext.BaseDirectory, "Found", target)).FullName,
            $"{Checksum.Crc32C(input):x8}");
        File.WriteAllBytes(found, input);
        Assert.Fail($"The input {found}, the {result.LastCase}, ended the target {target} with {result.ExitCode}. Put it into "
            + $"tests/MemPrims.Fuzz/Corpus/{target} once its cause is put right.\n{result.Output}\n{result.Error}");
    }

    [Theory]
    [MemberData(nameof(Targets))]
    public void Every_target_has_a_corpus(string target)
    {
        Assert.NotEmpty(Target.Named(target).Seeds());
        Assert.NotEmpty(Corpus.FilesOf(Target.Named(target)));
    }

    [Fact]
    public void The_corpus_is_small() =>
        Assert.InRange(Target.All.Sum(target => Corpus.FilesOf(target).Sum(file => new FileInfo(file).Length)), 1, Corpus.MostBytes);
}

public class OtherFuzzTests
{
    public static TheoryData<string> Second => [.. Target.All.Where(static (_, i) => i % 2 == 1).Select(target => target.Name)];

    [Theory]
    [MemberData(nameof(Second))]
    public void Foreign_bytes_are_read_right_or_refused(string target) => FuzzTests.Hold(target);
}
