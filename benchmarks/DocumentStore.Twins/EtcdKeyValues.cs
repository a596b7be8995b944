using System.Diagnostics;

namespace DocumentStore.Twins;

/// <summary>
/// Three members of etcd as processes of this machine, as its settings are. Get it by <c>apt-get install etcd-server</c>. Clients ask the
/// one that leads, which is its best case. Threads: one.
/// </summary>
internal sealed class EtcdKeyValues : IKeyValues
{
    private readonly Process[] _members;
    private readonly int[] _ports = [.. Enumerable.Range(0, 3).Select(static _ => ClusterNodes.FreePort())];
    private readonly int _leader;

    public EtcdKeyValues(string folder)
    {
        string all = string.Join(',', _ports.Select(static (port, at) => $"m{at}=http://127.0.0.1:{port}"));
        _members = [.. _ports.Select((port, at) => Process.Start("etcd", ["--name", $"m{at}", "--data-dir", Path.Combine(folder, $"m{at}"),
            "--logger", "zap", "--log-level", "error", "--initial-cluster", all, "--initial-cluster-state", "new",
            "--listen-peer-urls", $"http://127.0.0.1:{port}", "--initial-advertise-peer-urls", $"http://127.0.0.1:{port}",
            "--listen-client-urls", $"http://127.0.0.1:{port + 1}", "--advertise-client-urls", $"http://127.0.0.1:{port + 1}"]))];
        for (long start = Stopwatch.GetTimestamp(); ; Thread.Sleep(50))
        {
            for (int at = 0; at < _ports.Length; at++)
            {
                using EtcdClient client = new(_ports[at] + 1, _ports[at] + 1);
                if (!client.LeadsAsync().Result) continue;
                _leader = at;
                return;
            }
            if (Stopwatch.GetElapsedTime(start) > TimeSpan.FromMinutes(1)) throw new InvalidOperationException("No member of etcd leads.");
        }
    }

    public IKeyValueClient Connect() => new EtcdClient(_ports[_leader] + 1, _ports[(_leader + 1) % 3] + 1);

    public void Dispose()
    {
        foreach (Process member in _members)
        {
            member.Kill();
            member.WaitForExit();
            member.Dispose();
        }
    }
}
