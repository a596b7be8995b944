using System.Runtime.InteropServices;

namespace MemPrims.Channels.Tests;

// A peer in another language, peer.py, that was written from PROTOCOL.md alone, talks to a channel.
[Collection(Alone.Name)]
public class ProtocolTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(60);

    [PythonTheory]
    [InlineData("ring")]
    [InlineData("packets")]
    public async Task A_peer_written_from_the_page_understands_and_is_understood(string way)
    {
        using TempFolder folder = new();
        using SafeFileHandle file = File.OpenHandle("/dev/null");
        using IpcListener listener = IpcListener.Listen(folder.File("s"), new() { MaxHandles = 8 });
        ProcessStartInfo start = new("python3") { RedirectStandardError = true };
        foreach (string argument in (string[])[Path.Combine(AppContext.BaseDirectory, "peer.py"), folder.File("s"), way])
            start.ArgumentList.Add(argument);
        using Process peer = Process.Start(start)!;
        Task<string> errors = peer.StandardError.ReadToEndAsync();
        try
        {
            using IpcChannel channel = listener.Accept(s_soon);
            Assert.Equal(way == "ring", channel.HasSharedMemory);
            int number = 0;
            // Lengths around the sizes of headers, entries, packets, steps and rings, theirs and ours.
            foreach (int length in (int[])[0, 1, 31, 32, 33, 63, 64, 100, 4000, 5000, 8000, 8192, 20_000, 33_000, 50_000, 60_001, 70_000,
                200_000, 1_300_000])
            {
                byte[] sent = Bytes.Random(length, length);
                int files = number++ % 3;
                using Background sending = new(() => channel.Send(sent, [.. Enumerable.Repeat<SafeHandle>(file, files)]));
                using IpcMessage message = (number % 2 == 0 ? channel.Receive(s_soon) : await channel.ReceiveAsync(s_soon))!;
                Array.Reverse(sent);
                Assert.True(message.Payload.Span.SequenceEqual(sent), $"{length} bytes differ");
                Assert.Equal(files, message.Handles.Count);
            }
            // Several under way.
            for (byte i = 0; i < 200; i++) channel.Send([i, 1]);
            for (byte i = 0; i < 200; i++)
                using (IpcMessage message = channel.Receive(s_soon)!) Assert.Equal([1, i], message.Payload.Span.ToArray());
        }
        catch (Exception e)
        {
            peer.Kill();
            throw new InvalidOperationException($"peer.py said: {await errors}", e);
        }
        Assert.True(peer.WaitForExit(s_soon));
        string said = await errors;
        Assert.True(peer.ExitCode == 0 && said == "", $"peer.py ended with {peer.ExitCode} and said: {said}");
    }
}

// A test that needs Python. Elsewhere it is shown as skipped.
internal sealed class PythonTheoryAttribute : TheoryAttribute
{
    public PythonTheoryAttribute()
    {
        string[] folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(':');
        if (!folders.Any(folder => File.Exists(Path.Combine(folder, "python3")))) Skip = "needs python3, in which the peer is written";
    }
}
