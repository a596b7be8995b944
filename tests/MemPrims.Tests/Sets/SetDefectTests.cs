using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// Each of these failed once.
public sealed unsafe class SetDefectTests
{
    private static readonly byte[] s_none = new IdSet().ToByteArray(), s_one = IdSet.From([5]).ToByteArray();

    // The ids 10, 11 and 12 as two runs that touch.
    private static readonly byte[] s_touching = Convert.FromHexString("3B300000" + "01" + "00000200" + "0200" + "0A000100" + "0C000000");

    [Fact]
    public void An_upper_half_without_ids_is_no_part_of_a_64_bit_set()
    {
        byte[] bytes = Wide((3, s_none), (4, s_one), (9, s_none)), empty = Wide((7, s_none));
        foreach (IdSet64 set in new[] { IdSet64.Deserialize(bytes), IdSet64.OpenFrozen(bytes), IdSet64.OpenFrozen(bytes, validate: true) })
        {
            Assert.False(set.IsEmpty);
            Assert.Equal((4ul << 32) + 5, set.Min);
            Assert.Equal((4ul << 32) + 5, set.Max);
        }
        foreach (IdSet64 set in new[] { IdSet64.Deserialize(empty), IdSet64.OpenFrozen(empty) })
        {
            Assert.True(set.IsEmpty);
            Assert.Throws<InvalidOperationException>(() => set.Max);
            Assert.Equal(sizeof(ulong), set.SerializedSize);
        }
    }

    [Fact]
    public void Damage_in_a_part_is_told_by_its_place_in_the_whole()
    {
        byte[] bytes = Wide((3, s_one), (4, s_one));
        int second = bytes.Length - s_one.Length;
        bytes[second] ^= 0x40;
        Assert.Equal(second, Assert.Throws<IdSetDamagedException>(() => IdSet64.Deserialize(bytes)).Offset);
        IdSetDamagedException frozen = Assert.Throws<IdSetDamagedException>(() => IdSet64.OpenFrozen(bytes));
        Assert.Equal(second, frozen.Offset);
        Assert.Contains($"(at byte {second})", frozen.Message);
    }

