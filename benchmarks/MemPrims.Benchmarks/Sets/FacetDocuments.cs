using MemPrims.Sets;

namespace MemPrims.Benchmarks.Sets;

/// <summary>
/// A million documents with one or three values each, even or skewed (the value of rank n is as frequent as 1 / n): as a
/// <see cref="FacetField"/>, and as the <c>int[]</c> from document to values that people keep by hand. A document's values lie side by
/// side there too.
/// </summary>
internal sealed class FacetDocuments
{
    public const int Count = 1_000_000;

    private static readonly Dictionary<(int, bool, int), WeakReference<FacetDocuments>> s_made = [];

    private FacetDocuments(int values, bool skewed, int each)
    {
        Each = each;
        ValueOf = new int[Count * each];
        Random random = new(values + each);
        double[] upTo = new double[values];
        for (int rank = 0; rank < values; rank++) upTo[rank] = (rank == 0 ? 0 : upTo[rank - 1]) + 1.0 / (rank + 1);
        // The field gives ordinals as values come: all of them once, in order, so that both number them alike.
        byte[][] names = [.. Enumerable.Range(0, values).Select(value => System.Text.Encoding.UTF8.GetBytes($"value {value}"))];
        for (int value = 0; value < values; value++)
        {
            Field.Add(0, names[value]);
            Field.Remove(0, names[value]);
        }
        for (int document = 0; document < Count; document++)
            for (int n = 0; n < each; n++)
            {
                int value = skewed ? Math.Min(values - 1, ~Array.BinarySearch(upTo, random.NextDouble() * upTo[^1]) & int.MaxValue)
                    : random.Next(values);
                // A second value is another one.
                while (!Field.Add((uint)document, names[value])) value = (value + 1) % values;
                ValueOf[document * each + n] = value;
            }
        Values = values;
    }

    public int Values { get; }

    public int Each { get; }

    /// <summary>The values of every document.</summary>
    public int[] ValueOf { get; }

    public FacetField Field { get; } = new();

    /// <summary>Made once for all cases that use them.</summary>
    public static FacetDocuments Of(int values, bool skewed, int each)
    {
        if (!s_made.TryGetValue((values, skewed, each), out WeakReference<FacetDocuments>? made)
            || !made.TryGetTarget(out FacetDocuments? documents))
            s_made[(values, skewed, each)] = new(documents = new(values, skewed, each));
        return documents;
    }
}
