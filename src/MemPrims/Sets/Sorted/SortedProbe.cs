using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>Looks for the ids of a short sorted array in a long one, four at a time.</summary>
internal ref struct SortedProbe<T, TProbe>
    where T : unmanaged, IBinaryInteger<T>
    where TProbe : struct, IProbe<T>
{
    public const int AtOnce = 4;

    private readonly ref T _few, _many;
    private readonly nint _fewCount, _manyCount, _usualGap;
    private nint _next, _from;

    /// <summary>Needs an id in <paramref name="few"/> and at least a probe's width of them in <paramref name="many"/>.</summary>
    public SortedProbe(ReadOnlySpan<T> few, ReadOnlySpan<T> many)
    {
        _few = ref MemoryMarshal.GetReference(few);
        _many = ref MemoryMarshal.GetReference(many);
        _fewCount = few.Length;
        _manyCount = many.Length;
        if (SortedSearch.Brackets(many.Length)) _usualGap = Math.Max(TProbe.Count, 2 * AtOnce * (nint)(many.Length / Math.Max(few.Length, 1)));
    }

    /// <summary>Looks for the next four, or for what is left of them: bit k of <paramref name="found"/> tells of the k-th.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Next(out uint found)
    {
        nint last = _fewCount - 1 - _next;
        if (last < 0 || _manyCount == 0)
        {
            found = 0;
            return false;
        }
        // Fewer than four are filled up with the last of them, whose extra answers are dropped.
        ref T four = ref Unsafe.Add(ref _few, _next);
        T a = four, b = Unsafe.Add(ref four, Least(1, last)), c = Unsafe.Add(ref four, Least(2, last)), d = Unsafe.Add(ref four, Least(3, last));
        nint size = _usualGap == 0 ? _manyCount : Bracket(d);
        nint atA = _from, atB = _from, atC = _from, atD = _from;
        while (size > TProbe.Count)
        {
            nint half = size >> 1;
            atA += SortedSearch.Step(Unsafe.Add(ref _many, atA + half) <= a, half);
            atB += SortedSearch.Step(Unsafe.Add(ref _many, atB + half) <= b, half);
            atC += SortedSearch.Step(Unsafe.Add(ref _many, atC + half) <= c, half);
            atD += SortedSearch.Step(Unsafe.Add(ref _many, atD + half) <= d, half);
            size -= half;
        }
        // An id that is there is now among the `size` ids at its place, so it is in the last whole vector if that starts lower.
        nint whole = _manyCount - TProbe.Count;
        int hits = TProbe.Holds(ref Unsafe.Add(ref _many, Least(atA, whole)), a)
            | TProbe.Holds(ref Unsafe.Add(ref _many, Least(atB, whole)), b) << 1
            | TProbe.Holds(ref Unsafe.Add(ref _many, Least(atC, whole)), c) << 2
            | TProbe.Holds(ref Unsafe.Add(ref _many, Least(atD, whole)), d) << 3;
        found = (uint)hits & (0xFu >> (int)(3 - Least(3, last)));
        if (_usualGap != 0) _from = atD;
        _next += AtOnce;
        return true;
    }

    /// <summary>How many ids from <see cref="_from"/> on may hold the four of which <paramref name="highest"/> is the last.</summary>
    private readonly nint Bracket(T highest)
    {
        nint size = _usualGap, left = _manyCount - _from;
        while (size < left && Unsafe.Add(ref _many, _from + size) <= highest) size <<= 1;
        return Least(size, left);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static nint Least(nint x, nint y) => y + ((x - y) & ((x - y) >> 63));
}
