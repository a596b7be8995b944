namespace MemPrims.Records.Tests.Log;

// A log some of whose calls of the system fail has what it acknowledged, and nothing but a prefix of what was appended.
public sealed class LogInjectionTests
{
    [SkippableFact]
    public void A_log_keeps_what_it_acknowledged_whatever_call_of_the_system_fails() => Injection.Run(Work, 20, 11, Check);

    private static void Check(string path, ChildSaid said, string told)
    {
        int acknowledged = said.Last("synced");
        if (acknowledged == 0 && (!Directory.Exists(path) || Directory.GetFiles(path, "*.log").Length == 0)) return;
        List<int> found = [];
        try
        {
            using LogFile log = LogFile.Open(path, Small.Log);
            foreach (LogEntry entry in log.ReadFrom()) found.Add(BitConverter.ToInt32(entry.Payload));
            log.Verify();
        }
        catch (IOException e)
        {
            Assert.Fail($"{told}\n{e}");
        }
        Assert.True(found.Count > 0 || acknowledged == 0, told);
        if (found.Count == 0) return;
        Assert.True(found[0] <= said.Last("cuts") && found[^1] >= acknowledged - 1 && found[^1] <= said.Last("tries"),
            $"{told}\nfrom {found[0]} to {found[^1]}");
        Assert.Equal(Enumerable.Range(found[0], found.Count), found);
    }

    // Two lives, of which the second goes on where the first had to end.
    private static void Work(string[] arguments)
    {
        int acknowledged = 0;
        for (int life = 0; life < 2; life++)
        {
            try
            {
                using LogFile log = LogFile.OpenOrCreate(arguments[0], Small.Log);
                List<long> places = [];
                int next = 0;
                foreach (LogEntry entry in log.ReadFrom()) next = BitConverter.ToInt32(entry.Payload) + 1;
                if (next < acknowledged) throw new InvalidOperationException($"{acknowledged} were acknowledged, and {next} are there");
                for (int i = 0; i < 24; i++)
                {
                    ChildSaid.Say("tries", next);
                    places.Add(log.Append([.. BitConverter.GetBytes(next), .. new byte[600]]));
                    next++;
                    if (i % 4 == 3)
                    {
                        log.Sync();
                        ChildSaid.Say("synced", acknowledged = next);
                    }
                    if (i != 16) continue;
                    ChildSaid.Say("cuts", next - 4);
                    log.CutBefore(places[^4]);
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                Console.Out.WriteLine($"error {e.GetType().Name}");
            }
        }
    }
}
