namespace MemPrims.Channels.Tests;

// What is sent arrives, whatever its size and whichever way it goes.
public class ContentTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(20);

    public static TheoryData<bool> Ways => [true, false];

    [Theory]
    [MemberData(nameof(Ways))]
    public void Every_size_up_to_70000_and_around_every_threshold(bool shared)
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { UseSharedMemory = shared });
        Assert.Equal(shared, a.HasSharedMemory);
        byte[] source = Bytes.Random(5 << 20, 1), target = new byte[5 << 20];
        foreach (int size in Sizes())
        {
            using Background sending = new(() => a.Send(source.AsSpan(source.Length - size)));
            if (size % 2 == 0) using (IpcMessage message =
                b.Receive(s_soon)!) Assert.True(message.Payload.Span.SequenceEqual(source.AsSpan(source.Length - size)),
                $"{size} bytes differ");
            else
            {
                Assert.Equal(size, b.Receive(target, s_soon));
                Assert.True(target.AsSpan(0, size).SequenceEqual(source.AsSpan(source.Length - size)), $"{size} bytes differ");
            }
        }
    }

    private static IEnumerable<int> Sizes()
    {
        for (int size = 0; size <= 70_000; size += size < 300 ? 1 : 997) yield return size;
        foreach (int threshold in (int[])[16 << 10, Packets.RingStep, Packets.Largest, 106_496, 212_992,
            RingLayout.UsualLarge, 2 * RingLayout.UsualLarge, 4 << 20])
            for (int size = threshold - 9; size <= threshold + 9; size++) yield return size;
    }

    [Theory, InlineData(3, 100), InlineData(32, 1_000), InlineData(33, 1_000), InlineData(1_500, 10), InlineData(1_500, 2_000)]
    public void A_sequence_of_many_pieces_goes_as_it_lies(int pieces, int length)
    {
        foreach (bool shared in (bool[])[true, false])
        {
            using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { UseSharedMemory = shared });
            byte[] all = Bytes.Random(pieces * length, 2);
            ReadOnlySequence<byte> sequence = Bytes.InPieces(all, length);
            using Background sending = new(() => a.Send(sequence, []));
            using IpcMessage message = b.Receive(s_soon)!;
            Assert.True(message.Payload.Span.SequenceEqual(all));
        }
    }

    [Fact]
    public void A_message_too_long_for_the_span_is_kept()
    {
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b);
        foreach (int size in (int[])[100, 10_000, 60_000])
        {
            byte[] sent = Bytes.Random(size, size);
            a.Send(sent);
            byte[] small = new byte[size - 1], exact = new byte[size];
            Assert.Throws<ArgumentException>(() => b.Receive(small, s_soon));
            Assert.Throws<ArgumentException>(() => b.Receive(Span<byte>.Empty, s_soon));
            Assert.Equal(size, b.Receive(exact, s_soon));
            Assert.Equal(sent, exact);
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task Eight_senders_at_once_never_mix_their_messages(bool shared)
    {
        const int senders = 8, each = 150;
        using Ends ends = Ends.Of(out IpcChannel a, out IpcChannel b, new() { UseSharedMemory = shared });
        Task[] sending = [.. Enumerable.Range(0, senders).Select(sender => Task.Run(() =>
        {
            Random random = Seeds.Random(sender);
            for (int i = 0; i < each; i++)
                a.Send(Bytes.Stamped(sender, i, random.Next(5) switch { 0 => 200_000, 1 => 60_000, _ => 100 } + random.Next(1000)));
        }))];
        int[] next = new int[senders];
        for (int i = 0; i < senders * each; i++)
        {
            using IpcMessage message = b.Receive(s_soon)!;
            (int sender, int number) = Bytes.CheckStamp(message.Payload.Span);
            Assert.Equal(next[sender]++, number);
        }
        await Task.WhenAll(sending);
    }
}
