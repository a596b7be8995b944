namespace MemPrims.Sets;

// What two containers make: how many ids they share, and a new container, written in its place in a SetWriter.
//     count            array                 bitmap                runs
//     array            blocks meet, or few   each id is tested     see ArrayAndRuns
//                      are looked up
//     bitmap                                 one pass              runs are counted one by one, or become bits
//     runs                                                         vectors meet (RunOverlap), or few are looked up
//
//     combine          array                 bitmap                runs
//     array            thinned: they meet,   thinned: each id is   thinned: see ArrayAndRuns
//                      joined: merged        tested, joined: bits  joined: by edges where the result will be runs, else as bits
//                      in vectors, or bits   change in a copy
//     bitmap                                 one pass              one pass, runs become bits first
//     runs                                                         by edges: few are spliced into many (EdgeList), else both are
//                                                                  merged, in vectors with AVX-512 (RunEdges), else one by one or as bits
// "Thinned" means that the result is a part of the array (And, AndNot of an array), "joined" that it has ids of both sides. If the
// cardinality of the result follows from known numbers, nothing is counted.
internal static class PairTable
{
    // Runs are merged in vectors up to this many on both sides: more take more than a bitmap does.
    private const int MostRuns = 2 * RunOverlap.MostRuns;

    // Without AVX-512, up to this many edges are merged one by one (Sets/pairs on AVX2: 2 ns an edge; two bitmaps and back take 3 µs).
    private const int MostEdgesByStep = 1500;

    // From this ratio on, the edges of the shorter side are spliced into those of the longer side (a search and a copy take 20 ns, an edge
    // in a merge 0.6).
    private const int Uneven = 8;

    // Up to this many ids on the shorter side are looked up: Sets/shapes, 10 × 10 in 100.
    private const int FewIds = 16;

    // So few runs are intersected one by one: a step takes 2 ns, a turn of the network 10 (Sets/real data, And).
    private const int FewRuns = 16;

    // With AVX-512, so few ids and runs are merged as runs: Sets/pairs, 30 ids × 20 runs, 210 ns; edge by edge 780.
    private const int MostRunsOfOne = 128;

    // From so many ids on, a bitmap is made of them and combined with the other in one pass. A pass takes as long as changing 250 single
    // bits.
    private const int FewestForPass = 256;

    private static int ScratchEdges => 2 * Container.MaxArray + EdgeList.Slack;

    // How many ids two containers share, without making the result.
    // Array is 0, and Run alone has its bit: so one test asks for the kinds of both.
    // Views are passed by value. By reference, the caller would keep them in memory, which slows even the meeting of small arrays.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Count(ContainerView a, ContainerView b) =>
        (a.Kind | b.Kind) == ContainerKind.Array ? Arrays(a.Ids, b.Ids)
        : (a.Kind, b.Kind) == (ContainerKind.Array, ContainerKind.Bitmap) ? Bitmap.CountHits(ref b.Words, a.Ids)
        : (a.Kind & b.Kind) == ContainerKind.Run && !(a.IsFull | b.IsFull) ? RunKernels.Count(a.Runs, b.Runs)
        : (a.Kind, b.Kind) == (ContainerKind.Array, ContainerKind.Run) ? ArrayAndRuns.Count(a.Ids, b.Runs)
        : (a.Kind, b.Kind) == (ContainerKind.Run, ContainerKind.Array) ? ArrayAndRuns.Count(b.Ids, a.Runs)
        : OtherKinds(a, b);

    private static int Arrays(ReadOnlySpan<ushort> a, ReadOnlySpan<ushort> b)
    {
        ReadOnlySpan<ushort> few = a.Length < b.Length ? a : b, many = a.Length < b.Length ? b : a;
        if (FewInVector.Suit(few, many)) return FewInVector.Count(few, many);
        return few.Length <= FewIds || SortedKernels.IsUneven(few.Length, many.Length) ? ArraySearch.Count(few, many)
            : (int)SortedKernels.Count(few, many);
    }

