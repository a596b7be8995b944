using System.Text;

namespace MemPrims.Benchmarks.Pages;

/// <summary>The kinds of keys that the cases store, drawn from a seed.</summary>
internal static class PageKeys
{
    private const int Seed = 20_260_101;

    /// <summary>"documents/" and one to three digits: 11 to 13 bytes, 10 of them shared.</summary>
    public static byte[][] Documents(int count) => [.. Enumerable.Range(1, count).Select(id =>
        Encoding.ASCII.GetBytes($"documents/{id}"))];

    public static byte[][] Orders(int count, int first = 1) =>
        [.. Enumerable.Range(first, count).Select(id => Encoding.ASCII.GetBytes($"orders/{id:0000000}"))];

    public static byte[][] UnpaddedOrders(int count) =>
        [.. Enumerable.Range(1, count).Select(id => Encoding.ASCII.GetBytes($"orders/{id}"))];

    /// <summary>3 to 12 letters, each as frequent as in English text, so that words begin alike.</summary>
    public static byte[][] Words(int count)
    {
        const string letters = "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddlllluuucccmmmwwffggyyppbbvk";
        Random random = new(Seed);
        HashSet<string> words = [];
        while (words.Count < count)
            words.Add(string.Create(random.Next(3, 13), random, static (text, random) =>
            {
                for (int i = 0; i < text.Length; i++) text[i] = letters[random.Next(letters.Length)];
            }));
        return [.. words.Select(Encoding.ASCII.GetBytes)];
    }

    public static byte[][] Random16(int count)
    {
        Random random = new(Seed);
        return [.. Enumerable.Range(0, count).Select(_ => { byte[] key = new byte[16]; random.NextBytes(key); return key; })];
    }

    /// <summary>
    /// A value of a secondary index, then the number of the document: in the order of the documents, so the keys come in random order.
    /// </summary>
    public static byte[][] SecondaryIndex(int count)
    {
        Random random = new(Seed);
        return [.. Enumerable.Range(1, count).Select(id =>
            Encoding.ASCII.GetBytes($"customer/{random.Next(count / 10):000000}/{id:0000000}"))];
    }

    /// <summary>A host, one of three sections, and a number: of all keys of a section the heads are equal.</summary>
    public static byte[][] Addresses(int count)
    {
        Random random = new(Seed);
        string[] sections = ["blog", "docs", "shop"];
        return [.. Enumerable.Range(0, count).Select(_ =>
            Encoding.ASCII.GetBytes($"https://s/{sections[random.Next(3)]}/{random.Next(10_000_000):0000000}"))];
    }

    /// <summary>A user, a project, a part and a file: neighbours share all but the end of some 60 bytes.</summary>
    public static byte[][] Paths(int count) => [.. Enumerable.Range(1, count).Select(id => Encoding.ASCII.GetBytes(
        $"/home/users/user-{id % 991}/projects/project-{id % 17}/src/part-{id / 991}/file-{id}.cs"))];

    /// <summary>The order of the keys' bytes.</summary>
    public static IComparer<byte[]> Bytes { get; } = Comparer<byte[]>.Create((left, right) => left.AsSpan().SequenceCompareTo(right));

    /// <summary>
    /// In another order, and in that order in memory too: a key that comes to an index has mostly just been made, and is in the cache.
    /// </summary>
    public static byte[][] Shuffled(byte[][] keys) => [.. Scattered(keys).Select(key => (byte[])key.Clone())];

    /// <summary>In another order, but each key where it was: reading a key is a miss of the cache then, for every contender.</summary>
    public static byte[][] Scattered(byte[][] keys)
    {
        byte[][] shuffled = [.. keys];
        new Random(Seed).Shuffle(shuffled);
        return shuffled;
    }

    /// <summary>"11–13 bytes: 11 3 %, 12 33 %, …": the lengths of the keys, for the header of a case.</summary>
    public static string Histogram(byte[][] keys) =>
        string.Join(", ", keys.GroupBy(key => key.Length).OrderBy(group => group.Key)
            .Select(group => $"{group.Key} B {100.0 * group.Count() / keys.Length:0.#} %"));
}
