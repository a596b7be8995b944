using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>
/// Goes through the containers that two sets have under the same key: key by key without a branch on which is lower, or, where one set has many times
/// the containers of the other, by a search for each of the fewer.
/// </summary>
internal ref struct KeyPairs
{
    private const int Uneven = 8;

    private int _nextA, _nextB;
    private readonly int _mode;

    public KeyPairs(in SetView a, in SetView b) => _mode = (long)a.Length * Uneven < b.Length ? 1 : (long)b.Length * Uneven < a.Length ? 2 : 0;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Next(in SetView a, in SetView b, out int inA, out int inB) => _mode switch
    {
        0 => Walk(a, b, out inA, out inB),
        1 => Search(a, b, out inA, out inB),
        _ => Search(b, a, out inB, out inA),
    };

    private bool Walk(in SetView a, in SetView b, out int inA, out int inB)
    {
        int i = _nextA, j = _nextB;
        while (i < a.Length && j < b.Length)
        {
            int keyA = a.Key(i), keyB = b.Key(j);
            if (keyA == keyB)
            {
                _nextA = (inA = i) + 1;
                _nextB = (inB = j) + 1;
                return true;
            }
            i += keyA < keyB ? 1 : 0;
            j += keyB < keyA ? 1 : 0;
        }
        inA = inB = -1;
        return false;
    }

    private bool Search(in SetView few, in SetView many, out int inFew, out int inMany)
    {
        while (_nextA < few.Length)
        {
            inFew = _nextA++;
            inMany = many.Find(few.Key(inFew));
            if (inMany >= 0) return true;
        }
        inFew = inMany = -1;
        return false;
    }
}
