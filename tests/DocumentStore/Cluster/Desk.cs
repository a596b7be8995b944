using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace DocumentStore.Cluster;

/// <summary>
/// Takes the connections of clients, and answers one request after the other on each. There are at most half as many as the process may
/// have descriptors: the runtime ends a process that needs one and gets none. Threads: any.
/// </summary>
internal sealed class Desk(IPEndPoint at, Answers answers, Action<string> tell) : IAsyncDisposable
{
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(1), s_idle = TimeSpan.FromMinutes(5);
    private static readonly int s_most = Math.Min(10_000, MostDescriptors() / 2);
    private readonly TcpListener _listener = new(at);
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentDictionary<Task, bool> _serving = [];
    private Task _listening = Task.CompletedTask;

    public void Start()
    {
        _listener.Start();
        _listening = ListenAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        _listener.Dispose();
        await _listening.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Task.WhenAll(_serving.Keys).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task ListenAsync()
    {
        while (true)
        {
            TcpClient client;
            try
            {
                client = await _listener.AcceptTcpClientAsync(_stop.Token).ConfigureAwait(false);
            }
            catch (SocketException e)
            {
                // The process has no descriptor left, most likely: when one is given back, it goes on.
                tell($"No client can come: {e.Message}");
                await Task.Delay(s_pause, _stop.Token).ConfigureAwait(false);
                continue;
            }
            if (_serving.Count >= s_most)
            {
                tell($"There are {s_most} clients, and no more are taken.");
                client.Dispose();
                await Task.Delay(s_pause, _stop.Token).ConfigureAwait(false);
                continue;
            }
            Task serving = Task.Run(() => ServeAsync(client));
            _serving[serving] = true;
            _ = serving.ContinueWith(ended => _serving.TryRemove(ended, out _), TaskScheduler.Default);
        }
    }

    private async Task ServeAsync(TcpClient client)
    {
        using CancellationTokenSource idle = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        using (client)
        {
            try
            {
                client.NoDelay = true;
                NetworkStream stream = client.GetStream();
                while (true)
                {
                    // A client that has said nothing for so long, or takes no answer, connects again where it is still there.
                    idle.CancelAfter(s_idle);
                    byte[] request = await Message.ReceiveAsync(stream, Message.MostRequest, idle.Token).ConfigureAwait(false);
                    idle.CancelAfter(Timeout.InfiniteTimeSpan);
                    byte[] answer = await answers.ToAsync(request, _stop.Token).ConfigureAwait(false);
                    idle.CancelAfter(s_idle);
                    await Message.SendAsync(stream, answer, idle.Token).ConfigureAwait(false);
                }
            }
            catch (Exception e) when (e is IOException or OperationCanceledException or ObjectDisposedException)
            {
                // The client has gone, the node closes, or its disk fails: a client asks the next one.
            }
        }
    }

    private static int MostDescriptors()
    {
        const string limits = "/proc/self/limits", name = "Max open files";
        string? told = File.Exists(limits) ? File.ReadLines(limits).FirstOrDefault(static line => line.StartsWith(name)) : null;
        return int.TryParse(told?[name.Length..].TrimStart().Split(' ')[0], out int most) ? most : int.MaxValue;
    }
}
