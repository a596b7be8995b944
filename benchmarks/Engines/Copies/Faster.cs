using System;
using System.Collections.Generic;
using System.Linq;
using FASTER.core;
using Session = FASTER.core.ClientSession<FASTER.core.SpanByte, FASTER.core.SpanByte, FASTER.core.SpanByte,
    FASTER.core.SpanByteAndMemory, FASTER.core.Empty, FASTER.core.SpanByteFunctions<FASTER.core.Empty>>;

/// <summary>Reads and upserts of values of 100 bytes in a store whose log fits in memory, by one session.</summary>
public static unsafe class Engine
{
    private const int ValueBytes = 100;

    public static IEnumerable<(string, int, long, Func<long>, Action)> Rows(string folder, int count)
    {
        foreach (string prefix in Keys.Prefixes)
        {
            SpanByte[] keys = [.. Keys.Of(count, prefix).Select(Pinned)], few = Keys.Shuffled(keys, 2)[..(count / 5)];
            SpanByte value = Pinned(new byte[ValueBytes]), room = Pinned(new byte[ValueBytes]);
            string name = $"{keys[0].Length} B keys";
            var full = Store().For(new SpanByteFunctions<Empty>()).NewSession<SpanByteFunctions<Empty>>();
            foreach (SpanByte key in keys) full.Upsert(key, value);
            FasterKV<SpanByte, SpanByte> made = null;
            Session session = null;
            yield return ($"{name}: insert into a new store", few.Length, few.Length, () => Upsert(session, few, value), () =>
            {
                session?.Dispose();
                made?.Dispose();
                made = Store();
                session = made.For(new SpanByteFunctions<Empty>()).NewSession<SpanByteFunctions<Empty>>();
            });
            yield return ($"{name}: read", few.Length, (long)few.Length * ValueBytes, () => Read(full, few, room), null);
            yield return ($"{name}: update", few.Length, few.Length, () => Upsert(full, few, value), null);
        }

        FasterKV<SpanByte, SpanByte> Store() =>
            new(1 << 16, new LogSettings { LogDevice = new NullDevice(), MemorySizeBits = 26, PageSizeBits = 20, MutableFraction = 0.9 });
    }

    private static SpanByte Pinned(byte[] bytes)
    {
        byte[] pinned = GC.AllocateUninitializedArray<byte>(bytes.Length, pinned: true);
        bytes.CopyTo(pinned, 0);
        s_held.Add(pinned);
        fixed (byte* first = pinned) return SpanByte.FromPointer(first, pinned.Length);
    }

    private static readonly List<byte[]> s_held = [];

    private static long Upsert(Session session, SpanByte[] keys, SpanByte value)
    {
        foreach (SpanByte key in keys) session.Upsert(key, value);
        return keys.Length;
    }

    private static long Read(Session session, SpanByte[] keys, SpanByte room)
    {
        long sum = 0;
        SpanByteAndMemory output = new(room);
        for (int i = 0; i < keys.Length; i++)
        {
            if (session.Read(ref keys[i], ref output).Found) sum += output.Length;
        }
        return sum;
    }
}
