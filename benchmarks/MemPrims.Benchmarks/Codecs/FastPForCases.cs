using System.Runtime.InteropServices;
using MemPrims.Benchmarks.Ratio;
using MemPrims.Benchmarks.Sets;
using MemPrims.Codecs;

namespace MemPrims.Benchmarks.Codecs;

/// <summary>
/// PackedIds of 32 bits beside FastPFor and CRoaring: uniform gaps, and the lists of ids of real tables, each whole (RealDataRatio says
/// where they are). A list goes on over as many spans of 64 KiB as it needs, as postings do over pages. Bytes an id are told before a case
/// runs. CRoaring makes a set of the ids and serializes it, and reads one into an array of ids.
/// </summary>
public sealed class FastPForCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        foreach (int gap in (int[])[16, 1_000])
        {
            foreach (RatioCase one in Both($"gaps 1–{gap:N0}", () => [Uniform(gap)])) yield return one;
        }
        foreach (string folder in RealDataRatio.Folders())
        {
            Func<uint[][]> lists = () => [.. Directory.GetFiles(folder, "*.txt").Order(StringComparer.Ordinal).Select(RealDataWork.Read)];
            foreach (RatioCase one in Both(Path.GetFileName(folder), lists)) yield return one;
        }
    }

    private static RatioCase[] Both(string name, Func<uint[][]> lists) =>
    [
        Case("Decode", name, lists, static list => list.Decode(), static (list, packs) => list.DecodeFastPFor(packs),
            static list => list.DecodeCRoaring()),
        Case("Encode", name, lists, static list => list.Encode(), static (list, packs) => list.EncodeFastPFor(packs),
            static list => list.EncodeCRoaring()),
    ];

    private static RatioCase Case(string what, string name, Func<uint[][]> lists, Func<PostingList, long> ours,
        Func<PostingList, int, long> theirs, Func<PostingList, long> roaring) => new("Postings", $"{what}, {name}", () =>
    {
        // Asked before any code that calls the libraries is compiled: such calls are bound then.
        (bool hasFastPFor, bool hasCRoaring) = (FastPFor.IsAvailable, CRoaring.IsAvailable);
        PostingList[] all = [.. lists().Select(static ids => new PostingList(ids))];
        double ids = all.Sum(static list => list.Count);
        Console.Error.WriteLine($"bytes an id, {name}: " + string.Join(", ", all.SelectMany(static list => list.Sizes)
            .GroupBy(static size => size.Name, static size => size.Bytes).Select(sizes => $"{sizes.Key} {sizes.Sum() / ids:0.00}")));
        Contender[] peers = [.. hasFastPFor
            ? [new Contender("SIMDFastPFor", Over(list => theirs(list, 0))), new("SIMDBinaryPacking", Over(list => theirs(list, 1)))]
            : Array.Empty<Contender>(), .. hasCRoaring ? [new Contender("CRoaring", Over(roaring))] : Array.Empty<Contender>()];
        return new((long)ids, new("PackedIds", Over(ours)), peers)
        {
            Redraw = () => Random.Shared.Shuffle(all),
            Close = () =>
            {
                foreach (PostingList list in all) list.Dispose();
            },
        };

        Func<long> Over(Func<PostingList, long> act) => () =>
        {
            long sum = 0;
            foreach (PostingList list in all) sum += act(list);
            return sum;
        };
    });

    private static uint[] Uniform(int gap)
    {
        Random random = new(11);
        uint id = 1_000_000;
        return [.. Enumerable.Range(0, 100_000).Select(_ => id += (uint)random.Next(1, gap + 1))];
    }
}

/// <summary>A list of ids in each form.</summary>
internal sealed unsafe class PostingList : IDisposable
{
    private const int Page = 65_536, Alignment = 16;

    private readonly uint[] _ids, _read;
    private readonly byte[] _packed, _room, _serialized = [];
    private readonly List<(int Start, int Ids)> _pages = [];
    private readonly uint*[] _words = new uint*[2];
    private readonly nuint[] _lengths = new nuint[2];
    private readonly uint* _gaps, _to;
    private readonly CRoaring? _roaring;

    public PostingList(uint[] ids)
    {
        (_ids, _read) = (ids, new uint[ids.Length]);
        _room = new byte[Page];
        List<byte> packed = [];
        for (int at = 0; at < ids.Length; at += _pages[^1].Ids)
        {
            PackedIds.Encode(ids.AsSpan(at), _room, out int taken, out int written);
            _pages.Add((packed.Count, taken));
            packed.AddRange(_room.AsSpan(0, written));
        }
        _packed = [.. packed];
        _gaps = Words();
        _to = Words();
        for (int packs = 0; FastPFor.IsAvailable && packs < 2; packs++) MakeWords(packs);
        if (!CRoaring.IsAvailable) return;
        _roaring = new(ids);
        _serialized = _roaring.Serialize();
    }

    public int Count => _ids.Length;

    public IEnumerable<(string Name, double Bytes)> Sizes =>
    [
        ("PackedIds", _packed.Length), ("SIMDFastPFor", 4.0 * _lengths[0]), ("SIMDBinaryPacking", 4.0 * _lengths[1]),
        ("CRoaring", _serialized.Length),
    ];

    public long Decode()
    {
        int at = 0;
        foreach ((int start, int ids) in _pages) at += PackedIds.Decode(_packed.AsSpan(start), _read.AsSpan(at, ids));
        return at + _read[^1];
    }

    public long Encode()
    {
        long bytes = 0;
        for (int at = 0; at < _ids.Length;)
        {
            PackedIds.Encode(_ids.AsSpan(at), _room, out int taken, out int written);
            at += taken;
            bytes += written;
        }
        return bytes;
    }

    public long DecodeFastPFor(int packs) => (long)FastPFor.Decode(packs, _words[packs], _lengths[packs], _to, (nuint)Count)
        + _to[Count - 1];

    public long EncodeFastPFor(int packs)
    {
        fixed (uint* from = _ids) return (long)FastPFor.Encode(packs, from, (nuint)Count, _gaps, _to);
    }

    public long DecodeCRoaring()
    {
        fixed (byte* bytes = _serialized)
        {
            nint set = CRoaring.OpenFrozen(bytes);
            CRoaring.ToArray(set, _to);
            CRoaring.Free(set);
        }
        return _to[Count - 1];
    }

    public long EncodeCRoaring()
    {
        using CRoaring set = new(_ids);
        fixed (byte* to = _serialized) return (long)CRoaring.Serialize(set.Handle, to);
    }

    private void MakeWords(int packs)
    {
        _words[packs] = Words();
        fixed (uint* from = _ids) _lengths[packs] = FastPFor.Encode(packs, from, (nuint)Count, _gaps, _words[packs]);
        DecodeFastPFor(packs);
        if (!new ReadOnlySpan<uint>(_to, Count).SequenceEqual(_ids)) throw new InvalidOperationException("FastPFor lost ids.");
    }

    public void Dispose()
    {
        NativeMemory.AlignedFree(_gaps);
        NativeMemory.AlignedFree(_to);
        NativeMemory.AlignedFree(_words[0]);
        NativeMemory.AlignedFree(_words[1]);
        _roaring?.Dispose();
    }

    private uint* Words() => (uint*)NativeMemory.AlignedAlloc((nuint)(2 * Count + 1024) * sizeof(uint), Alignment);
}
