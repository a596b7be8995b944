using System.Net;
using System.Net.Sockets;

namespace DocumentStore.Tests;

/// <summary>
/// Stands before both ports of each node, and cuts off, delays or changes what goes between chosen ones. Who has connected it learns from
/// the system's table of connections. What was held back is never delivered later: its connection is closed. Threads: any.
/// </summary>
internal sealed class TestProxy : IDisposable
{
    private const int LongPiece = 4 << 10;

    private readonly CancellationTokenSource _stop = new();
    private readonly List<TcpListener> _listeners = [];
    private readonly Func<int, int?> _processOf;
    private readonly int _nodes;
    private volatile int _cutOff;
    private int _cuts;

    /// <param name="members">Where to listen for each node, and at the next port.</param>
    /// <param name="nodes">Where each node listens.</param>
    /// <param name="processOf">A node's process.</param>
    public TestProxy(IPEndPoint[] members, IPEndPoint[] nodes, Func<int, int?> processOf)
    {
        (_processOf, _nodes) = (processOf, nodes.Length);
        for (int i = 0; i < 2 * nodes.Length; i++)
        {
            (int node, int port) = (i / 2, i % 2);
            TcpListener listener = new(members[node].Address, members[node].Port + port);
            listener.Start();
            _listeners.Add(listener);
            _ = ListenAsync(listener, node + 1, new(nodes[node].Address, nodes[node].Port + port));
        }
    }

    /// <summary>How many milliseconds each piece may be late, by chance: those of different connections overtake each other.</summary>
    public volatile int MostDelay;

    /// <summary>
    /// So many long pieces that one node sends to another one are still to be cut: a part of it arrives, and then the connection ends.
    /// </summary>
    public int Cuts => Volatile.Read(ref _cuts);

    /// <summary>Changes what one answers to another one that asks as a client.</summary>
    public Action<int, int, Memory<byte>> Change { get; set; } = static (_, _, _) => { };

    /// <summary>Lets nothing go between a node and the others. Clients, who are no node, reach it.</summary>
    public void CutOff(int node) => _cutOff = node;

    /// <summary>Cuts that many more long pieces in the middle.</summary>
    public void Cut(int pieces) => Interlocked.Add(ref _cuts, pieces);

    /// <summary>Lets all go again, and at once.</summary>
    public void Heal() => (_cutOff, MostDelay) = (0, 0);

    public void Dispose()
    {
        _stop.Cancel();
        foreach (TcpListener listener in _listeners) listener.Dispose();
    }

    private async Task ListenAsync(TcpListener listener, int to, IPEndPoint node)
    {
        while (!_stop.IsCancellationRequested)
        {
            TcpClient asks = await listener.AcceptTcpClientAsync(_stop.Token);
            _ = Task.Run(() => ConnectAsync(asks, to, node));
        }
    }

    private async Task ConnectAsync(TcpClient asks, int to, IPEndPoint node)
    {
        using TcpClient answers = new();
        using (asks)
        {
            try
            {
                bool isClients = node.Port % 2 > 0;
                int from = TestSocket.OtherEndOf(asks) is { } socket ? Enumerable.Range(1, _nodes).FirstOrDefault(
                    one => _processOf(one) is { } process && TestSocket.IsOf(process, socket)) : 0;
                // At the port of Raft it was a node, which has ended or given up meanwhile.
                if ((from == 0 && !isClients) || await IsHeldAsync(from, to)) return;
                await answers.ConnectAsync(node, _stop.Token);
                (asks.NoDelay, answers.NoDelay) = (true, true);
                await await Task.WhenAny(PumpAsync(asks, answers, from, to, false),
                    PumpAsync(answers, asks, to, from, isClients));
            }
            catch (Exception e) when (e is IOException or SocketException or OperationCanceledException or InvalidOperationException)
            {
                // One of the two has ended: the other one learns of it.
            }
        }
    }

    private async Task PumpAsync(TcpClient source, TcpClient target, int from, int to, bool mayChange)
    {
        byte[] piece = new byte[1 << 16];
        while (await source.GetStream().ReadAsync(piece, _stop.Token) is > 0 and int length)
        {
            if (await IsHeldAsync(from, to)) return;
            if (MostDelay is > 0 and int delay) await Task.Delay(Random.Shared.Next(delay), _stop.Token);
            if (mayChange) Change(from, to, piece.AsMemory(0, length));
            if (from > 0 && to > 0 && length > LongPiece && Cuts > 0 && Interlocked.Decrement(ref _cuts) >= 0)
            {
                await target.GetStream().WriteAsync(piece.AsMemory(0, Random.Shared.Next(length)), _stop.Token);
                return;
            }
            await target.GetStream().WriteAsync(piece.AsMemory(0, length), _stop.Token);
        }
    }

    /// <returns>Whether they were cut off: what was on its way is lost.</returns>
    private async Task<bool> IsHeldAsync(int from, int to)
    {
        bool isHeld = false;
        for (; from > 0 && to > 0 && (from == _cutOff || to == _cutOff); await Task.Delay(10, _stop.Token)) isHeld = true;
        return isHeld;
    }
}
