using System.Net;
using System.Net.Sockets;

namespace DocumentStore.Tests;

/// <summary>The other end of a connection on this machine, by the system's table. Threads: static.</summary>
internal static class TestSocket
{
    private static readonly string[] s_tables = ["/proc/net/tcp", "/proc/net/tcp6"];

    /// <summary>How the descriptors of the process at the other end name it; null where it is gone.</summary>
    public static string? OtherEndOf(TcpClient connection)
    {
        // The system gives one port to several connections, as long as they go to different ones.
        string own = EndOf(connection.Client.RemoteEndPoint!), other = EndOf(connection.Client.LocalEndPoint!);
        return s_tables.SelectMany(File.ReadLines).Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .Where(parts => parts[1].EndsWith(own, StringComparison.Ordinal) && parts[2].EndsWith(other, StringComparison.Ordinal))
            .Select(static parts => $"socket:[{parts[9]}]").FirstOrDefault();

        static string EndOf(EndPoint end) => $":{((IPEndPoint)end).Port:X4}";
    }

    /// <summary>Whether a process has it.</summary>
    public static bool IsOf(int process, string socket)
    {
        try
        {
            return Directory.EnumerateFiles($"/proc/{process}/fd").Any(one => TargetOf(one) == socket);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // It ends.
            return false;
        }
    }

    // It may be closed by now, and another one be the socket.
    private static string? TargetOf(string descriptor)
    {
        try
        {
            return new FileInfo(descriptor).LinkTarget;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
