using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Sets;

/// <summary>
/// One facet of every id of a container, as a number (its ordinal). Where ids are in several facets, there are several columns. A count
/// adds the facets of the ids that the query has, or subtracts those of the ids that it lacks, whichever are fewer.
/// </summary>
internal abstract class FacetColumn
{
    /// <summary>The bytes that the column takes.</summary>
    public abstract int Bytes { get; }

    /// <summary>The time that counting so many ids is expected to take, in the units of <see cref="FacetContainer"/>.</summary>
    public abstract long Cost(int ids, ContainerKind kind);

    /// <summary>Adds <paramref name="sign"/> to the count of the facet of each id. There are at most 4096 ids.</summary>
    public abstract void AddIds(scoped ReadOnlySpan<ushort> ids, int sign, ref FacetTally tally);

    /// <summary>
    /// Adds one to the count of the facet of each id of the query. With <paramref name="inverted"/>, subtracts one for each id that the
    /// query lacks. No id from <paramref name="limit"/> on has a facet; it is a multiple of 64.
    /// </summary>
    public void Count(in ContainerView query, bool inverted, int limit, ref FacetTally tally)
    {
        int sign = inverted ? -1 : 1;
        switch (query.Kind)
        {
            case ContainerKind.Array:
                AddIds(query.Ids, sign, ref tally);
                break;
            case ContainerKind.Bitmap:
                AddBits(ref query.Words, limit >> 6, inverted ? ulong.MaxValue : 0, sign, ref tally);
                break;
            default:
                AddRuns(query.Runs, inverted, limit, sign, ref tally);
                break;
        }
    }

    /// <summary>
    /// Counts the ids whose bit differs from the bit of <paramref name="flip"/>, in the first <paramref name="count"/> words.
    /// </summary>
    protected abstract void AddBits(ref ulong words, int count, ulong flip, int sign, ref FacetTally tally);

    protected abstract void AddStretch(int start, int length, int sign, ref FacetTally tally);

    private void AddRuns(ReadOnlySpan<Run> runs, bool inverted, int limit, int sign, ref FacetTally tally)
    {
        // Stretches of a few ids are collected and counted together, id by id.
        const int few = 16;
        Span<ushort> gathered = stackalloc ushort[512];
        int next = 0, count = 0;
        for (int i = 0; i <= runs.Length; i++)
        {
            // The turn after the last run is for the ids missing behind it.
            int start = i < runs.Length ? runs[i].Start : Math.Max(next, limit), end = i < runs.Length ? runs[i].End + 1 : start;
            // Unchecked bytes may hold runs that overlap. No id is counted twice.
            if (start < next) break;
            (int from, int to) = inverted ? (next, start) : (start, end);
            next = end;
            if (to - from > few) AddStretch(from, to - from, sign, ref tally);
            else for (; from < to; from++) gathered[count++] = (ushort)from;
            if (count <= gathered.Length - few) continue;
            AddIds(gathered[..count], sign, ref tally);
            count = 0;
        }
        AddIds(gathered[..count], sign, ref tally);
    }
}

/// <summary>What columns of narrow and wide ordinals share: they turn ids and bits into the places of ordinals.</summary>
internal abstract class FacetColumn<T>(OrdinalLayer<T> layer) : FacetColumn where T : unmanaged, IBinaryInteger<T>
{
    // The time to bring all bits of a bitmap to their places, in tenths of a nanosecond.
    private const int CostOfPlaces = 15_000;

    protected OrdinalLayer<T> Layer { get; } = layer;

    public sealed override int Bytes => Layer.Bytes;

    public sealed override long Cost(int ids, ContainerKind kind)
    {
        if (kind != ContainerKind.Bitmap || !Layer.IsPacked) return CostOfPlain(ids, kind);
        // Without BMI2 the places take too long, so the sets are counted instead.
        return Bmi2.X64.IsSupported ? CostOfPlaces + CostOfPlain(ids * Layer.Ordinals.Length / Container.Universe, ContainerKind.Array)
            : int.MaxValue;
    }

    /// <summary>The time that counting takes where the place of an id is the id itself.</summary>
    protected abstract long CostOfPlain(int ids, ContainerKind kind);

    /// <summary>Counts the ordinals at these places.</summary>
    protected abstract void AddPlaces(scoped ReadOnlySpan<ushort> places, int sign, ref FacetTally tally);

    /// <summary>Counts the ordinals at the places whose bit differs from the bit of <paramref name="flip"/>.</summary>
    protected virtual void AddPlaces(ref ulong words, int count, ulong flip, int sign, ref FacetTally tally)
    {
        const int chunk = 64;
        Span<ushort> places = stackalloc ushort[chunk * 64];
        Span<ulong> some = stackalloc ulong[chunk];
        for (int word = 0; word < count; word += chunk)
        {
            int length = Math.Min(chunk, count - word);
            for (int i = 0; i < length; i++) some[i] = Unsafe.Add(ref words, word + i) ^ flip;
            AddPlaces(places[..BitmapDecode.Write(ref some[0], 0, length, (ushort)(word << 6), places)], sign, ref tally);
        }
    }

    protected sealed override void AddBits(ref ulong words, int count, ulong flip, int sign, ref FacetTally tally)
    {
        if (!Layer.IsPacked)
        {
            AddPlaces(ref words, count, flip, sign, ref tally);
            return;
        }
        Span<ulong> places = stackalloc ulong[Bitmap.WordCount + 1];
        AddPlaces(ref places[0], Layer.Places(ref words, flip, places), 0, sign, ref tally);
    }

    // A method of its own, because few ids are counted without this buffer.
    [MethodImpl(MethodImplOptions.NoInlining)]
    protected void AddPacked(scoped ReadOnlySpan<ushort> ids, int sign, ref FacetTally tally)
    {
        Span<ushort> places = stackalloc ushort[Container.MaxArray];
        AddPlaces(places[..Layer.Places(ids, places)], sign, ref tally);
    }
}
