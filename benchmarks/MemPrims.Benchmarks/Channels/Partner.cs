using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace MemPrims.Benchmarks.Channels;

/// <summary>
/// The other process of a .NET contender. It waits on its standard input, without using a processor, until it is told what to do next:
/// so a contender that spins disturbs no other one.
/// </summary>
internal static class Partner
{
    /// <summary>`channels-partner address`, then the words of a <see cref="Way"/>: the entry of the child.</summary>
    public static int Run(string[] args)
    {
        Affinity.DieWithParent();
        using Link link = Link.Connect(Way.Parse(args.AsSpan(2)), args[1]);
        using Stream orders = Console.OpenStandardInput();
        byte[] order = new byte[Order.Bytes];
        while (orders.ReadAtLeast(order, order.Length, throwOnEndOfStream: false) == order.Length)
            if (!Serve(link, MemoryMarshal.Read<Order>(order))) break;
        return 0;
    }

    /// <summary>Carries out one order; false when the other end is gone.</summary>
    public static bool Serve(Link link, Order order)
    {
        Affinity.Pin(order.Processor);
        byte[] buffer = Buffers.Theirs;
        if (order.Errand == Errand.Take) link.Put(buffer, 1);
        for (long i = 0; i < order.Count; i++)
        {
            if (order.Errand == Errand.Sum)
            {
                if (!Sum(link, buffer)) return false;
                continue;
            }
            int length = link.Get(buffer, inRow: order.Errand == Errand.Take);
            if (length <= 0) return false;
            if (length != order.Size) throw new InvalidOperationException($"A message of {length} bytes, not of {order.Size}.");
            Work.Do(order.Steps);
            if (order.Errand == Errand.Echo) link.Put(buffer, length);
        }
        if (order.Errand == Errand.Take) link.Put(buffer, 1);
        return true;
    }

    private static bool Sum(Link link, byte[] buffer)
    {
        int length = link.Get(buffer);
        if (length <= 0) return false;
        long sum = Pieces.Sum(buffer.AsSpan(0, length));
        BitConverter.TryWriteBytes(buffer, sum);
        link.Put(buffer, sizeof(long));
        return true;
    }

    public static Process Start(Way way, string address)
    {
        string library = typeof(Partner).Assembly.Location;
        bool isOwn = Path.GetFileName(Environment.ProcessPath) == Path.GetFileNameWithoutExtension(library);
        ProcessStartInfo start = new(isOwn ? Environment.ProcessPath! : "dotnet") { RedirectStandardInput = true };
        if (!isOwn) start.ArgumentList.Add(library);
        foreach (string argument in (string[])["channels-partner", address, .. way.Arguments]) start.ArgumentList.Add(argument);
        // Without instrumented code the warm-up needs one step less.
        start.Environment["DOTNET_TieredPGO"] = "0";
        return Process.Start(start)!;
    }
}

internal enum Errand
{
    /// <summary>Every message goes back.</summary>
    Echo,

    /// <summary>One byte goes back at the beginning, and one after the last message.</summary>
    Take,

    /// <summary>The sum of every message goes back.</summary>
    Sum,
}

/// <summary>What the partner does next: so many messages of this size, so many steps of work for each, on this processor.</summary>
internal readonly record struct Order(Errand Errand, int Processor, long Size, long Count, long Steps)
{
    public const int Bytes = 32;
}

/// <summary>
/// One buffer for all contenders of a process, and one for its partner where that is a thread: only one contender runs at a time.
/// </summary>
internal static class Buffers
{
    public const int Most = 8 << 20;

    public static byte[] Ours { get; } = GC.AllocateArray<byte>(Most, pinned: true);

    public static byte[] Theirs { get; } = GC.AllocateArray<byte>(Most, pinned: true);
}

/// <summary>The work on a payload that is built and summed.</summary>
internal static class Pieces
{
    public static void Fill(Span<byte> target, long seed)
    {
        Span<Vector512<long>> words = MemoryMarshal.Cast<byte, Vector512<long>>(target);
        Vector512<long> next = Vector512.Create(seed) + Vector512.Create(0, 256, 512, 768, 1024, 1280, 1536, 1792L),
            step = Vector512.Create(2048L);
        for (int i = 0; i < words.Length; i++, next += step) words[i] = next;
    }

    public static long Sum(ReadOnlySpan<byte> source)
    {
        Vector512<long> sum = default;
        foreach (Vector512<long> words in MemoryMarshal.Cast<byte, Vector512<long>>(source)) sum += words;
        return Vector512.Sum(sum);
    }
}
