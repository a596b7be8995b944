using MemPrims.Benchmarks.Ratio;
using MemPrims.Codecs;
using MemPrims.Sets;

namespace MemPrims.Benchmarks.Codecs;

/// <summary>
/// Sorted ids of 64 bits, as many as a page of 4 KiB or 64 KiB takes: PackedIds beside gaps as varints, as a UIntBatch, and an IdSet64.
/// The bytes an id of each are told before a case runs. The ids of a case: uniform gaps; gaps of a random choice; nearly all one
/// after the other.
/// With AVX-512 VBMI, varints are read at 0.6 to 0.8 ns an id; their time divided by ours is 2.1 to 2.8 for decoding uniform gaps, 1.7
/// for gaps of a random choice. For encoding it is 1.1 and 0.7, and 0.6 for clustered ids, whose exceptions cost passes (Zen 5). With
/// every width looked at, and exceptions found one by one, encoding took 2.9 ns an id for a random choice, now 2.3, and 4.3 for clustered
/// ids, now 2.6; where gaps have more than 32 bits it took 8.7 and takes 9.6 (Zen 3).
/// Sums of gaps by shuffles in registers took 54 ns a block, those of neighbours in memory take 41 with AVX2.
/// Exceptions that were found and written one by one cost real tables half as much again: 1.9 to 2.1 ns an id, now 1.3 to 1.5 (Zen 5).
/// Ids of 32 bits, which FastPForCases has, were summed in 64 bits and narrowed: 0.69 ns an id, now 0.19 (Zen 5).
/// </summary>
public sealed class PackedIdsCases : IRatioCases
{
    public static IEnumerable<RatioCase> Cases()
    {
        (string Name, Func<Random, long> Gap)[] kinds =
        [
            ("gaps 1–16", random => random.Next(1, 17)), ("gaps 1–1,000", random => random.Next(1, 1001)),
            ("gaps 64 × 1–100", random => 64 * random.Next(1, 101)),
            ("random, 1 in 500", random => 1 + (long)(-Math.Log(1 - random.NextDouble()) * 500)),
            ("clustered", random => random.Next(50) == 0 ? random.Next(1, 1 << 20) : 1),
        ];
        foreach ((string kind, Func<Random, long> gap) in kinds)
            foreach (int page in (int[])[4096, 65_536])
            {
                string name = $"{kind}, {page / 1024} KiB";
                yield return Case("Decode", w => w.Decode, w => w.DecodeVarints, w => w.DecodeBatch, w => w.DecodeSet);
                yield return Case("Encode", w => w.Encode, w => w.EncodeVarints, w => w.EncodeBatch, w => w.EncodeSet);
                yield return new("Sorted ids", $"DecodeFrom, 10 ids, {name}", () =>
                {
                    PackedIdsWork work = new(gap, page);
                    return new(PackedIdsWork.Finds, new("PackedIds", () => Find(work.DecodeFrom)),
                        new Contender("varints of gaps", () => Find(work.DecodeFromVarints)));
                });

                RatioCase Case(string what, Func<PackedIdsWork, Func<long>> ours, params Func<PackedIdsWork, Func<long>>[] peers) =>
                    new("Sorted ids", $"{what}, {name}", () =>
                    {
                        PackedIdsWork work = new(gap, page);
                        Console.Error.WriteLine($"bytes an id, {name}: PackedIds, varints, UIntBatch, IdSet64: {work.Sizes}");
                        return new(work.Count, new("PackedIds", ours(work)), new("varints of gaps", peers[0](work)),
                            new("UIntBatch of gaps", peers[1](work)), new("IdSet64", peers[2](work)));
                    });
            }
    }

    private static long Find(Func<long> find)
    {
        long sum = 0;
        for (int i = 0; i < PackedIdsWork.Finds; i++) sum += find();
        return sum;
    }
}

/// <summary>The ids that a page takes, in each form.</summary>
public sealed class PackedIdsWork
{
    /// <summary>How many places are looked for in a batch.</summary>
    public const int Finds = 32;

    private readonly ulong[] _ids, _read, _gaps;
    private readonly uint[] _narrow;
    private readonly byte[] _room, _packed, _varints, _batch, _set;
    private readonly ulong[] _few = new ulong[10];
    private readonly Random _random = new(3);

    public PackedIdsWork(Func<Random, long> gap, int page)
    {
        Random random = new(11);
        ulong id = 1_000_000;
        ulong[] ids = [.. Enumerable.Range(0, 20 * page).Select(_ => id += (ulong)gap(random))];
        _packed = new byte[page];
        PackedIds.Encode(ids, _packed, out int taken, out int written);
        _packed = _packed[..written];
        _ids = ids[..taken];
        (_read, _gaps, _narrow) = (new ulong[taken], new ulong[taken], new uint[taken]);
        _room = new byte[Math.Max(page, 10 * taken)];
        _varints = _room[..(int)EncodeVarints()];
        _batch = _room[..(int)EncodeBatch()];
        IdSet64 set = IdSet64.FromSorted(_ids);
        set.Optimize();
        _set = set.ToByteArray();
    }

    public int Count => _ids.Length;

    /// <summary>Bytes an id: PackedIds, varints, UIntBatch, IdSet64.</summary>
    public string Sizes =>
        string.Join(", ", ((byte[][])[_packed, _varints, _batch, _set]).Select(bytes => $"{(double)bytes.Length / Count:0.00}"));

    public long Encode()
    {
        PackedIds.Encode(_ids, _room, out _, out int written);
        return written;
    }

    public long EncodeVarints()
    {
        ulong before = 0;
        for (int i = 0; i < _ids.Length; i++)
        {
            _gaps[i] = _ids[i] - before;
            before = _ids[i];
        }
        Varint.WriteMany(_gaps, _room, out _, out int written);
        return written;
    }

    public long EncodeBatch()
    {
        ulong before = 0;
        for (int i = 0; i < _ids.Length; i++)
        {
            _narrow[i] = (uint)(_ids[i] - before);
            before = _ids[i];
        }
        UIntBatch.WriteMany(_narrow, _room, out _, out int written);
        return written;
    }

    public long EncodeSet() => IdSet64.FromSorted(_ids).ToByteArray().Length;

    public long Decode() => PackedIds.Decode(_packed, _read) + (long)_read[^1];

    public long DecodeVarints()
    {
        Varint.ReadMany(_varints, _read, out _, out _);
        ulong id = 0;
        for (int i = 0; i < _read.Length; i++) _read[i] = id += _read[i];
        return (long)id;
    }

    public long DecodeBatch()
    {
        UIntBatch.ReadMany(_batch, _narrow, out _, out _);
        ulong id = 0;
        for (int i = 0; i < _read.Length; i++) _read[i] = id += _narrow[i];
        return (long)id;
    }

    public long DecodeSet()
    {
        IdSet64.Deserialize(_set).CopyTo(_read);
        return (long)_read[^1];
    }

    public long DecodeFrom() => PackedIds.DecodeFrom(_packed, Some(), _few) + (long)_few[0];

    public long DecodeFromVarints()
    {
        ulong from = Some();
        DecodeVarints();
        int at = _read.AsSpan().BinarySearch(from);
        return (long)_read[at < 0 ? ~at : at];
    }

    private ulong Some() => _ids[_random.Next(_ids.Length)];
}
