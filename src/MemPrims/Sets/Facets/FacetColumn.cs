using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Sets;

/// <summary>
/// One facet of every id of a container, as an ordinal; ids in several facets are in several columns. What a query has is counted and
/// added, or what it lacks is counted and subtracted, whichever is less.
/// </summary>
internal abstract class FacetColumn
{
    /// <summary>The bytes that it takes.</summary>
    public abstract int Bytes { get; }

    /// <summary>What counting so many ids takes, in the units of <see cref="FacetContainer"/>.</summary>
    public abstract long Cost(int ids, ContainerKind kind);

    /// <summary>Adds so much for the facet of every one of at most 4096 ids.</summary>
    public abstract void AddIds(scoped ReadOnlySpan<ushort> ids, int sign, ref FacetTally tally);

    /// <summary>
    /// Adds one for the facet of every id of the query, or, <paramref name="inverted"/>, takes away one for the facet of every id that it
    /// has not. No id from <paramref name="limit"/> on, a multiple of 64, has a facet.
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

    /// <summary>Counts the ids whose bit differs from <paramref name="flip"/>'s in the first words.</summary>
    protected abstract void AddBits(ref ulong words, int count, ulong flip, int sign, ref FacetTally tally);

    protected abstract void AddStretch(int start, int length, int sign, ref FacetTally tally);

    private void AddRuns(ReadOnlySpan<Run> runs, bool inverted, int limit, int sign, ref FacetTally tally)
    {
        // Short stretches are gathered, id by id.
        const int few = 16;
        Span<ushort> gathered = stackalloc ushort[512];
        int next = 0, count = 0;
        for (int i = 0; i <= runs.Length; i++)
        {
            // Behind the last run comes what is missing after it.
            int start = i < runs.Length ? runs[i].Start : Math.Max(next, limit), end = i < runs.Length ? runs[i].End + 1 : start;
            // Bytes that were not checked may hold runs that overlap: no id is looked at twice.
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

/// <summary>What columns of narrow and of wide ordinals share: from ids and bits to the places of ordinals.</summary>
internal abstract class FacetColumn<T>(OrdinalLayer<T> layer) : FacetColumn where T : unmanaged, IBinaryInteger<T>
{
    // In tenths of a nanosecond: bringing all bits of a bitmap to their places.
    private const int CostOfPlaces = 15_000;

    protected OrdinalLayer<T> Layer { get; } = layer;

    public sealed override int Bytes => Layer.Bytes;

    public sealed override long Cost(int ids, ContainerKind kind)
    {
        if (kind != ContainerKind.Bitmap || !Layer.IsPacked) return CostOfPlain(ids, kind);
        // Without the instruction it is left to the sets.
        return Bmi2.X64.IsSupported ? CostOfPlaces + CostOfPlain(ids * Layer.Ordinals.Length / Container.Universe, ContainerKind.Array)
            : int.MaxValue;
    }

    /// <summary>What it takes where an id's place is its own number.</summary>
    protected abstract long CostOfPlain(int ids, ContainerKind kind);

    /// <summary>Counts the ordinals at these places.</summary>
    protected abstract void AddPlaces(scoped ReadOnlySpan<ushort> places, int sign, ref FacetTally tally);

    /// <summary>Counts the ordinals at the places whose bit differs from <paramref name="flip"/>'s.</summary>
    protected virtual void AddPlaces(ref ulong words, int count, ulong flip, int sign, ref FacetTally tally)
    {
        const int chunk = 64;
        Span<ushort> places = stackalloc ushort[chunk * 64];
        Span<ulong> some = stackalloc ulong[chunk];
        for (int word = 0; word < count; word += chunk)
        {
            int length = Math.Min(chunk, count - word);
            for (int i = 0; i < length; i++) some[i] = Unsafe.Add(ref words, word + i) ^ flip;
            AddPlaces(places[..BitmapDecode.Run(ref some[0], 0, length, (ushort)(word << 6), places)], sign, ref tally);
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

    // Apart, for what is few is counted without a buffer.
    [MethodImpl(MethodImplOptions.NoInlining)]
    protected void AddPacked(scoped ReadOnlySpan<ushort> ids, int sign, ref FacetTally tally)
    {
        Span<ushort> places = stackalloc ushort[Container.MaxArray];
        AddPlaces(places[..Layer.Places(ids, places)], sign, ref tally);
    }
}
