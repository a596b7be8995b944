using System.Numerics;
using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>Rank, select and decoding within a container.</summary>
internal static class ContainerOrder
{
    /// <summary>How many ids are at or below <paramref name="id"/>.</summary>
    public static int Rank(in ContainerView view, ushort id)
    {
        switch (view.Kind)
        {
            case ContainerKind.Array:
                return ArraySearch.UpTo(view.Ids, id);
            case ContainerKind.Bitmap:
                return BitmapCount.Range(ref view.Words, 0, id);
            default:
                int rank = 0;
                foreach (Run run in view.Runs)
                {
                    if (run.Start > id) break;
                    rank += Math.Min(run.End, id) - run.Start + 1;
                }
                return rank;
        }
    }

    /// <summary>
    /// The id that has <paramref name="rank"/> ids below it. If damaged bytes hold fewer ids than they claim, it is 65,535.
    /// </summary>
    public static ushort Select(in ContainerView view, int rank)
    {
        switch (view.Kind)
        {
            case ContainerKind.Array:
                return view.Ids[rank];
            case ContainerKind.Bitmap:
                for (int i = 0; i < Bitmap.WordCount; i++)
                {
                    ulong word = Unsafe.Add(ref view.Words, i);
                    int bits = BitOperations.PopCount(word);
                    if (rank < bits)
                    {
                        for (; rank > 0; rank--) word &= word - 1;
                        return (ushort)((i << 6) + BitOperations.TrailingZeroCount(word));
                    }
                    rank -= bits;
                }
                return ushort.MaxValue;
            default:
                foreach (Run run in view.Runs)
                {
                    int length = run.LengthMinusOne + 1;
                    if (rank < length) return (ushort)Math.Min(run.Start + rank, ushort.MaxValue);
                    rank -= length;
                }
                return ushort.MaxValue;
        }
    }

    /// <summary>
    /// Writes the ids from <paramref name="first"/> to <paramref name="last"/>, as far as the destination takes them, and returns how
    /// many.
    /// </summary>
    public static int DecodePart(in ContainerView view, int first, int last, uint high, Span<uint> destination)
    {
        switch (view.Kind)
        {
            case ContainerKind.Array:
                int start = (int)SortedSearch.LowerBound(view.Ids, (ushort)first);
                int end = last == ushort.MaxValue ? view.Count : (int)SortedSearch.LowerBound(view.Ids, (ushort)(last + 1));
                int count = Math.Clamp(end - start, 0, destination.Length);
                ArrayDecode.Write(view.Ids.Slice(start, count), high, destination);
                return count;
            case ContainerKind.Bitmap:
                return BitmapDecode.Write(ref view.Words, first >> 6, (last >> 6) + 1, high, destination);
            default:
                return RunKernels.Decode(view.Runs, first, last, high, destination);
        }
    }

    /// <summary>
    /// Writes the ids with <paramref name="high"/> above them. What lies after them in the destination may be overwritten.
    /// </summary>
    public static void Decode<T>(in ContainerView view, T high, Span<T> destination)
        where T : unmanaged, IBinaryInteger<T>
    {
        switch (view.Kind)
        {
            case ContainerKind.Array:
                ArrayDecode.Write(view.Ids, high, destination);
                break;
            case ContainerKind.Bitmap:
                BitmapDecode.Write(ref view.Words, high, destination);
                break;
            default:
                RunKernels.Decode(view.Runs, 0, ushort.MaxValue, high, destination);
                break;
        }
    }
}
