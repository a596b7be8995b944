using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using MemPrims.Benchmarks.Records;
using MemPrims.Benchmarks.Wire;
using MemPrims.Buffers;
using MemPrims.Channels;
using MemPrims.Pages;
using MemPrims.Records;
using MemPrims.Sets;
using MemPrims.Wire;

namespace MemPrims.Benchmarks.Cold;

/// <summary>
/// What a program calls first, a method each. The child process makes what the call needs, then calls it once, and tells the milliseconds.
/// They contain the load of the assemblies that nothing before has used, and the compilation of the method here, which is a line or three.
/// </summary>
internal static unsafe class FirstCalls
{
    /// <summary>The child's first argument.</summary>
    public const string ChildVerb = "first-call";

    public static readonly FirstCall[] All =
    [
        // What the runtime takes itself, on the same way.
        new("an empty method, for comparison", NoState, Nothing),
        new("another assembly of .NET: HttpUtility.UrlEncode, for comparison", NoState, Encode),
        new("a FileStream: made, one byte written and synced, for comparison", TemporaryFolder, WriteByte),
        new("two Unix sockets: connected, one byte sent, for comparison", TemporaryFolder, SendByte),
        new("Block.Compare, 24 bytes", TwoBlocks, Compare),
        new("Block.Copy, 24 bytes", TwoBlocks, Copy),
        new("an appender: a number, a text, commit", NoState, Append),
        new("a tree's first Set", NoState, SetInTree),
        new("two sets of 1,000 ids, counted", NoState, CountSets),
        new("a channel: a pair and a message", NoState, SendMessage),
        new("a schema, loaded", SchemaBytes, LoadSchema),
        new("a message of 25 fields, decoded and encoded", SchemaAndMessage, EncodeMessage),
        new("a file of records: made, one committed", TemporaryFolder, CommitRecord),
        new("a log: made, one frame appended", TemporaryFolder, AppendToLog),
    ];

    /// <summary>The child: one first call, and the milliseconds that it took.</summary>
    public static int RunChild(string name)
    {
        FirstCall first = All.Single(call => call.Name == name);
        object state = first.Prepare();
        // What measures is compiled before it measures.
        _ = Time(Nothing, state);
        double milliseconds = Time(first.Call, state);
        Console.WriteLine(milliseconds.ToString(CultureInfo.InvariantCulture));
        if (state is DirectoryInfo folder) folder.Delete(recursive: true);
        return 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static double Time(Func<object, long> call, object state)
    {
        long start = Stopwatch.GetTimestamp();
        long result = call(state);
        TimeSpan spent = Stopwatch.GetElapsedTime(start);
        if (result == long.MinValue) Console.WriteLine(result);
        return spent.TotalMilliseconds;
    }

    private static object NoState() => new();

    private static object TwoBlocks() => (GC.AllocateArray<byte>(24, pinned: true), GC.AllocateArray<byte>(24, pinned: true));

    private static object TemporaryFolder() => Directory.CreateTempSubdirectory("memprims-first-call");

    private static object SchemaBytes() => Samples.DescriptorSet(Wire.Generated.WireReflection.Descriptor);

    private static object SchemaAndMessage()
    {
        byte[] message = Google.Protobuf.MessageExtensions.ToByteArray(Samples.Mixed()[0]);
        return (MessageSchema.Load((byte[])SchemaBytes())["memprims.bench.Mixed"], message);
    }

    private static long Nothing(object state) => state.GetType() == typeof(string) ? 1 : 0;

    private static long Encode(object state) => System.Web.HttpUtility.UrlEncode("a b").Length;

    private static long WriteByte(object state)
    {
        using FileStream file = new(Path.Combine(((DirectoryInfo)state).FullName, "file"), FileMode.CreateNew);
        file.WriteByte(1);
        file.Flush(flushToDisk: true);
        return file.Length;
    }

    private static long SendByte(object state)
    {
        UnixDomainSocketEndPoint place = new(Path.Combine(((DirectoryInfo)state).FullName, "socket"));
        using Socket listener = new(AddressFamily.Unix, SocketType.Stream, 0), client = new(AddressFamily.Unix, SocketType.Stream, 0);
        listener.Bind(place);
        listener.Listen();
        client.Connect(place);
        using Socket server = listener.Accept();
        byte[] bytes = [1];
        client.Send(bytes);
        return server.Receive(bytes);
    }

    private static long Compare(object state)
    {
        (byte[] left, byte[] right) = ((byte[], byte[]))state;
        fixed (byte* l = left, r = right) return Block.Compare(l, r, left.Length);
    }

    private static long Copy(object state)
    {
        (byte[] to, byte[] from) = ((byte[], byte[]))state;
        fixed (byte* t = to, f = from) Block.Copy(t, f, to.Length);
        return to[0];
    }

    private static long Append(object state)
    {
        using SegmentList list = new();
        using Appender to = new(list);
        to.Write(42L);
        to.WriteText("name");
        to.Commit();
        return list.Length;
    }

    private static long SetInTree(object state)
    {
        using MemoryPages pages = new();
        SortedTree tree = new(pages);
        tree.Set("orders/1"u8, "Paris"u8);
        return tree.Count;
    }

    private static long CountSets(object state)
    {
        uint[] ids = new uint[1_000], others = new uint[1_000];
        for (uint i = 0; i < ids.Length; i++) (ids[i], others[i]) = (i * 3, i * 2);
        return IdSet.FromSorted(ids).CountIntersection(IdSet.FromSorted(others));
    }

    private static long SendMessage(object state)
    {
        (IpcChannel a, IpcChannel b) = IpcChannel.CreatePair();
        a.Send("hello"u8);
        using IpcMessage? message = b.Receive(TimeSpan.FromSeconds(10));
        return message!.Payload.Length;
    }

    private static long LoadSchema(object state) => MessageSchema.Load((byte[])state)["memprims.bench.Mixed"].Fields.Count;

    private static long EncodeMessage(object state)
    {
        (MessageType type, byte[] encoded) = ((MessageType, byte[]))state;
        return type.Decode(encoded).ToByteArray().Length;
    }

    private static long CommitRecord(object state)
    {
        using MappedFile<Stats> file = MappedFile<Stats>.Create(Path.Combine(((DirectoryInfo)state).FullName, "stats"));
        using WriteTransaction<Stats> transaction = file.BeginWrite();
        Stats stats = transaction.Append();
        stats.Bytes = 42;
        transaction.Commit();
        return file.Count;
    }

    private static long AppendToLog(object state)
    {
        using LogFile log = LogFile.Create(Path.Combine(((DirectoryInfo)state).FullName, "log"));
        return log.Append("hello"u8);
    }
}

/// <summary>A first call, and what is made before it.</summary>
internal sealed record FirstCall(string Name, Func<object> Prepare, Func<object, long> Call);
