using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// Makes a container of two, straight in its place in a <see cref="SetWriter"/>:
/// <code>
/// array × array    thinned out: their ids meet in vectors; joined: merged in vectors, as bits where more than 4096 ids are likely
/// array × bitmap   thinned out: its ids are looked up; else its bits are set or flipped in a copy of the bitmap
/// array × runs     thinned out: see <see cref="ArrayAndRuns"/>; joined: its ids are runs of one where edges are few, else as bits
/// bitmap × any     one pass over both, the runs as bits
/// runs × runs      their edges merged in vectors; without AVX-512 few by a step an edge, many as bits
/// </code>
/// A cardinality that follows from what is known is not counted.
/// </summary>
internal static class ContainerCombine
{
    /// <summary>Ids become runs of one up to this many edges in all (reasoned: an edge takes a nanosecond, the bitmap two microseconds).</summary>
    private const int MostEdges = 1200;

    /// <summary>Runs are combined as edges up to this many on both sides: more take more than a bitmap does.</summary>
    private const int MostRuns = 2 * RunOverlap.MostRuns;

    /// <summary>Without AVX-512, runs are combined one edge after the other up to this many (reasoned: 5 ns an edge against two bitmaps).</summary>
    private const int MostRunsByStep = 200;

    public static void Run<TOperation>(in ContainerView left, in ContainerView right, int key, SetWriter to) where TOperation : struct, IIdOperation
    {
        switch (left.Kind, right.Kind)
        {
            case (ContainerKind.Array, ContainerKind.Array):
                Arrays<TOperation>(left.Ids, right.Ids, key, to);
                break;
            case (ContainerKind.Array, _) when !TOperation.KeepsRight:
                Thinned(left.Ids, right, TOperation.KeepsBoth, key, to);
                break;
            case (_, ContainerKind.Array) when !TOperation.KeepsLeft:
                Thinned(right.Ids, left, true, key, to);
                break;
            case (ContainerKind.Run, ContainerKind.Run) when IsByEdges(left.Count + right.Count):
                Edges<TOperation>(left.Runs, right.Runs, key, to);
                break;
            case (ContainerKind.Run, ContainerKind.Array) when RunEdges.IsSupported && left.Count + right.Count <= MostEdges / 2:
                Edges<TOperation>(left.Runs, RunsOfOne(right.Ids, stackalloc Run[MostEdges / 2]), key, to);
                break;
            case (ContainerKind.Array, ContainerKind.Run) when RunEdges.IsSupported && left.Count + right.Count <= MostEdges / 2:
                Edges<TOperation>(RunsOfOne(left.Ids, stackalloc Run[MostEdges / 2]), right.Runs, key, to);
                break;
            case (_, ContainerKind.Array):
                ChangeBits<TOperation>(left, right.Ids, key, to);
                break;
            case (ContainerKind.Array, _):
                // Or and Xor: their sides may be exchanged.
                ChangeBits<TOperation>(right, left.Ids, key, to);
                break;
            default:
                Bits<TOperation>(left, right, key, to);
                break;
        }
    }

    private static bool IsByEdges(int runs) => runs <= (RunEdges.IsSupported ? MostRuns : MostRunsByStep);

    private static void Arrays<TOperation>(ReadOnlySpan<ushort> left, ReadOnlySpan<ushort> right, int key, SetWriter to) where TOperation : struct, IIdOperation
    {
        if (!TOperation.KeepsRight)
        {
            ref ushort ids = ref Unsafe.As<byte, ushort>(ref to.Place());
            int kept = TOperation.KeepsBoth ? ArrayPairs.And(left, right, ref ids) : ArrayPairs.AndNot(left, right, ref ids);
            to.Add(key, kept, kept * sizeof(ushort));
            return;
        }
        int most = left.Length + right.Length;
        // Of ids spread evenly, the product over 65,536 are in both.
        int likely = most - (left.Length * right.Length >> (TOperation.KeepsBoth ? 16 : 15));
        if (likely > Container.MaxArray)
        {
            ref ulong words = ref Unsafe.As<byte, ulong>(ref to.Place());
            MemoryMarshal.CreateSpan(ref words, Bitmap.WordCount).Clear();
            Bitmap.Apply<OrIds>(ref words, left);
            int shared = Bitmap.Apply<TOperation>(ref words, right);
            AddBits(ref words, most - (TOperation.KeepsBoth ? shared : 2 * shared), key, to);
            return;
        }
        ref byte place = ref to.Place(most * sizeof(ushort));
        int count = TOperation.KeepsBoth
            ? ArrayPairs.Or(left, right, ref Unsafe.As<byte, ushort>(ref place))
            : ArrayPairs.Xor(left, right, ref Unsafe.As<byte, ushort>(ref place));
        if (count > Container.MaxArray) ToBits(ref place, count, key, to);
        else to.Add(key, count, count * sizeof(ushort));
    }

