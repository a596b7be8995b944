using System.Runtime.InteropServices;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace MemPrims.Sets;

/// <summary>
/// An ordinal for each id of a container. Or, packed, only for the ids that have one: a bitmap says which they are, and the number of set
/// bits before an id is the place of its ordinal.
/// </summary>
internal sealed class OrdinalLayer<T> where T : unmanaged, IBinaryInteger<T>
{
    /// <summary>Unpacked ordinals are found faster, so packing must save this factor of memory (a choice, not measured).</summary>
    private const int MinSaving = 3;

    private const int DirectoryBytes = Bitmap.WordCount * (sizeof(ulong) + sizeof(ushort));

    /// <summary>The smallest layer takes so many bytes.</summary>
    public const int LeastBytes = DirectoryBytes;

    private readonly T[] _ordinals;
    private readonly T _without;

    // Of a packed layer: a bit for each id with an ordinal, and for each word how many bits are set before it; the last entry is for all.
    private readonly ulong[]? _words;
    private readonly ushort[]? _ranks;

    /// <param name="ordinals">For every id of a container.</param>
    /// <param name="without">What an id without one has there.</param>
    public OrdinalLayer(T[] ordinals, T without)
    {
        _ordinals = ordinals;
        _without = without;
        int count = ordinals.Length - ordinals.AsSpan().Count(without);
        if ((DirectoryBytes + count * Unsafe.SizeOf<T>()) * MinSaving > Bytes) return;
        // Kernels read 64 ordinals at a time, so the array ends at a multiple of 64.
        _ordinals = new T[(count + 63) & ~63];
        _words = new ulong[Bitmap.WordCount];
        _ranks = new ushort[Bitmap.WordCount + 1];
        for (int id = 0, written = 0; id < ordinals.Length; id++)
        {
            if ((id & 63) == 0) _ranks[id >> 6] = (ushort)written;
            if (ordinals[id] == without) continue;
            _words[id >> 6] |= 1ul << id;
            _ordinals[written++] = ordinals[id];
        }
        _ranks[^1] = (ushort)count;
    }

    /// <summary>Whether only ids with an ordinal have a place.</summary>
    public bool IsPacked => _words is not null;

    /// <summary>The ordinals; an id's place is its own number, unless they are packed.</summary>
    public T[] Ordinals => _ordinals;

    public int Bytes => _ordinals.Length * Unsafe.SizeOf<T>() + (_words is null ? 0 : DirectoryBytes);

    /// <summary>The ordinal of an id, or that of those without.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public T At(ushort id) =>
        _words is null ? _ordinals[id] : (_words[id >> 6] >> id & 1) == 0 ? _without : _ordinals[Before(id)];

    /// <summary>The ordinals of the ids of a stretch.</summary>
    public ReadOnlySpan<T> Stretch(int start, int length) =>
        _words is null ? _ordinals.AsSpan(start, length) : _ordinals.AsSpan()[Before(start)..Before(start + length)];

    /// <summary>Of a packed layer: writes the places of those ids that have an ordinal, and returns how many.</summary>
    public int Places(scoped ReadOnlySpan<ushort> ids, Span<ushort> places)
    {
        // First leaves out the ids without an ordinal, which are most, without a branch.
        places = places[..Bitmap.SelectHits<AndIds>(ref _words![0], ids, ref MemoryMarshal.GetReference(places))];
        foreach (ref ushort place in places) place = (ushort)Before(place);
        return places.Length;
    }

    /// <summary>
    /// Of a packed layer, with BMI2: sets a bit for the place of each id whose bit differs from that of <paramref name="flip"/>, and
    /// returns how many words the places take.
    /// </summary>
    public int Places(ref ulong words, ulong flip, Span<ulong> places)
    {
        // The word under way stays in a register: reading it back would wait for its store.
        ulong word = 0;
        int at = 0;
        for (int i = 0; i < Bitmap.WordCount; i++)
        {
            int place = _ranks![i];
            ulong bits = Bmi2.X64.ParallelBitExtract(Unsafe.Add(ref words, i) ^ flip, _words![i]);
            word |= bits << place;
            if (_ranks[i + 1] >> 6 == at) continue;
            places[at++] = word;
            word = bits >> 1 >> (63 - (place & 63));
        }
        places[at] = word;
        return _ordinals.Length >> 6;
    }

    private int Before(int id) => id == Container.Universe ? _ranks![^1]
        : _ranks![id >> 6] + BitOperations.PopCount(_words![id >> 6] & ((1ul << id) - 1));
}
