using System.Buffers.Binary;
using System.Net;
using System.Text;
using MemPrims.Buffers;
using MemPrims.Codecs;

namespace DocumentStore.Twins;

/// <summary>
/// The few calls of etcd's gRPC that are needed, over .NET's HttpClient. Beside a client on a plain socket it costs etcd from 5 to 45 %
/// of its gets, and nothing clear of its puts. Threads: one at a time.
/// </summary>
internal sealed class EtcdClient(int leader, int follower) : IKeyValueClient
{
    // Numbers of fields, and types, of etcd's rpc.proto.
    private const int Bytes = 2, Number = 0, Key = 1, Value = 2, Serializable = 7, Success = 2, RequestPut = 2, Responses = 3,
        Found = 2, FoundValue = 5, Header = 1, MemberId = 2, StatusLeader = 4;
    private const int FrameHeader = 5;

    private readonly HttpClient _http = new(new SocketsHttpHandler { UseProxy = false, ActivityHeadersPropagator = null });

    public async Task PutAsync(IReadOnlyList<(string Key, byte[] Value)> all)
    {
        if (all is [(string key, byte[] value)])
        {
            await AskAsync(leader, "KV/Put", PutOf(key, value)).ConfigureAwait(false);
            return;
        }
        byte[] request = Message((ref to) =>
        {
            foreach ((string key, byte[] value) in all)
            {
                byte[] put = PutOf(key, value);
                Field(ref to, Success, Message((ref one) => Field(ref one, RequestPut, put)));
            }
        });
        byte[] answer = await AskAsync(leader, "KV/Txn", request).ConfigureAwait(false);
        int answers = Fields(answer).Count(static field => field.Number == Responses);
        if (answers != all.Count) throw new InvalidDataException($"{all.Count} puts have {answers} answers.");
    }

    public async Task<byte[]?> GetAsync(string key, bool atFollower)
    {
        byte[] request = Message((ref to) =>
        {
            Field(ref to, Key, Encoding.UTF8.GetBytes(key));
            if (!atFollower) return;
            to.WriteVarint(Serializable << 3 | Number);
            to.WriteVarint(1);
        });
        byte[] answer = await AskAsync(atFollower ? follower : leader, "KV/Range", request).ConfigureAwait(false);
        return One(answer, Found) is { } found ? One(found, FoundValue) : null;
    }

    /// <summary>Whether the member leads; false where it does not answer yet.</summary>
    public async Task<bool> LeadsAsync()
    {
        try
        {
            byte[] status = await AskAsync(leader, "Maintenance/Status", []).ConfigureAwait(false);
            ulong self = Fields(One(status, Header)!).First(static field => field.Number == MemberId).Value;
            return Fields(status).FirstOrDefault(static field => field.Number == StatusLeader).Value == self;
        }
        catch (HttpRequestException)
        {
            return false;
        }
    }

    public void Dispose() => _http.Dispose();

    private async Task<byte[]> AskAsync(int port, string call, byte[] message)
    {
        byte[] frame = new byte[FrameHeader + message.Length];
        BinaryPrimitives.WriteInt32BigEndian(frame.AsSpan(1), message.Length);
        message.CopyTo(frame, FrameHeader);
        using HttpRequestMessage request = new(HttpMethod.Post, $"http://127.0.0.1:{port}/etcdserverpb.{call}")
        {
            Version = HttpVersion.Version20, VersionPolicy = HttpVersionPolicy.RequestVersionExact, Content = new ByteArrayContent(frame),
        };
        request.Content.Headers.ContentType = new("application/grpc");
        request.Headers.TE.Add(new("trailers"));
        using HttpResponseMessage response = await _http.SendAsync(request).ConfigureAwait(false);
        byte[] answer = await response.Content.ReadAsByteArrayAsync().ConfigureAwait(false);
        string status = (response.TrailingHeaders.TryGetValues("grpc-status", out var told)
            || response.Headers.TryGetValues("grpc-status", out told) ? told.First() : "none");
        return status == "0" ? answer[FrameHeader..] : throw new HttpRequestException($"{call} has ended with {status}.");
    }

    private delegate void Write(ref Appender to);

    private static byte[] PutOf(string key, byte[] value) => Message((ref to) =>
    {
        Field(ref to, Key, Encoding.UTF8.GetBytes(key));
        Field(ref to, Value, value);
    });

    private static byte[] Message(Write write)
    {
        using SegmentList list = new();
        Appender to = new(list);
        try
        {
            write(ref to);
            to.Commit();
        }
        finally
        {
            to.Dispose();
        }
        return list.ToArray();
    }

    private static void Field(ref Appender to, int number, byte[] bytes)
    {
        to.WriteVarint(number << 3 | Bytes);
        to.WriteVarint(bytes.Length);
        to.Write(bytes);
    }

    private static byte[]? One(byte[] message, int number) =>
        Fields(message).FirstOrDefault(field => field.Number == number) is { Content: { } content } ? content : null;

    private static List<(int Number, ulong Value, byte[]? Content)> Fields(byte[] message)
    {
        List<(int, ulong, byte[]?)> fields = [];
        SpanReader from = new(message);
        while (from.Remaining > 0)
        {
            (ulong tag, ulong value) = (from.ReadVarint(), from.ReadVarint());
            fields.Add(((int)(tag >> 3), value, (tag & 7) == Number ? null : from.ReadBytes((int)value).ToArray()));
        }
        return fields;
    }
}
