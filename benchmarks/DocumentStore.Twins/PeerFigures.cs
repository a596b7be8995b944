using System.Buffers;
using System.Diagnostics;
using Docstore;

namespace DocumentStore.Twins;

/// <summary>
/// The document store beside etcd, on three nodes each, one after the other in every round, with orders that are drawn anew. Only one of
/// them runs at a time: both share the processors with the client.
/// </summary>
internal static class PeerFigures
{
    private const int Rounds = 3, Clients = 16, BatchSize = 100, Gets = 5_000;

    private static readonly (string Name, Func<string, IKeyValues> Start)[] s_stores =
        [("docstore", static folder => new StoreKeyValues(folder)), ("etcd", static folder => new EtcdKeyValues(folder))];

    /// <summary>Prints the middle of the rounds, and least and most.</summary>
    public static async Task CompareAsync(double seconds, string folder)
    {
        Dictionary<string, List<double>[]> figures = [];
        for (int round = 0; round < Rounds; round++)
        {
            for (int store = 0; store < s_stores.Length; store++)
            {
                using IKeyValues started = s_stores[store].Start(Path.Combine(folder, $"{s_stores[store].Name}{round}"));
                foreach ((string what, double rate) in await MeasureAsync(started, TimeSpan.FromSeconds(seconds)).ConfigureAwait(false))
                {
                    if (!figures.TryGetValue(what, out List<double>[]? told)) figures[what] = told = [[], []];
                    told[store].Add(rate);
                }
            }
        }
        Console.WriteLine($"{MemPrims.Benchmarks.Publish.Machine.Here()}. Three nodes, a second: middle of {Rounds} rounds [least-most]");
        foreach ((string what, List<double>[] told) in figures)
        {
            foreach (List<double> some in told) some.Sort();
            string[] all = [.. told.Select(static (some, store) =>
                $"{s_stores[store].Name} {some[Rounds / 2]:N0} [{some[0]:N0}-{some[^1]:N0}]")];
            Console.WriteLine($"{what}: {string.Join(", ", all)}, times {told[0][Rounds / 2] / told[1][Rounds / 2]:0.00}");
        }
    }

    private static async Task<List<(string What, double Rate)>> MeasureAsync(IKeyValues store, TimeSpan time)
    {
        IKeyValueClient[] clients = [.. Enumerable.Range(0, Clients).Select(_ => store.Connect())];
        int first = Random.Shared.Next(10_000_000), next = first;
        // Warm, and enough to be got.
        await RateAsync(Clients, time, PutAsync).ConfigureAwait(false);
        await RateAsync(1, time, PutAllAsync).ConfigureAwait(false);
        while (next - first < Gets) await PutAllAsync(clients[0]).ConfigureAwait(false);
        await RateAsync(Clients, time, static client => client.GetAsync("none", false)).ConfigureAwait(false);
        List<(string, double)> rates =
        [
            ("puts of one client", await RateAsync(1, time, PutAsync).ConfigureAwait(false)),
            ($"puts of {Clients} clients", await RateAsync(Clients, time, PutAsync).ConfigureAwait(false)),
            ($"documents in batches of {BatchSize}", BatchSize * await RateAsync(1, time, PutAllAsync).ConfigureAwait(false)),
        ];
        // Who reads a follower has written there.
        foreach (IKeyValueClient client in clients) await PutAsync(client).ConfigureAwait(false);
        foreach (bool atFollower in (bool[])[false, true])
        foreach (int count in (int[])[1, Clients])
            rates.Add(($"gets of {(count == 1 ? "one client" : $"{count} clients")}{(atFollower ? " at a follower" : "")}",
                await RateAsync(count, time, client => GetAsync(client, atFollower)).ConfigureAwait(false)));
        foreach (IKeyValueClient client in clients) client.Dispose();
        return rates;

        Task PutAsync(IKeyValueClient client) => PutSomeAsync(client, 1);

        Task PutAllAsync(IKeyValueClient client) => PutSomeAsync(client, BatchSize);

        Task PutSomeAsync(IKeyValueClient client, int count)
        {
            int at = Interlocked.Add(ref next, count) - count;
            return client.PutAsync([.. Enumerable.Range(at, count).Select(static number => (Sample.Key(number), OrderOf(number)))]);
        }

        async Task GetAsync(IKeyValueClient client, bool atFollower)
        {
            int number = first + Random.Shared.Next(Gets);
            string key = Sample.Key(number);
            byte[]? found = await client.GetAsync(key, atFollower).ConfigureAwait(false);
            if (!found.AsSpan().SequenceEqual(OrderOf(number))) throw new InvalidDataException($"{key} is not as it was put.");
        }

        async Task<double> RateAsync(int count, TimeSpan time, Func<IKeyValueClient, Task> act)
        {
            long start = Stopwatch.GetTimestamp(), done = 0;
            await Task.WhenAll(clients.Take(count).Select(client => Task.Run(async () =>
            {
                for (; Stopwatch.GetElapsedTime(start) < time; Interlocked.Increment(ref done)) await act(client).ConfigureAwait(false);
            }))).ConfigureAwait(false);
            return done / Stopwatch.GetElapsedTime(start).TotalSeconds;
        }
    }

    private static byte[] OrderOf(int number) => Sample.Order(new ArrayBufferWriter<byte>(512), number).ToArray();
}
