using System;
using System.Linq;
using System.Text;

/// <summary>The keys of all engines: three lengths, each key once, in random order.</summary>
internal static class Keys
{
    private const uint Odd = 2_654_435_761;

    public static readonly string[] Prefixes =
        ["orders/", "customers/europe/france/orders/2026/", "databases/northwind/documents/customers/europe/france/orders/20/"];

    /// <summary>Ten digits and "-A" behind the prefix.</summary>
    public static byte[][] Of(int count, string prefix)
    {
        byte[][] keys = [.. Enumerable.Range(0, count).Select(i => Encoding.ASCII.GetBytes($"{prefix}{(uint)i * Odd:D10}-A"))];
        return Shuffled(keys, 1);
    }

    public static T[] Shuffled<T>(T[] items, int seed)
    {
        T[] shuffled = [.. items];
        new Random(seed).Shuffle(shuffled);
        return shuffled;
    }
}