    // Rare: more ids than the sides' sizes let expect.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ToBits(ref byte place, int count, int key, SetWriter to)
    {
        Span<ulong> words = stackalloc ulong[Bitmap.WordCount];
        words.Clear();
        Bitmap.Apply<OrIds>(ref words[0], MemoryMarshal.CreateReadOnlySpan(ref Unsafe.As<byte, ushort>(ref place), count));
        MemoryMarshal.AsBytes(words).CopyTo(MemoryMarshal.CreateSpan(ref place, Bitmap.Bytes));
        to.Add(key, count, Bitmap.Bytes);
    }

    private static void Thinned(ReadOnlySpan<ushort> ids, in ContainerView other, bool wanted, int key, SetWriter to)
    {
        ref ushort place = ref Unsafe.As<byte, ushort>(ref to.Place());
        int count = other.Kind == ContainerKind.Bitmap
            ? Bitmap.SelectHits(ref other.Words, ids, wanted, ref place)
            : ArrayAndRuns.Select(ids, other.Runs, wanted, ref place);
        to.Add(key, count, count * sizeof(ushort));
    }

    private static ReadOnlySpan<Run> RunsOfOne(ReadOnlySpan<ushort> ids, Span<Run> runs)
    {
        for (int i = 0; i < ids.Length; i++) runs[i] = new(ids[i], ids[i]);
        return runs[..ids.Length];
    }

    [SkipLocalsInit]
    private static void Edges<TOperation>(ReadOnlySpan<Run> left, ReadOnlySpan<Run> right, int key, SetWriter to) where TOperation : struct, IIdOperation
    {
        int most = 2 * (left.Length + right.Length);
        ref byte place = ref to.Place(sizeof(ushort) + most * sizeof(ushort));
        ref ushort edges = ref Unsafe.As<byte, ushort>(ref Unsafe.Add(ref place, sizeof(ushort)));
        int count = RunEdges.IsSupported ? RunEdges.Combine<TOperation>(left, right, ref edges) : RunSteps.Combine<TOperation>(left, right, ref edges);
        Span<Run> runs = MemoryMarshal.CreateSpan(ref Unsafe.As<ushort, Run>(ref edges), count / 2);
        AddRuns(ref place, runs, RunEdges.ToRuns(runs), key, to);
    }

    /// <summary>Runs that lie behind the room for their count become a container of the smallest kind there.</summary>
    private static void AddRuns(ref byte place, Span<Run> runs, int cardinality, int key, SetWriter to)
    {
        if (cardinality == 0) return;
        // Only bytes that change while they are read make more than a container has.
        cardinality = Math.Min(cardinality, Container.Universe);
        if (ContainerBuild.RunsAreSmaller(runs.Length, cardinality))
        {
            Unsafe.WriteUnaligned(ref place, (ushort)runs.Length);
            to.Add(key, cardinality, sizeof(ushort) + runs.Length * Unsafe.SizeOf<Run>(), areRuns: true);
            return;
        }
        RunsToOthers(ref place, runs, cardinality, key, to);
    }

    [MethodImpl(MethodImplOptions.NoInlining), SkipLocalsInit]
    private static void RunsToOthers(ref byte place, ReadOnlySpan<Run> runs, int cardinality, int key, SetWriter to)
    {
        if (cardinality > Container.MaxArray)
        {
            Span<ulong> words = stackalloc ulong[Bitmap.WordCount];
            BitmapRuns.Expand(ref words[0], runs);
            MemoryMarshal.AsBytes(words).CopyTo(MemoryMarshal.CreateSpan(ref to.Place(), Bitmap.Bytes));
            to.Add(key, cardinality, Bitmap.Bytes);
            return;
        }
        Span<ushort> ids = stackalloc ushort[Container.MaxArray];
        ids = ids[..cardinality];
        RunKernels.Decode(runs, (ushort)0, ids);
        MemoryMarshal.AsBytes(ids).CopyTo(MemoryMarshal.CreateSpan(ref to.Place(), ids.Length * sizeof(ushort)));
        to.Add(key, cardinality, cardinality * sizeof(ushort));
    }

