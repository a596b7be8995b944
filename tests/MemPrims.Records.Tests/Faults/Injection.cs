using System.Text.RegularExpressions;

namespace MemPrims.Records.Tests.Faults;

// Each call of the system by which a child works in its folder fails once, in each way, or is the last of its process; what is in the
// folder then has to fit what the child said. A child is told its folder, goes on after an error, which it says as "error …", and says a
// word and a number on a line of its own for whatever the check wants to know.
internal static partial class Injection
{
    private const string Calls =
        "openat,mmap,pread64,pwrite64,fdatasync,fsync,fcntl,lseek,statx,mkdir,link,linkat,unlink,rename,ftruncate,fallocate,getdents64";

    private static readonly string[] s_errors = ["EIO", "ENOSPC", "ENOMEM", "EMFILE", "EINTR", "KILL"];

    // Does a sample of all that can be injected, or all. `kinds`: of so many different calls the child makes some.
    public static void Run(Action<string[]> work, int sample, int kinds, Action<string, ChildSaid, string> check)
    {
        using TempFolder root = TempFolder.With("injected", out string folder);
        string trace = root.File("trace");
        Strace.Run(work, [folder], "-y", "-o", trace, "-e", $"trace={Calls}").AssertSucceeded();
        (string Call, string Path)[] made = [.. File.ReadLines(trace).Select(line => Call().Match(line)).Where(call => call.Success)
            .SelectMany(call => Place().Matches(call.Groups[2].Value).Take(1)
                .Select(place => (call.Groups[1].Value, place.Groups[1].Value)))
            .Where(call => call.Item2 == folder || call.Item2.StartsWith(folder + '/', StringComparison.Ordinal))];
        string[] paths = [.. made.Select(call => call.Path).Append(folder).Distinct().SelectMany(path => (string[])["-P", path])];
        (string Call, int At, string Error)[] all = [.. made
            .GroupBy(call => call.Call, (call, calls) => (Call: call, Count: calls.Count()))
            .SelectMany(call => Enumerable.Range(1, call.Count), (call, at) => (call.Call, at))
            .SelectMany(_ => s_errors, (call, error) => (call.Call, call.at, error))];
        string[] seen = [.. made.Select(call => call.Call).Distinct()];
        Assert.True(seen.Length >= kinds, string.Join(" ", seen));
        Seeds.Random().Shuffle(all);
        int injected = 0;
        foreach ((string call, int at, string error) in all.Take(LongRuns.Of(sample, all.Length)))
        {
            if (Directory.Exists(folder)) Directory.Delete(folder, recursive: true);
            string what = error == "KILL" ? "signal=KILL" : $"error={error}";
            ChildResult child = Strace.Run(work, [folder],
                ["-o", trace, "-e", $"trace={Calls}", .. paths, "-e", $"inject={call}:{what}:when={at}"]);
            string told = $"{call} {at} {error}: exit code {child.ExitCode}\n{child.Output}\n{child.Error}";
            if (error != "KILL") Assert.True(child.ExitCode == 0, told);
            if (File.ReadLines(trace).Any(line => line.Contains("(INJECTED)") || line.Contains("killed by SIGKILL"))) injected++;
            check(folder, new(child.Output), told);
        }
        Assert.True(injected > 3, $"{injected} failures were injected");
    }

    [GeneratedRegex(@"^\d+ +(\w+)\((.*)\) += \S+")]
    private static partial Regex Call();

    [GeneratedRegex(@"[<""]([^>""]*/injected(?:/[^>""]*)?)[>""]")]
    private static partial Regex Place();
}

// What a child said. The last words of one that is killed count up to their end.
internal sealed class ChildSaid(string output)
{
    private readonly Dictionary<string, int> _last = output.Split('\n').SkipLast(1).Select(line => line.Split(' '))
        .Where(words => words.Length == 2 && int.TryParse(words[1], out _))
        .GroupBy(words => words[0]).ToDictionary(words => words.Key, words => int.Parse(words.Last()[1]));

    // By the child.
    public static void Say(string what, int number)
    {
        Console.Out.WriteLine($"{what} {number}");
        Console.Out.Flush();
    }

    // The last number that was said of something; 0 where none was.
    public int Last(string what) => _last.GetValueOrDefault(what);
}
