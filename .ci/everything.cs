// A program with something of every package, of which none may warn when it is trimmed or compiled ahead of time. .ci/packages publishes
// it by Native AOT, and runs it. It ends with 0 when all came out right.
using System.Text;
using MemPrims;
using MemPrims.Channels;
using MemPrims.Pages;
using MemPrims.Records;
using MemPrims.Sets;
using MemPrims.Wire;

string folder = Directory.CreateTempSubdirectory("everything").FullName, path = Path.Combine(folder, "records");

using (MappedPages pages = MappedPages.OpenOrCreate(Path.Combine(folder, "pages")))
{
    SortedTree tree = new(pages);
    tree.Set("orders/1"u8, "Paris"u8);
    Expect(tree.TryGet("orders/1"u8, out ReadOnlySpan<byte> value) && Block.Equal(value, "Paris"u8), "a sorted tree");
}

IdSet set = [1, 5, 9];
Expect((set & IdSet.FromSorted([5, 9, 11])).Count == 2, "sets");
FacetField cities = new();
cities.Add(1, "Paris"u8);
Expect(cities.Top(set, most: 10)[0].Name == "Paris", "facets");

using (MappedFile<Counter> file = MappedFile<Counter>.OpenOrCreate(path))
{
    int id;
    using (var change = file.BeginWrite())
    {
        change.Append(out id).Hits = 7;
        change.Commit();
    }
    file.Increment(id, Counter.Fields.Hits);
    using var snapshot = file.Pin();
    foreach (var counter in snapshot.Scan()) Expect(counter.Hits == 8, "a scan");
    Expect(file.Read(id, static counter => counter.Hits) == 8, "records");
}
MappedFiles.Compact<Counter>(path);
using (LogFile log = LogFile.OpenOrCreate(Path.Combine(folder, "log")))
{
    log.Append("one"u8);
    log.Sync();
    Expect(log.SyncedEnd > 0, "a log");
}

(IpcChannel here, IpcChannel there) = IpcChannel.CreatePair();
using (here)
using (there)
{
    here.Send("hello"u8);
    byte[] room = new byte[16];
    Expect(there.Receive(room) == 5 && room.AsSpan(0, 5).SequenceEqual("hello"u8), "a channel");
}

// What protoc writes for: syntax = "proto3";
// message Order { string id = 1; repeated Order lines = 2; map<string, int32> labels = 3; repeated int32 sizes = 4; }
byte[] entry = [.. Named("LabelsEntry"), .. Declared("key", 1, 1, 9), .. Declared("value", 2, 1, 5), .. Part(7, [0x38, 1])];
byte[] declared = [.. Named("Order"), .. Declared("id", 1, 1, 9), .. Declared("lines", 2, 3, 11, ".Order"),
    .. Declared("labels", 3, 3, 11, ".Order.LabelsEntry"),
    .. Declared("sizes", 4, 3, 5), .. Part(3, entry)];
MessageType order = MessageSchema.Load(Part(1, [.. Named("order.proto"), .. Part(4, declared), .. Part(12, "proto3"u8)]))["Order"];
Message message = order.New();
message.Set(order.Field<string>("id"), "o-17");
message.AddNew("lines").Set("id", "l-1");
message.Map<string, int>("labels")["priority"] = 3;
message.AddRange("sizes", [40, 41]);
byte[] encoded = message.ToByteArray();
const string json = """{"id":"o-17","lines":[{"id":"l-1"}],"labels":{"priority":3},"sizes":[40,41]}""";
Expect(order.Decode(encoded).ToJson() == json, "messages");
Expect(order.ParseJson(json).ToByteArray().AsSpan().SequenceEqual(encoded), "JSON");
Expect(order.Path("lines[0].id").TryRead(encoded, out string line) && line == "l-1", "paths");
byte[] one = Part(1, [.. Named("one.proto"), .. Part(4, [.. Named("One"), .. Declared("id", 1, 1, 9)])]);
Expect(MessageSchema.Load(one)["One"].New().ToByteArray().Length == 0, "one field");

Directory.Delete(folder, recursive: true);
Console.WriteLine($"All right on {Hardware.Describe()}");

static void Expect(bool isRight, string what)
{
    if (!isRight) throw new InvalidOperationException($"Wrong: {what}");
}

// Messages of descriptor.proto: each part with its length in two bytes.
static byte[] Part(int field, ReadOnlySpan<byte> content) =>
    [(byte)((field << 3) | 2), (byte)(content.Length | 0x80), (byte)(content.Length >> 7), .. content];

static byte[] Named(string name) => Part(1, Encoding.UTF8.GetBytes(name));

static byte[] Declared(string name, byte number, byte label, byte type, string? of = null) =>
    Part(2, [.. Named(name), 0x18, number, 0x20, label, 0x28, type, .. of is null ? [] : Part(6, Encoding.UTF8.GetBytes(of))]);

[MappedRecord(1)]
internal readonly ref partial struct Counter
{
    [Field(0)] public partial long Hits { get; set; }
}
