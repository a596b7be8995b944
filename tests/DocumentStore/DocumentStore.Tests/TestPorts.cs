using System.Net;
using System.Net.Sockets;
using DocumentStore.Cluster;

namespace DocumentStore.Tests;

/// <summary>
/// Pairs of free ports, below those that the system gives to connections. A file that is locked keeps each pair from other test processes
/// for as long as this has it: a node that was killed comes back at its port. Threads: one.
/// </summary>
internal sealed class TestPorts : IDisposable
{
    private const int Least = 20_000, Most = 30_000;

    // Where the system gives these ports to connections, members of one address are refused.
    private static readonly bool s_sharesAddress = Connections.FirstOfSystem >= Most;

    private readonly List<FileStream> _held = [];

    public IPEndPoint Next()
    {
        while (true)
        {
            int port = 2 * Random.Shared.Next(Least / 2, Most / 2);
            if (TryHold(port) is not { } held) continue;
            _held.Add(held);
            IPEndPoint found = new(s_sharesAddress ? IPAddress.Loopback : new IPAddress([127, 0, 0, (byte)_held.Count]), port);
            if (IsFree(found) && IsFree(NodeOptions.ClientsOf(found))) return found;
        }
    }

    public void Dispose()
    {
        foreach (FileStream held in _held) held.Dispose();
        _held.Clear();
    }

    private static FileStream? TryHold(int port)
    {
        try
        {
            string path = Path.Combine(Path.GetTempPath(), $"docstore-port-{port}");
            return new(path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.None, 1, FileOptions.DeleteOnClose);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static bool IsFree(IPEndPoint at)
    {
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            socket.Bind(at);
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