    private static void ChangeBits<TOperation>(in ContainerView bits, ReadOnlySpan<ushort> ids, int key, SetWriter to) where TOperation : struct, IIdOperation
    {
        ref ulong words = ref Unsafe.As<byte, ulong>(ref to.Place());
        Bitmap.Expand(ref words, bits);
        int shared = Bitmap.Apply<TOperation>(ref words, ids);
        int cardinality = bits.Cardinality - (TOperation.KeepsBoth ? 0 : shared) + (TOperation.KeepsRight ? ids.Length - shared : 0);
        // Only bytes that change while they are read make it less or more.
        cardinality = Math.Clamp(cardinality, 0, Container.Universe);
        if (bits.Kind == ContainerKind.Run) AddSmallest(ref words, cardinality, key, to);
        else AddBits(ref words, cardinality, key, to);
    }

    [SkipLocalsInit]
    private static void Bits<TOperation>(in ContainerView left, in ContainerView right, int key, SetWriter to) where TOperation : struct, IIdOperation
    {
        ref ulong words = ref Unsafe.As<byte, ulong>(ref to.Place());
        if (left.Kind == right.Kind && left.Kind == ContainerKind.Bitmap)
        {
            AddBits(ref words, BitmapPass.Combine<TOperation>(ref left.Words, ref right.Words, ref words), key, to);
            return;
        }
        Span<ulong> room = stackalloc ulong[2 * Bitmap.WordCount];
        ref ulong a = ref left.Kind == ContainerKind.Bitmap ? ref left.Words : ref room[0];
        ref ulong b = ref right.Kind == ContainerKind.Bitmap ? ref right.Words : ref room[Bitmap.WordCount];
        if (left.Kind != ContainerKind.Bitmap) Bitmap.Expand(ref a, left);
        if (right.Kind != ContainerKind.Bitmap) Bitmap.Expand(ref b, right);
        int cardinality = BitmapPass.Combine<TOperation>(ref a, ref b, ref words);
        if (left.Kind == right.Kind || cardinality == Container.Universe) AddSmallest(ref words, cardinality, key, to);
        else AddBits(ref words, cardinality, key, to);
    }

    /// <summary>Bits at the writer's place, as runs where these are smaller.</summary>
    private static void AddSmallest(ref ulong words, int cardinality, int key, SetWriter to)
    {
        int runs = cardinality == 0 ? 0 : BitmapRuns.Count(ref words);
        if (!ContainerBuild.RunsAreSmaller(runs, cardinality))
        {
            AddBits(ref words, cardinality, key, to);
            return;
        }
        Span<Run> extracted = stackalloc Run[RunOverlap.MostRuns];
        extracted = extracted[..runs];
        BitmapRuns.Extract(ref words, extracted);
        ref byte place = ref Unsafe.As<ulong, byte>(ref words);
        Unsafe.WriteUnaligned(ref place, (ushort)runs);
        MemoryMarshal.AsBytes(extracted).CopyTo(MemoryMarshal.CreateSpan(ref Unsafe.Add(ref place, sizeof(ushort)), runs * Unsafe.SizeOf<Run>()));
        to.Add(key, cardinality, sizeof(ushort) + runs * Unsafe.SizeOf<Run>(), areRuns: true);
    }

    /// <summary>Bits at the writer's place, as an array where they are few.</summary>
    private static void AddBits(ref ulong words, int cardinality, int key, SetWriter to)
    {
        if (cardinality > Container.MaxArray) to.Add(key, cardinality, Bitmap.Bytes);
        else BitsToArray(ref words, cardinality, key, to);
    }

    [MethodImpl(MethodImplOptions.NoInlining), SkipLocalsInit]
    private static void BitsToArray(ref ulong words, int cardinality, int key, SetWriter to)
    {
        Span<ulong> copy = stackalloc ulong[Bitmap.WordCount];
        MemoryMarshal.CreateReadOnlySpan(ref words, Bitmap.WordCount).CopyTo(copy);
        Span<ushort> ids = MemoryMarshal.CreateSpan(ref Unsafe.As<ulong, ushort>(ref words), cardinality + SetWriter.Slack / 4);
        BitmapDecode.Run(ref copy[0], (ushort)0, ids);
        to.Add(key, cardinality, cardinality * sizeof(ushort));
    }
}
