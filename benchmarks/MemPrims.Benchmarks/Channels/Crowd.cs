using System.Diagnostics;
using System.Runtime.InteropServices;

namespace MemPrims.Benchmarks.Channels;

/// <summary>
/// Eight connections to eight partner processes, all busy at once, on however many processors there are: more ends than can run. Each
/// partner works on a message before it answers. A batch is over when the last connection has made its round trips.
/// </summary>
internal sealed class Crowd : IDisposable
{
    private const int Count = 8, Size = 64;

    private readonly Process[] _partners = new Process[Count];
    private readonly Link[] _links = new Link[Count];

    public Crowd(Way way)
    {
        Name = way.Name;
        for (int i = 0; i < Count; i++)
        {
            string address = Path.Combine(Path.GetTempPath(), $"memprims-{Guid.NewGuid():N}");
            Func<Link> accept = Link.Listen(way, address);
            _partners[i] = Partner.Start(way, address);
            _links[i] = accept();
        }
    }

    public string Name { get; }

    /// <summary>Round trips on each connection, with steps of work at the partner; what depends on all of them.</summary>
    public long Batch(int trips, long steps)
    {
        Order order = new(Errand.Echo, Affinity.AsPlaced, Size, trips, steps);
        long sum = 0;
        Thread[] threads = [.. _links.Select((link, i) => new Thread(() =>
        {
            Stream orders = _partners[i].StandardInput.BaseStream;
            orders.Write(MemoryMarshal.AsBytes(new ReadOnlySpan<Order>(in order)));
            orders.Flush();
            byte[] buffer = new byte[1 << 16];
            for (int trip = 0; trip < trips; trip++)
            {
                link.Put(buffer, Size);
                Interlocked.Add(ref sum, link.Get(buffer));
            }
        }))];
        foreach (Thread thread in threads) thread.Start();
        foreach (Thread thread in threads) thread.Join();
        return sum == (long)Count * Size * trips ? sum : throw new InvalidOperationException($"{Name}: {sum} bytes came back.");
    }

    public void Dispose()
    {
        foreach (Link link in _links) link.Dispose();
        foreach (Process partner in _partners)
        {
            partner.StandardInput.Close();
            if (!partner.WaitForExit(TimeSpan.FromSeconds(2))) partner.Kill();
            partner.Dispose();
        }
    }
}
