namespace MemPrims.Records.Tests.Faults;

// A file of records some of whose calls of the system fail has what was acknowledged, and nothing but whole commits.
public sealed class RecordInjectionTests
{
    // Two for each commit, whose values say which of them is a commit's second.
    private const int Together = 2;

    private static readonly MappedFileOptions s_small =
        new() { MetaSlotBytes = Small.SlotBytes, WriterTimeout = TimeSpan.Zero, PinTimeout = TimeSpan.Zero };

    [SkippableFact]
    public void Records_keep_what_was_acknowledged_whatever_call_of_the_system_fails() => Injection.Run(Work, 20, 11, Check);

    private static void Check(string folder, ChildSaid said, string told)
    {
        int acknowledged = said.Last("committed");
        string path = Path.Combine(folder, "file"), copy = Path.Combine(folder, "copy");
        if (acknowledged == 0 && !File.Exists(path)) return;
        try
        {
            using (MappedFile<Cell> file = MappedFile<Cell>.Open(path, s_small))
            {
                file.Verify();
                Assert.True(file.Count % Together == 0 && file.Count >= acknowledged && file.Count <= said.Last("tries"),
                    $"{told}\n{file.Count} records");
                int updated = file.Count == 0 ? 0 : file.Read(0, static cell => (int)cell.Value);
                Assert.True(updated >= said.Last("updated") && updated <= said.Last("updates"), $"{told}\nupdated to {updated}");
                for (int i = 1; i < file.Count; i++) Assert.Equal(i, file.Read(i, static cell => cell.Value));
            }
            // A copy is whole, or not there.
            if (!File.Exists(copy)) Assert.True(said.Last("copied") == 0, told);
            else RecordCalls.Verify<Cell>(copy);
        }
        catch (IOException e)
        {
            Assert.Fail($"{told}\n{e}");
        }
    }

    // Three lives; the second goes on where the first had to end, and the third works on what was made small.
    private static void Work(string[] arguments)
    {
        string path = Path.Combine(arguments[0], "file"), copy = Path.Combine(arguments[0], "copy");
        int acknowledged = 0;
        for (int life = 0; life < 3; life++)
        {
            try
            {
                Directory.CreateDirectory(arguments[0]);
                using (MappedFile<Cell> file = MappedFile<Cell>.OpenOrCreate(path, s_small))
                {
                    if (file.Count < acknowledged)
                        throw new InvalidOperationException($"{acknowledged} were acknowledged, and {file.Count} are there");
                    for (int i = 0; i < 4; i++)
                    {
                        int next = (int)file.Count;
                        ChildSaid.Say("tries", next + Together);
                        ChildSaid.Say("updates", next + 1);
                        using WriteTransaction<Cell> tx = file.BeginWrite();
                        for (int one = 0; one < Together; one++) tx.Append().Value = next + one;
                        Cell first = tx[0];
                        first.Value = next + 1;
                        tx.Commit();
                        ChildSaid.Say("committed", acknowledged = next + Together);
                        ChildSaid.Say("updated", next + 1);
                    }
                }
                if (life == 0) MappedFiles.Compact<Cell>(path, s_small);
                if (life != 1 || File.Exists(copy)) continue;
                RecordCalls.CopyTo<Cell>(path, copy);
                ChildSaid.Say("copied", 1);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                Console.Out.WriteLine($"error {e.GetType().Name}");
            }
        }
    }
}
