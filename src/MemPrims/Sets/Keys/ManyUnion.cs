using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>The union of many sets, key by key. A heap holds the next key of each set and gives the least.</summary>
internal static class ManyUnion
{
    public static SetContent Of(ReadOnlySpan<IdSet> sets)
    {
        PriorityQueue<int, int> byKey = new(sets.Length);
        for (int i = 0; i < sets.Length; i++)
        {
            SetView view = sets[i].View();
            if (view.Length > 0) byKey.Enqueue(i, view.Key(0));
        }
        int[] next = new int[sets.Length];
        List<int> there = [];
        SetWriter result = SetWriter.Rent();
        while (byKey.TryPeek(out _, out int key))
        {
            there.Clear();
            while (byKey.TryPeek(out int set, out int other) && other == key)
            {
                there.Add(byKey.Dequeue());
                CheckNext(sets[set], next[set]);
            }
            Join(sets, next, CollectionsMarshal.AsSpan(there), key, result);
            foreach (int set in there)
            {
                SetView view = sets[set].View();
                if (++next[set] < view.Length) byKey.Enqueue(set, view.Key(next[set]));
            }
        }
        foreach (IdSet set in sets) GC.KeepAlive(set);
        return result.ToContent();
    }

    // A result is always sound, so contents that nobody has checked are checked first.
    private static void CheckNext(IdSet set, int index)
    {
        if (set.IsChecked) return;
        SetView view = set.View();
        ContainerCheck.Contents(view[index], index, view.Offset(index));
        GC.KeepAlive(set);
    }

    private static void Join(ReadOnlySpan<IdSet> sets, int[] next, ReadOnlySpan<int> there, int key, SetWriter result)
    {
        ContainerView first = sets[there[0]].View()[next[there[0]]];
        switch (there.Length)
        {
            case 1:
                if (first.Kind == ContainerKind.Run && RunJoin.Touch(first.Runs)) result.AddJoined(key, first);
                else result.Copy(key, first);
                return;
            case 2:
                ContainerCombine.Run<OrIds>(first, sets[there[1]].View()[next[there[1]]], key, result);
                return;
        }
        Span<ulong> words = stackalloc ulong[Bitmap.WordCount];
        Bitmap.Expand(ref words[0], first);
        foreach (int set in there[1..]) Bitmap.Add(ref words[0], sets[set].View()[next[set]]);
        int count = BitmapCount.Ones(ref words[0]);
        if (count > Container.MaxArray && count < Container.Universe)
        {
            result.Copy(key, new(ref Unsafe.As<ulong, byte>(ref words[0]), ContainerKind.Bitmap, 0, count));
            return;
        }
        // Few ids, or all of them, which are one run.
        Container small = ContainerBuild.OfWords(ref words[0], count, tryRuns: count == Container.Universe);
        result.Copy(key, small.View(count));
    }
}
