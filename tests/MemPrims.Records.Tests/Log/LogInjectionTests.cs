using System.Text.RegularExpressions;
using MemPrims.Records.Tests.Faults;

namespace MemPrims.Records.Tests.Log;

/// <summary>
/// Each call that a log makes of the system fails once, in each way, or is the last of its process. Then the log has what it
/// acknowledged, and nothing but a prefix of what was appended. Only calls that name the log's folder or a file in it are hit.
/// </summary>
public sealed partial class LogInjectionTests
{
    private const string Calls = "openat,mmap,pread64,pwrite64,fdatasync,fsync,fcntl,lseek,statx,mkdir,link,unlink,getdents64";

    private static readonly string[] s_errors = ["EIO", "ENOSPC", "ENOMEM", "EMFILE", "EINTR", "KILL"];
    private static readonly LogFileOptions s_small = new() { FileBytes = 4096, WriterTimeout = TimeSpan.Zero };

    [SkippableFact]
    public void A_log_keeps_what_it_acknowledged_whatever_call_of_the_system_fails()
    {
        using TempFolder root = new();
        string log = root.File("log"), trace = root.File("trace");
        Strace.Run(Work, [log], "-y", "-o", trace, "-e", $"trace={Calls}").AssertSucceeded();
        (string Call, string Path)[] made = [.. File.ReadLines(trace).Select(line => Call().Match(line)).Where(call => call.Success)
            .SelectMany(call => Place().Matches(call.Groups[2].Value).Take(1)
                .Select(place => (call.Groups[1].Value, place.Groups[1].Value)))
            .Where(call => call.Item2 == log || call.Item2.StartsWith(log + '/', StringComparison.Ordinal))];
        string[] paths = [.. made.Select(call => call.Path).Append(log).Distinct().SelectMany(path => (string[])["-P", path])];
        (string Call, int At, string Error)[] all = [.. made
            .GroupBy(call => call.Call, (call, calls) => (Call: call, Count: calls.Count()))
            .SelectMany(call => Enumerable.Range(1, call.Count), (call, at) => (call.Call, at))
            .SelectMany(_ => s_errors, (call, error) => (call.Call, call.at, error))];
        Assert.True(made.Select(call => call.Call).Distinct().Count() >= 11, string.Join(" ", made.Select(call => call.Call).Distinct()));
        Seeds.Random().Shuffle(all);
        int failed = 0;
        foreach ((string call, int at, string error) in all.Take(LongRuns.Of(20, all.Length)))
        {
            if (Directory.Exists(log)) Directory.Delete(log, recursive: true);
            string what = error == "KILL" ? "signal=KILL" : $"error={error}";
            ChildResult child = Strace.Run(Work, [log],
                ["-o", trace, "-e", $"trace={Calls}", .. paths, "-e", $"inject={call}:{what}:when={at}"]);
            string told = $"{call} {at} {error}: exit code {child.ExitCode}\n{child.Output}\n{child.Error}";
            if (error != "KILL") Assert.True(child.ExitCode == 0, told);
            if (error == "KILL" ? child.ExitCode != 0 : child.Output.Contains("error")) failed++;
            Check(log, child.Output, told);
        }
        Assert.True(failed > 3, $"{failed} failures were seen");
    }

    private static void Check(string path, string output, string told)
    {
        int acknowledged = 0, tried = 0, cut = 0;
        foreach (string[] words in output.Split('\n').Select(line => line.Split(' ')).Where(words => words.Length == 2))
        {
            if (words[0] == "synced") acknowledged = int.Parse(words[1]);
            if (words[0] == "tries") tried = int.Parse(words[1]);
            if (words[0] == "cuts") cut = int.Parse(words[1]);
        }
        if (acknowledged == 0 && (!Directory.Exists(path) || Directory.GetFiles(path, "*.log").Length == 0)) return;
        List<int> found = [];
        try
        {
            using LogFile log = LogFile.Open(path, s_small);
            foreach (LogEntry entry in log.ReadFrom()) found.Add(BitConverter.ToInt32(entry.Payload));
            log.Verify();
        }
        catch (IOException e)
        {
            Assert.Fail($"{told}\n{e}");
        }
        Assert.True(found.Count > 0 || acknowledged == 0, told);
        if (found.Count == 0) return;
        Assert.True(found[0] <= cut && found[^1] >= acknowledged - 1 && found[^1] <= tried,
            $"{told}\nfrom {found[0]} to {found[^1]}, acknowledged {acknowledged}, tried {tried}, cut {cut}");
        Assert.Equal(Enumerable.Range(found[0], found.Count), found);
    }

    // Two lives, of which the second goes on where the first had to end. The last words of a process that is killed count up to their end.
    private static void Work(string[] arguments)
    {
        int acknowledged = 0;
        for (int life = 0; life < 2; life++)
        {
            try
            {
                using LogFile log = LogFile.OpenOrCreate(arguments[0], s_small);
                List<long> places = [];
                int next = 0;
                foreach (LogEntry entry in log.ReadFrom()) next = BitConverter.ToInt32(entry.Payload) + 1;
                if (next < acknowledged) throw new InvalidOperationException($"{acknowledged} were acknowledged, and {next} are there");
                for (int i = 0; i < 24; i++)
                {
                    Say("tries", next);
                    places.Add(log.Append([.. BitConverter.GetBytes(next), .. new byte[600]]));
                    next++;
                    if (i % 4 == 3)
                    {
                        log.Sync();
                        Say("synced", acknowledged = next);
                    }
                    if (i != 16) continue;
                    Say("cuts", next - 4);
                    log.CutBefore(places[^4]);
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                Console.Out.WriteLine($"error {e.GetType().Name}");
            }
        }

        static void Say(string what, int number)
        {
            Console.Out.WriteLine($"{what} {number}");
            Console.Out.Flush();
        }
    }

    [GeneratedRegex(@"^\d+ +(\w+)\((.*)\) += \S+")]
    private static partial Regex Call();

    [GeneratedRegex(@"[<""]([^>""]*/log(?:/[^>""]*)?)[>""]")]
    private static partial Regex Place();
}
