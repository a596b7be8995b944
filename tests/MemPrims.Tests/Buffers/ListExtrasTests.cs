using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using MemPrims.Buffers;

namespace MemPrims.Tests.Buffers;

public class ListExtrasTests
{
    private static byte[] Content(int length)
    {
        byte[] content = new byte[length];
        Seeds.Random().NextBytes(content);
        return content;
    }

    [Fact]
    public async Task A_list_takes_in_streams_pipes_and_sequences()
    {
        byte[] content = Content(100_000);
        SegmentList list = new();
        Assert.Equal(content.Length, list.Append(new MemoryStream(content)));
        Assert.Equal(content.Length, await list.AppendAsync(new MemoryStream(content)));
        Pipe pipe = new();
        ValueTask<FlushResult> written = pipe.Writer.WriteAsync(content);
        Task<long> read = list.AppendAsync(pipe.Reader.AsStream());
        await written;
        await pipe.Writer.CompleteAsync();
        Assert.Equal(content.Length, await read);
        list.Append(ReaderTests.Cut(content, 777));
        Assert.Equal([.. content, .. content, .. content, .. content], list.ToArray());
    }

    [Fact]
    public void A_list_is_copied_to_writers()
    {
        byte[] content = Content(50_000);
        SegmentList list = new();
        list.Append(content);
        Assert.Throws<ArgumentException>(() => list.CopyTo((IBufferWriter<byte>)list));
        ArrayBufferWriter<byte> writer = new();
        list.CopyTo(writer);
        Assert.Equal(content, writer.WrittenSpan.ToArray());
    }

    // The pool does not give the list's memory to another list before the stream has taken its bytes.
    [Fact]
    public async Task A_list_disposed_while_it_is_copied_sends_nobody_elses_bytes()
    {
        SegmentList list = new(), other = new();
        list.Append([.. Enumerable.Repeat((byte)0x5A, 300_000)]);
        GatedStream gated = new();
        Task copy = list.CopyToAsync(gated);
        list.Dispose();
        for (int i = 0; i < 20; i++) other.Append([.. Enumerable.Repeat((byte)0x11, 20_000)]);
        gated.Gate.SetResult();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => copy);
        Assert.NotEqual(0, gated.Length);
        Assert.True(gated.ToArray().All(b => b == 0x5A));
    }

    [Fact]
    public void A_stream_that_disposes_the_list_it_takes_is_told_so()
    {
        SegmentList list = new();
        list.Append(new byte[300_000]);
        Assert.Throws<ObjectDisposedException>(() => list.CopyTo(new DisposingStream(list)));
    }

    [Fact]
    public void A_reader_of_no_list_names_its_argument() =>
        Assert.Equal("source", Assert.Throws<ArgumentNullException>(() => new SegmentReader((SegmentList)null!).Position).ParamName);

    private sealed class GatedStream : MemoryStream
    {
        public TaskCompletionSource Gate { get; } = new();

        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await Gate.Task;
            Write(buffer.Span);
        }
    }

    private sealed class DisposingStream(SegmentList list) : MemoryStream
    {
        public override void Write(ReadOnlySpan<byte> buffer) => list.Dispose();
    }

    [Fact]
    public void What_an_appender_wrote_is_seen_before_it_publishes()
    {
        SegmentList list = new();
        list.Append([9, 9]);
        byte[] content = Content(30_000);
        Appender to = new(list);
        Assert.True(to.Written.IsEmpty);
        to.Write(content.AsSpan(0, 100));
        long middle = to.Position;
        to.Write(content.AsSpan(100));
        Assert.Equal(content, to.Written.ToArray());
        Assert.Equal(102, middle);
        Assert.Equal(Checksum.Crc32C(7, content.AsSpan(100)), Checksum.Crc32C(7, to.Written.Slice(middle - 2)));
        Assert.Equal(2, list.Length);
        to.Dispose();
        Assert.Equal(new byte[] { 9, 9 }, list.ToArray());
    }

    [Fact]
    public void A_trimmed_list_goes_on_and_the_pool_drops_what_nobody_asks_for() => Child.Run(TrimAndDrop).AssertSucceeded();

    private static void TrimAndDrop(string[] _)
    {
        SegmentList list = new();
        list.Append(new byte[5_000_000]);
        list.Clear();
        long before = SegmentPool.IdleBytes;
        list.Trim();
        Assert.True(SegmentPool.IdleBytes - before > 3_000_000);
        list.Append([1]);
        Assert.Equal(new byte[] { 1 }, list.ToArray());
        SegmentPool.DropIdle();
        SegmentPool.DropIdle();
        Assert.Equal(0, SegmentPool.IdleBytes);
        // And by itself, at full collections.
        list.Append(new byte[5_000_000]);
        list.Dispose();
        Assert.NotEqual(0, SegmentPool.IdleBytes);
        for (int i = 0; i < 10 && SegmentPool.IdleBytes > 0; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        Assert.Equal(0, SegmentPool.IdleBytes);
    }

    [Fact]
    public void The_span_of_GetSpan_keeps_its_memory()
    {
        Span<byte> span = Abandoned(out WeakReference list);
        span.Fill(7);
        for (int i = 0; i < 3; i++) GC.Collect();
        byte[][] others = [.. Enumerable.Range(0, 100).Select(_ => GC.AllocateArray<byte>(4096 + SegmentPool.Slack, pinned: true))];
        Assert.False(list.IsAlive);
        Assert.Equal(-1, span.IndexOfAnyExcept((byte)7));
        GC.KeepAlive(others);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Span<byte> Abandoned(out WeakReference weak)
    {
        SegmentList list = new();
        weak = new(list);
        return list.GetSpan(100);
    }
}