    private static int OtherKinds(ContainerView a, ContainerView b) => (a.Kind, b.Kind) switch
    {
        (ContainerKind.Bitmap, ContainerKind.Bitmap) => BitmapPass.CountAnd(ref a.Words, ref b.Words),
        (ContainerKind.Bitmap, ContainerKind.Array) => Bitmap.CountHits(ref a.Words, b.Ids),
        (ContainerKind.Run, _) => WithRuns(a, b),
        _ => WithRuns(b, a),
    };

    private static int WithRuns(ContainerView runs, ContainerView other) =>
        runs.IsFull ? other.Cardinality
        : other.IsFull ? runs.Cardinality : BitmapRuns.CountIn(ref other.Words, runs.Runs, runs.Cardinality);

    // Writes what the operation keeps of two containers.
    public static void Combine<TOperation>(in ContainerView left, in ContainerView right, int key, SetWriter to)
        where TOperation : struct, IIdOperation
    {
        switch (left.Kind, right.Kind)
        {
            case (ContainerKind.Array, ContainerKind.Array):
                Arrays<TOperation>(left, right, key, to);
                break;
            case (ContainerKind.Array, _):
                if (!TOperation.KeepsRight) Thinned<TOperation>(left.Ids, right, key, to);
                else Joined<TOperation>(right, left, key, to);
                break;
            case (_, ContainerKind.Array):
                if (!TOperation.KeepsLeft) Thinned<TOperation>(right.Ids, left, key, to);
                else Joined<TOperation>(left, right, key, to);
                break;
            case (ContainerKind.Run, ContainerKind.Run):
                Runs<TOperation>(left, right, key, to);
                break;
            default:
                Bits<TOperation>(left, right, key, to);
                break;
        }
    }

    // An array with bits or runs whose ids stay. Where the array is the left side, the operation is Or or Xor: their sides may be
    // exchanged.
    private static void Joined<TOperation>(in ContainerView other, in ContainerView array, int key, SetWriter to)
        where TOperation : struct, IIdOperation
    {
        if (other.Kind == ContainerKind.Run && other.Count <= RunOverlap.MostRuns) RunsAndIds<TOperation>(other, array, key, to);
        else ChangeBits<TOperation>(other, array, key, to);
    }

    private static void Runs<TOperation>(in ContainerView left, in ContainerView right, int key, SetWriter to)
        where TOperation : struct, IIdOperation
    {
        bool isAnd = !(TOperation.KeepsLeft | TOperation.KeepsRight);
        if (isAnd && left.Count + right.Count <= FewRuns) FewCommon(left.Runs, right.Runs, key, to);
        else if (left.Count + right.Count > MostRuns) Bits<TOperation>(left, right, key, to);
        else if (left.Count * Uneven <= right.Count) ByEdges<TOperation>(left, right, areSpliced: true, key, to);
        else if (right.Count * Uneven <= left.Count) ByEdges<Exchanged<TOperation>>(right, left, areSpliced: true, key, to);
        else if (RunEdges.IsSupported) Edges<TOperation>(left.Runs, right.Runs, key, to);
        else if (2 * (left.Count + right.Count) <= MostEdgesByStep) ByEdges<TOperation>(left, right, areSpliced: false, key, to);
        else Bits<TOperation>(left, right, key, to);
    }

    private static void FewCommon(ReadOnlySpan<Run> left, ReadOnlySpan<Run> right, int key, SetWriter to)
    {
        ref byte place = ref to.Place();
        ref Run first = ref Unsafe.As<byte, Run>(ref Unsafe.Add(ref place, sizeof(ushort)));
        int count = RunKernels.Intersect(left, right, ref first, out int ids);
        ContainerBuild.Runs(ref place, MemoryMarshal.CreateSpan(ref first, count), ids, key, to);
    }