    [Fact]
    public void Damage_that_shows_when_ids_are_read_is_told_by_its_place()
    {
        byte[] bytes = IdSet.FromSorted([.. Enumerable.Range(0, 5000).Select(i => (uint)i * 3), 100_000]).ToByteArray();
        int bitmap = BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(16));
        bytes[bitmap + 8191] ^= 0x80;
        Assert.Equal(bitmap, Assert.Throws<IdSetDamagedException>(() => IdSet.OpenFrozen(bytes).ToArray()).Offset);
    }

    [Fact]
    public void Damage_that_shows_in_a_part_of_a_frozen_wide_set_is_told_by_its_place_in_the_whole()
    {
        byte[] part = IdSet.FromSorted([.. Enumerable.Range(0, 5000).Select(i => (uint)i * 3), 100_000]).ToByteArray();
        byte[] bytes = Wide((3, s_one), (4, part));
        int start = bytes.Length - part.Length, bitmap = start + BinaryPrimitives.ReadInt32LittleEndian(part.AsSpan(16));
        bytes[bitmap + 8191] ^= 0x80;
        IdSet64 set = IdSet64.OpenFrozen(bytes);
        Assert.Equal(bitmap, Assert.Throws<IdSetDamagedException>(() => set.ToArray()).Offset);
        Assert.Equal(bitmap, Assert.Throws<IdSetDamagedException>(() => set.And(set)).Offset);
        Assert.Equal(bitmap, Assert.Throws<IdSetDamagedException>(() => IdSet64.OrMany(set, set, set)).Offset);
        // An offset that leads outside, written after the set was opened.
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(start + 16), 1 << 28);
        Assert.Equal(start + (1 << 28), Assert.Throws<IdSetDamagedException>(() => set.Contains(4ul << 32)).Offset);
        Assert.Equal(start + (1 << 28), Assert.Throws<IdSetDamagedException>(() => set.Rank((4ul << 32) + 9)).Offset);
    }

    [Fact]
    public void Runs_that_touch_are_joined_when_they_are_written()
    {
        byte[] joined = Convert.FromHexString("3B300000" + "01" + "00000200" + "0100" + "0A000200");
        foreach (IdSet set in new[] { IdSet.Deserialize(s_touching), IdSet.OpenFrozen(s_touching),
            IdSet.OpenFrozen(s_touching, validate: true), IdSet.OpenFrozen(s_touching).Clone() })
        {
            Assert.Equal([10u, 11u, 12u], set.ToArray());
            Assert.Equal(joined, set.ToByteArray());
            Assert.Equal(joined.Length, set.SerializedSize);
            ArrayBufferWriter<byte> writer = new();
            set.Serialize(writer);
            Assert.Equal(joined, writer.WrittenSpan.ToArray());
            byte[] span = new byte[joined.Length];
            Assert.Equal(joined.Length, set.Serialize(span.AsSpan()));
            Assert.Equal(joined, span);
            Assert.Equal([11u], set.And(IdSet.From([9, 11])).ToArray());
            Assert.Equal([10u, 12u], set.AndNot(IdSet.FromInterval(11, 11)).ToArray());
        }
        byte[] wide = Wide((1, s_touching));
        Assert.Equal(Wide((1, joined)), IdSet64.OpenFrozen(wide).ToByteArray());
    }

    [Fact]
    public void A_wide_set_whose_bytes_change_while_it_is_written_is_told_as_damage()
    {
        // The same length in the bytes, and another one when it is written.
        byte[] touching = Wide((1, s_touching)), apart = Wide((1, [.. s_touching]));
        apart[^4]++;
        byte[] joined = IdSet64.Deserialize(touching).ToByteArray();
        Assert.True(joined.Length < touching.Length);
        for (int reads = 1; reads < 12; reads++)
        {
            Written(set => set.ToByteArray());
            Written(set =>
            {
                byte[] bytes = new byte[touching.Length];
                return bytes[..set.Serialize(bytes.AsSpan())];
            });
            Written(set =>
            {
                ArrayBufferWriter<byte> writer = new();
                set.Serialize(writer);
                return writer.WrittenSpan.ToArray();
            });

            void Written(Func<IdSet64, byte[]> write)
            {
                foreach ((byte[] before, byte[] after) in new[] { (touching, apart), (apart, touching) })
                {
                    ChangingMemory memory = new(before);
                    IdSet64 set = IdSet64.OpenFrozen(memory.Memory);
                    memory.ChangeAfter(reads - 1, () => after.CopyTo(memory.Bytes, 0));
                    try
                    {
                        Assert.Contains(write(set), new[] { touching, apart, joined });
                    }
                    catch (IdSetDamagedException)
                    {
                    }
                }
            }
        }
    }

    [Fact]
    public void A_container_that_has_lost_its_ids_since_the_set_was_opened_is_told_by_its_place()
    {
        // One run: all of the last container.
        byte[] bytes = IdSet.FromInterval(0xFFFF_0000, uint.MaxValue).ToByteArray(), wide = Wide((1, s_one), (2, bytes));
        IdSet set = IdSet.OpenFrozen(bytes);
        IdSet64 wideSet = IdSet64.OpenFrozen(wide);
        bytes[^6] = wide[^6] = 0;
        Assert.Equal(bytes.Length - 6, Assert.Throws<IdSetDamagedException>(() => set.Max).Offset);
        Assert.Equal(wide.Length - 6, Assert.Throws<IdSetDamagedException>(() => wideSet.Max).Offset);
        Assert.Equal(wide.Length - 6, Assert.Throws<IdSetDamagedException>(() => wideSet.TryGetPrevious(3ul << 32, out _)).Offset);
        Assert.False(set.TryGetMax(out _));
        Assert.Throws<InvalidOperationException>(() => new IdSet().Max);
    }

    [LargeMemoryFact]
    public void A_64_bit_set_may_be_larger_than_2_GiB()
    {
        // Six upper halves whose containers are all bitmaps. That is 3 GiB of address space, of which only the headers are touched.
        const int containers = 65536, header = 8 + containers * 8, halves = 6;
        long part = sizeof(uint) + header + (long)containers * 8192, length = sizeof(ulong) + halves * part;
        byte* start = (byte*)NativeMemory.AllocZeroed((nuint)length);
        try
        {
            *(ulong*)start = halves;
            for (uint half = 0; half < halves; half++)
            {
                byte* at = start + sizeof(ulong) + half * part;
                *(uint*)at = half * 2;
                *(uint*)(at + 4) = 12346;
                *(uint*)(at + 8) = containers;
                for (uint key = 0; key < containers; key++)
                {
                    ((uint*)(at + 12))[key] = key | 4999u << 16;
                    ((uint*)(at + 12 + containers * 4))[key] = header + key * 8192;
                }
            }
            start[length - 1] = 0x80;
            IdSet64 set = IdSet64.OpenFrozen(start, (nint)length);
            Assert.Equal(halves * containers * 5000L, set.Count);
            Assert.True(set.Contains((10ul << 32) + uint.MaxValue));
            Assert.False(set.Contains((10ul << 32) + uint.MaxValue - 1));
        }
        finally
        {
            NativeMemory.Free(start);
        }
    }

    [Fact]
    public void The_owner_of_frozen_bytes_lives_until_the_count_is_done()
    {
        byte[] bytes = IdSet.FromSorted([.. Enumerable.Range(0, 3_000_000).Select(i => (uint)i * 3)]).ToByteArray();
        IdSet other = IdSet.FromSorted([.. Enumerable.Range(0, 4_000_000).Select(i => (uint)i * 2)]);
        using CancellationTokenSource done = new();
        Thread collector = new(() =>
        {
            while (!done.IsCancellationRequested)
            {
                GC.Collect(0);
                GC.WaitForPendingFinalizers();
            }
        });
        collector.Start();
        try
        {
            for (int i = 0; i < 200; i++) Assert.False(EndsDuring(bytes, other), "The owner was finalized while its bytes were counted.");
        }
        finally
        {
            done.Cancel();
            collector.Join();
        }
    }

    [Fact]
    public void Loading_a_64_bit_set_takes_at_most_16_times_its_bytes()
    {
        byte[] hostile = Wide([.. Enumerable.Range(0, 20_000).Select(key => ((uint)key, s_one))]);
        Assert.InRange(Allocated(() => IdSet64.Deserialize(hostile)), hostile.Length, 16L * hostile.Length);
    }

    private static long Allocated(Func<object> load)
    {
        load();
        long before = GC.GetAllocatedBytesForCurrentThread();
        GC.KeepAlive(load());
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private static byte[] Wide(params (uint Key, byte[] Set)[] parts)
    {
        using MemoryStream stream = new();
        stream.Write(BitConverter.GetBytes((ulong)parts.Length));
        foreach ((uint key, byte[] set) in parts)
        {
            stream.Write(BitConverter.GetBytes(key));
            stream.Write(set);
        }
        return stream.ToArray();
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static bool EndsDuring(byte[] bytes, IdSet other)
    {
        bool[] ended = new bool[1];
        IdSet set = Open(bytes, ended);
        set.CountIntersection(other);
        return Volatile.Read(ref ended[0]);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static IdSet Open(byte[] bytes, bool[] ended) => IdSet.OpenFrozen(new Owner(bytes, ended).Memory);

    private sealed class Owner(byte[] bytes, bool[] ended) : SpanMemory
    {
        private readonly Resource _resource = new(ended);

        public override Span<byte> GetSpan()
        {
            GC.KeepAlive(_resource);
            return bytes;
        }
    }

    // What a mapped file would be: it ends when nobody holds it any more.
    private sealed class Resource(bool[] ended)
    {
        ~Resource() => Volatile.Write(ref ended[0], true);
    }
}
