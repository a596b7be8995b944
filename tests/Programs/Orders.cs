#:package MemPrims.Records@*-*
using System.Text;
using MemPrims.Records;
using MemPrims.Sets;

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

[MappedRecord(0x57A7)]
internal readonly ref partial struct State
{
    [Field(0)] public partial long Applied { get; set; }
    [Field(1)] public partial int Runs { get; set; }
}