    private static void RunsAndIds<TOperation>(in ContainerView runs, in ContainerView ids, int key, SetWriter to)
        where TOperation : struct, IIdOperation
    {
        // A guess for ids that are spread evenly: the share inside runs is the share of the container that the runs cover.
        int inside = (int)((long)ids.Count * runs.Cardinality >> 16);
        int likely = runs.Count + (TOperation.KeepsBoth ? ids.Count - inside : TOperation.KeepsRight ? ids.Count : inside);
        if (RunEdges.IsSupported && runs.Count + ids.Count <= MostRunsOfOne) Edges<TOperation>(runs.Runs, RunsOfOne(ids.Ids,
            stackalloc Run[MostRunsOfOne]), key, to);
        else if (!ContainerBuild.RunsAreSmaller(likely, Container.Universe)) ChangeBits<TOperation>(runs, ids, key, to);
        else if (ids.Count * Uneven <= runs.Count) ByEdges<Exchanged<TOperation>>(ids, runs, areSpliced: true, key, to);
        else if (runs.Count * Uneven <= ids.Count) ByEdges<TOperation>(runs, ids, areSpliced: true, key, to);
        else if (2 * (runs.Count + ids.Count) <= MostEdgesByStep) ByEdges<TOperation>(runs, ids, areSpliced: false, key, to);
        else ChangeBits<TOperation>(runs, ids, key, to);
    }

    // Splices the edges of few into those of many, or merges both one by one.
    private static void ByEdges<TOperation>(in ContainerView few, in ContainerView many, bool areSpliced, int key, SetWriter to)
        where TOperation : struct, IIdOperation
    {
        Span<ushort> edgesOfFew = stackalloc ushort[MostEdgesByStep + EdgeList.Slack], edgesOfMany = stackalloc ushort[ScratchEdges];
        edgesOfFew = edgesOfFew[..EdgesOf(few, ref edgesOfFew[0])];
        edgesOfMany = edgesOfMany[..EdgesOf(many, ref edgesOfMany[0])];
        ref byte place = ref PlaceOfEdges(edgesOfFew.Length + edgesOfMany.Length, to, out Span<ushort> edges);
        int count = areSpliced ? EdgeList.Splice<TOperation>(edgesOfFew, edgesOfMany, ref edges[0])
            : EdgeList.Merge<TOperation>(edgesOfFew, edgesOfMany, ref edges[0]);
        AddEdges(ref place, edges, count, key, to);
    }

    private static ReadOnlySpan<Run> RunsOfOne(ReadOnlySpan<ushort> ids, Span<Run> runs)
    {
        for (int i = 0; i < ids.Length; i++) runs[i] = new(ids[i], ids[i]);
        return runs[..ids.Length];
    }

    private static int EdgesOf(in ContainerView container, ref ushort edges) =>
        container.Kind == ContainerKind.Run ? EdgeList.OfRuns(container.Runs, ref edges) : EdgeList.OfIds(container.Ids, ref edges);

    private static ref byte PlaceOfEdges(int most, SetWriter to, out Span<ushort> edges)
    {
        ref byte place = ref to.Place(sizeof(ushort) + most * sizeof(ushort));
        edges = MemoryMarshal.CreateSpan(ref Unsafe.As<byte, ushort>(ref Unsafe.Add(ref place, sizeof(ushort))), most + EdgeList.Slack);
        return ref place;
    }

    private static void AddEdges(ref byte place, Span<ushort> edges, int count, int key, SetWriter to)
    {
        Span<Run> runs = MemoryMarshal.Cast<ushort, Run>(edges[..count]);
        ContainerBuild.Runs(ref place, runs, RunEdges.ToRuns(runs), key, to);
    }

    private static void Arrays<TOperation>(in ContainerView leftArray, in ContainerView rightArray, int key, SetWriter to)
        where TOperation : struct, IIdOperation
    {
        ReadOnlySpan<ushort> left = leftArray.Ids, right = rightArray.Ids;
        if (!TOperation.KeepsRight)
        {
            // Room for both sides: ids that change while they are read may be written more than once.
            ref ushort ids = ref Unsafe.As<byte, ushort>(ref to.Place((left.Length + right.Length) * sizeof(ushort)));
            int kept = TOperation.KeepsBoth ? ArrayPairs.And(left, right, ref ids) : ArrayPairs.AndNot(left, right, ref ids);
            to.Add(key, kept, kept * sizeof(ushort));
            return;
        }
        int most = left.Length + right.Length;
        // A guess for ids that are spread evenly: the product of the lengths over 65,536 is in both.
        int likely = most - (left.Length * right.Length >> (TOperation.KeepsBoth ? 16 : 15));
        if (likely > Container.MaxArray)
        {
            Bits<TOperation>(leftArray, rightArray, key, to);
            return;
        }
        ref byte place = ref to.Place(most * sizeof(ushort));
        int count = ArrayPairs.Join<TOperation>(left, right, ref Unsafe.As<byte, ushort>(ref place));
        if (count > Container.MaxArray) ToBits(ref place, count, key, to);
        else to.Add(key, count, count * sizeof(ushort));
    }

