using System.Net;
using System.Net.Sockets;

namespace DocumentStore.Tests;

/// <summary>
/// Pairs of free ports, below those that the system gives to connections. A file that is locked keeps each pair from other test processes
/// for as long as this has it: a node that was killed comes back at its port. Threads: one.
/// </summary>
internal sealed class TestPorts : IDisposable
{
    private readonly List<FileStream> _held = [];

    public IPEndPoint Next()
    {
        while (true)
        {
            int port = 2 * Random.Shared.Next(10_000, 15_000);
            if (TryHold(port) is not { } held) continue;
            _held.Add(held);
            if (IsFree(port) && IsFree(port + 1)) return new(IPAddress.Loopback, port);
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

    private static bool IsFree(int port)
    {
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            socket.Bind(new IPEndPoint(IPAddress.Loopback, port));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
