using System.Text;
using MemPrims.Records;
using MemPrims.Sets;

// Outside of MemPrims, as a user is: so the page names all that it needs.
namespace MainPage;

// They have files of one name.
[Collection(nameof(MainPage))]
public sealed class RecordsProgram : IDisposable
{
    private readonly List<string> _written = [];

    public RecordsProgram() => Dispose();

    public void Dispose()
    {
        if (Directory.Exists("orders.log")) Directory.Delete("orders.log", recursive: true);
        File.Delete("state.rec");
    }

    [Fact]
    public void The_main_page_s_program_runs_twice()
    {
        Run();
        Run();
        Assert.Equal(["1", "Paris: 1", "Rome: 1", "1", "1", "Paris: 1", "Rome: 1", "2"], _written);
    }

    internal void Run()
    {
        Written Console = new(_written);

        // README
        using LogFile log = LogFile.OpenOrCreate("orders.log");             // a folder; FileStream, lengths, a checksum, Flush(true)
        if (log.Start == log.End)
            foreach (string order in (string[])["Paris red", "Rome red", "Paris blue"]) log.Append(Encoding.UTF8.GetBytes(order));
        log.Sync();                                                         // what was appended is on the disk

        FacetField cities = new(), colors = new();                          // Dictionary<string, HashSet<int>>
        uint id = 0;
        foreach (LogEntry order in log.ReadFrom(log.Start))                 // BinaryReader; here checked, in mapped memory, not copied
        {
            int space = order.Payload.IndexOf((byte)' ');
            cities.Set(id, order.Payload[..space]);
            colors.Set(id++, order.Payload[(space + 1)..]);
        }
        IdSet red = colors.Documents("red"), late = [1, 2];                 // HashSet<int>, its IntersectWith
        Console.WriteLine((red & late).Count);                              // 1
        foreach (FacetCount city in cities.Top(red, most: 10)) Console.WriteLine(city);    // GroupBy. Paris: 1, Rome: 1

        using var file = MappedFile<State>.OpenOrCreate("state.rec");       // JsonSerializer, WriteAllText, File.Replace
        using (var tx = file.BeginWrite())                                  // one writer at a time, of all processes
            if (tx.Count == 0) { tx.Append(out _); tx.Commit(); }
        file.Update(0, s => { s.Runs++; s.Applied = log.End; });            // both or neither, whenever the power goes
        Console.WriteLine(file.Read(0, static s => s.Runs));                // 1, and one more at each start
        // end of README
    }

    // Stands for the terminal.
    private sealed class Written(List<string> lines)
    {
        public void WriteLine<T>(T value) => lines.Add($"{value}");
    }
}

// README goes on
[MappedRecord(0x57A7)]
internal readonly ref partial struct State
{
    [Field(0)] public partial long Applied { get; set; }
    [Field(1)] public partial int Runs { get; set; }
}
// end of README

[Collection(nameof(MainPage))]
public class RecordsSample
{
    [Fact]
    public void The_main_page_s_code_of_records_has_the_results_of_its_comments()
    {
        using RecordsProgram program = new();
        program.Run();
        using LogFile log = LogFile.OpenOrCreate("orders.log");
        using var file = MappedFile<State>.OpenOrCreate("state.rec");
        List<int> used = [];

        // README
        long at = log.Append("Oslo blue"u8);                                // its place, which is its name from now on
        log.Sync();                                                         // it stays, whenever the power goes
        ReadOnlySpan<byte> oslo = log.Read(at);                             // Oslo blue
        log.CutBefore(at);                                                  // gives back files that end before it
        int runs = file.Increment(0, State.Fields.Runs);                    // 2: a transaction of its own, as Update
        using (var tx = file.BeginWrite()) { var state = tx.Append(out int made); state.Runs = 7; tx.Commit(); }    // made: 1
        using (var snapshot = file.Pin()) foreach (var state in snapshot.Scan()) Use(state.Runs);                   // 2, 7
        // end of README

        Assert.Equal("Oslo blue"u8, oslo);
        Assert.Equal(2, runs);
        Assert.Equal([2, 7], used);

        void Use(int value) => used.Add(value);
    }
}