    // Rare: the result has more ids than were expected.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ToBits(ref byte place, int count, int key, SetWriter to)
    {
        Span<ulong> words = stackalloc ulong[Bitmap.WordCount];
        words.Clear();
        Bitmap.Apply<OrIds>(ref words[0], MemoryMarshal.CreateReadOnlySpan(ref Unsafe.As<byte, ushort>(ref place), count));
        MemoryMarshal.AsBytes(words).CopyTo(MemoryMarshal.CreateSpan(ref place, Bitmap.Bytes));
        to.Add(key, count, Bitmap.Bytes);
    }

    private static void Thinned<TOperation>(ReadOnlySpan<ushort> ids, in ContainerView other, int key, SetWriter to)
        where TOperation : struct, IIdOperation
    {
        ref ushort place = ref Unsafe.As<byte, ushort>(ref to.Place());
        int count = other.Kind == ContainerKind.Bitmap
            ? Bitmap.SelectHits<TOperation>(ref other.Words, ids, ref place)
            : ArrayAndRuns.Select<TOperation>(ids, other.Runs, ref place);
        to.Add(key, count, count * sizeof(ushort));
    }

    private static void Edges<TOperation>(ReadOnlySpan<Run> left, ReadOnlySpan<Run> right, int key, SetWriter to)
        where TOperation : struct, IIdOperation
    {
        ref byte place = ref PlaceOfEdges(2 * (left.Length + right.Length), to, out Span<ushort> edges);
        AddEdges(ref place, edges, RunEdges.Combine<TOperation>(left, right, ref edges[0]), key, to);
    }

    private static void ChangeBits<TOperation>(in ContainerView bits, in ContainerView ids, int key, SetWriter to)
        where TOperation : struct, IIdOperation
    {
        if (ids.Count >= FewestForPass)
        {
            Bits<TOperation>(bits, ids, key, to);
            return;
        }
        ref ulong words = ref to.Words();
        Bitmap.Expand(ref words, bits);
        int shared = Bitmap.Apply<TOperation>(ref words, ids.Ids);
        int cardinality = bits.Cardinality - (TOperation.KeepsBoth ? 0 : shared) + (TOperation.KeepsRight ? ids.Count - shared : 0);
        // The number can be outside only if the bytes change while they are read.
        cardinality = Math.Clamp(cardinality, 0, Container.Universe);
        if (bits.Kind == ContainerKind.Run) ContainerBuild.Smallest(ref words, cardinality, key, to);
        else ContainerBuild.Bits(ref words, cardinality, key, to);
    }

    // Runs and arrays become bits first.
    private static void Bits<TOperation>(in ContainerView left, in ContainerView right, int key, SetWriter to)
        where TOperation : struct, IIdOperation
    {
        ref ulong words = ref to.Words();
        if (left.Kind == right.Kind && left.Kind == ContainerKind.Bitmap)
        {
            ContainerBuild.Bits(ref words, BitmapPass.Combine<TOperation>(ref left.Words, ref right.Words, ref words), key, to);
            return;
        }
        Span<ulong> room = stackalloc ulong[2 * Bitmap.WordCount];
        ref ulong a = ref left.Kind == ContainerKind.Bitmap ? ref left.Words : ref room[0];
        ref ulong b = ref right.Kind == ContainerKind.Bitmap ? ref right.Words : ref room[Bitmap.WordCount];
        if (left.Kind != ContainerKind.Bitmap) Bitmap.Expand(ref a, left);
        if (right.Kind != ContainerKind.Bitmap) Bitmap.Expand(ref b, right);
        int cardinality = BitmapPass.Combine<TOperation>(ref a, ref b, ref words);
        // Runs without a bitmap beside them may make runs; and all ids are one.
        if ((left.Kind | right.Kind) == ContainerKind.Run || cardinality == Container.Universe)
            ContainerBuild.Smallest(ref words, cardinality, key, to);
        else ContainerBuild.Bits(ref words, cardinality, key, to);
    }
}

