using System.Net;
using System.Net.Sockets;

namespace DocumentStore.Cluster;

/// <summary>A client's connections to the members, each made when it is needed. Threads: one at a time.</summary>
internal sealed class Connections(IPEndPoint[] members) : IDisposable
{
    private const string Range = "/proc/sys/net/ipv4/ip_local_port_range";

    /// <summary>Where the ports begin that the system gives to who connects.</summary>
    public static int FirstOfSystem { get; } = File.Exists(Range) && int.TryParse(File.ReadAllText(Range).Split('\t')[0], out int first)
        ? first : 32_768;

    private readonly TcpClient?[] _connections = new TcpClient?[members.Length];

    private volatile bool _isDisposed;

    /// <summary>A member's answer. A node that hangs does not hold a client up: what was sent may be sent again to another one.</summary>
    public async Task<byte[]> AskAsync(int at, byte[] request, TimeSpan most)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, typeof(ClusterClient));
        using CancellationTokenSource stop = new(most);
        if (_connections[at] is not { } connection)
        {
            _connections[at] = connection = new() { NoDelay = true };
            await connection.ConnectAsync(NodeOptions.ClientsOf(members[at]), stop.Token).ConfigureAwait(false);
        }
        // Who asks for a port that nobody has, among those that the system gives to connections, can get itself.
        if (connection.Client.LocalEndPoint!.Equals(connection.Client.RemoteEndPoint))
            throw new IOException("Nobody listens there.");
        try
        {
            await Message.SendAsync(connection.GetStream(), request, stop.Token).ConfigureAwait(false);
            return await Message.ReceiveAsync(connection.GetStream(), Message.MostAnswer, stop.Token).ConfigureAwait(false);
        }
        catch (EndOfStreamException e)
        {
            throw new IOException("it ends the connection. Is that the port that nodes have as a member's?", e);
        }
    }

    public void Drop(int at) => Interlocked.Exchange(ref _connections[at], null)?.Dispose();

    public void Dispose()
    {
        _isDisposed = true;
        for (int i = 0; i < _connections.Length; i++) Drop(i);
    }
}