// One of the four ways to make a set of two.
internal interface IIdOperation
{
    // Whether ids of the left side alone are kept.
    static abstract bool KeepsLeft { get; }

    // Whether ids of the right side alone are kept.
    static abstract bool KeepsRight { get; }

    // Whether ids of both sides are kept.
    static abstract bool KeepsBoth { get; }

    static abstract ulong Apply(ulong left, ulong right);

    static abstract Vector128<ulong> Apply(Vector128<ulong> left, Vector128<ulong> right);

    static abstract Vector256<ulong> Apply(Vector256<ulong> left, Vector256<ulong> right);

    static abstract Vector512<ulong> Apply(Vector512<ulong> left, Vector512<ulong> right);
}

internal readonly struct AndIds : IIdOperation
{
    public static bool KeepsLeft => false;
    public static bool KeepsRight => false;
    public static bool KeepsBoth => true;
    public static ulong Apply(ulong left, ulong right) => left & right;
    public static Vector128<ulong> Apply(Vector128<ulong> left, Vector128<ulong> right) => left & right;
    public static Vector256<ulong> Apply(Vector256<ulong> left, Vector256<ulong> right) => left & right;
    public static Vector512<ulong> Apply(Vector512<ulong> left, Vector512<ulong> right) => left & right;
}

internal readonly struct OrIds : IIdOperation
{
    public static bool KeepsLeft => true;
    public static bool KeepsRight => true;
    public static bool KeepsBoth => true;
    public static ulong Apply(ulong left, ulong right) => left | right;
    public static Vector128<ulong> Apply(Vector128<ulong> left, Vector128<ulong> right) => left | right;
    public static Vector256<ulong> Apply(Vector256<ulong> left, Vector256<ulong> right) => left | right;
    public static Vector512<ulong> Apply(Vector512<ulong> left, Vector512<ulong> right) => left | right;
}

internal readonly struct XorIds : IIdOperation
{
    public static bool KeepsLeft => true;
    public static bool KeepsRight => true;
    public static bool KeepsBoth => false;
    public static ulong Apply(ulong left, ulong right) => left ^ right;
    public static Vector128<ulong> Apply(Vector128<ulong> left, Vector128<ulong> right) => left ^ right;
    public static Vector256<ulong> Apply(Vector256<ulong> left, Vector256<ulong> right) => left ^ right;
    public static Vector512<ulong> Apply(Vector512<ulong> left, Vector512<ulong> right) => left ^ right;
}

internal readonly struct AndNotIds : IIdOperation
{
    public static bool KeepsLeft => true;
    public static bool KeepsRight => false;
    public static bool KeepsBoth => false;
    public static ulong Apply(ulong left, ulong right) => left & ~right;
    public static Vector128<ulong> Apply(Vector128<ulong> left, Vector128<ulong> right) => Vector128.AndNot(left, right);
    public static Vector256<ulong> Apply(Vector256<ulong> left, Vector256<ulong> right) => Vector256.AndNot(left, right);
    public static Vector512<ulong> Apply(Vector512<ulong> left, Vector512<ulong> right) => Vector512.AndNot(left, right);
}

// The same operation with its sides exchanged.
internal readonly struct Exchanged<TOperation> : IIdOperation where TOperation : struct, IIdOperation
{
    public static bool KeepsLeft => TOperation.KeepsRight;
    public static bool KeepsRight => TOperation.KeepsLeft;
    public static bool KeepsBoth => TOperation.KeepsBoth;
    public static ulong Apply(ulong left, ulong right) => TOperation.Apply(right, left);
    public static Vector128<ulong> Apply(Vector128<ulong> left, Vector128<ulong> right) => TOperation.Apply(right, left);
    public static Vector256<ulong> Apply(Vector256<ulong> left, Vector256<ulong> right) => TOperation.Apply(right, left);
    public static Vector512<ulong> Apply(Vector512<ulong> left, Vector512<ulong> right) => TOperation.Apply(right, left);
}
