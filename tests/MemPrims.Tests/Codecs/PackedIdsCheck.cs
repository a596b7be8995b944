using System.Buffers;
using System.Numerics;
using MemPrims.Codecs;

namespace MemPrims.Tests.Codecs;

// Holds what PackedIds says to arrays and to the page, with all memory ending at guard pages.
internal sealed unsafe class PackedIdsCheck : IDisposable
{
    private readonly GuardedMemory _bytes = new(1 << 16), _ids = new(1 << 16);

    // Writes the ids to spans of all kinds of lengths, and reads them in all ways.
    public void List(ulong[] ids, Random random)
    {
        byte[] expected = PackedIdsLayout.Write(ids);
        Ways(ids, expected, [0, ulong.MaxValue,
            .. ids.Where((_, i) => i % 37 == 0 || i % 257 < 2).SelectMany(id => (ulong[])[id, id + 1, id - 1])]);
        int step = 1 + expected.Length / 30;
        for (int length = 0; length <= expected.Length + 20;)
        {
            Fit(ids, length);
            length += length < 30 || length > expected.Length - 4 ? 1 : random.Next(step) + 1;
        }
        if (ids.Length > 0 && ids[^1] > uint.MaxValue) return;
        uint[] narrow = [.. ids.Select(id => (uint)id)];
        Span<byte> to = Bytes(expected.Length);
        Assert.Equal(OperationStatus.Done, PackedIds.Encode(narrow, to, out int taken, out int written));
        Assert.True(taken == ids.Length && to[..written].SequenceEqual(expected));
        Span<uint> back = new(_ids.EndingAtGuard(ids.Length * sizeof(uint)), ids.Length);
        Assert.Equal(ids.Length, PackedIds.Decode(to, back));
        Assert.True(back.SequenceEqual(narrow));
        uint from = ids.Length == 0 ? 5 : (uint)ids[random.Next(ids.Length)];
        Assert.True(back[..PackedIds.DecodeFrom(to, from, back)].SequenceEqual([.. narrow.Where(id => id >= from)]));
    }

    // As many ids as fit, in the bytes that the page has for them.
    private void Fit(ulong[] ids, int length)
    {
        CaseNote.Set("fit", ids.Length, length);
        Span<byte> to = Bytes(length);
        OperationStatus status = PackedIds.Encode(ids, to, out int taken, out int written);
        Assert.Equal(taken == ids.Length && length > 0 ? OperationStatus.Done : OperationStatus.DestinationTooSmall, status);
        if (written > 0) Assert.Equal(PackedIdsLayout.Write(ids.AsSpan(0, taken)), to[..written]);
        else Assert.Equal(0, taken);
        if (taken < ids.Length) Assert.True(PackedIdsLayout.Write(ids.AsSpan(0, taken + 1)).Length > length, "one more would fit");
    }

    // Reads a sound list in every way.
    public void Ways(ulong[] ids, byte[] bytes, ulong[] from)
    {
        CaseNote.Set("ways", ids.Length, bytes.Length);
        Span<byte> source = Bytes(bytes.Length);
        bytes.CopyTo(source);
        Assert.Equal((ids.Length, bytes.Length), (PackedIds.Count(source), PackedIds.Size(source)));
        Span<ulong> back = Ids(ids.Length);
        Assert.Equal(ids.Length, PackedIds.Decode(source, back));
        Assert.True(back.SequenceEqual(ids));
        if (ids.Length > 0) Assert.Equal((ids[0], ids[^1]), (PackedIds.Min(source), PackedIds.Max(source)));
        foreach (ulong first in from)
        {
            int below = ids.AsSpan().BinarySearch(first);
            if (below < 0) below = ~below;
            foreach (int most in (int[])[ids.Length - below, ids.Length + 1, 1, 300])
            {
                Span<ulong> some = Ids(most);
                int count = PackedIds.DecodeFrom(source, first, some);
                Assert.True(some[..count].SequenceEqual(ids.AsSpan(below, Math.Min(most, ids.Length - below))));
            }
            PackedIdsReader reader = new(source);
            if (ids.Length > 2 && below > 1) Assert.True(reader.TryRead(out ulong least) && least == ids[0]);
            reader.AdvanceTo(first);
            Assert.Equal(below < ids.Length ? ids[below] : 0, reader.TryRead(out ulong id) ? id : 0);
            reader.AdvanceTo(0);
            int at = Math.Min(below + 1, ids.Length), read = reader.ReadMany(back);
            Assert.True(back[..read].SequenceEqual(ids.AsSpan(at)));
        }
    }

    // Adds and removes an id, where it fits and where it does not.
    public void Change(ulong[] ids, ulong id)
    {
        byte[] bytes = PackedIdsLayout.Write(ids);
        foreach (bool adds in (bool[])[true, false])
        {
            byte[] expected = PackedIdsLayout.Write(adds ? [.. ids.Append(id).Order().Distinct()] : [.. ids.Where(other => other != id)]);
            foreach (int length in (int[])[bytes.Length, expected.Length, expected.Length - 1, expected.Length + 50])
            {
                if (length < bytes.Length) continue;
                CaseNote.Set("change", ids.Length, length);
                Span<byte> room = Bytes(length);
                room.Fill(0xCC);
                bytes.CopyTo(room);
                bool done = adds ? PackedIds.TryAdd(room, id, out int written) : PackedIds.TryRemove(room, id, out written);
                Assert.Equal(length >= expected.Length, done);
                Assert.True(room[..written].SequenceEqual(done ? expected : bytes));
                if (!done) Assert.False(room[bytes.Length..].ContainsAnyExcept((byte)0xCC));
            }
        }
    }

    // Reads bytes of which nothing is known. They are what the page says, or damage.
    public void Bytes(ReadOnlySpan<byte> bytes, int count)
    {
        CaseNote.Set("bytes", bytes.Length, count);
        Span<byte> source = Bytes(bytes.Length);
        bytes.CopyTo(source);
        foreach (bool wide in (bool[])[true, false])
        {
            Span<ulong> ids = Ids(2 * count + 300);
            // Where there is no room for all, nothing is read.
            if (Varint.Read(source, out ulong told, out int _) == OperationStatus.Done && told > (ulong)ids.Length)
                continue;
            (ulong[] Ids, int Size)? plain = PackedIdsLayout.Read(source, wide ? ulong.MaxValue : (BigInteger)uint.MaxValue);
            Span<uint> narrow = new(_ids.EndingAtGuard(ids.Length * sizeof(uint)), ids.Length);
            try
            {
                int read = wide ? PackedIds.Decode(source, ids) : PackedIds.Decode(source, narrow);
                Assert.True(plain is not null, "the page has no such list");
                ulong[] found = wide ? ids[..read].ToArray() : [.. narrow[..read].ToArray().Select(id => (ulong)id)];
                Assert.Equal(plain.Value.Ids, found);
                Assert.Equal(plain.Value.Size, PackedIds.Size(source));
            }
            catch (DamagedDataException)
            {
                Assert.True(plain is null, "the page has this list");
            }
        }
    }

    public void Dispose()
    {
        _bytes.Dispose();
        _ids.Dispose();
    }

    private Span<byte> Bytes(int length) => new(_bytes.EndingAtGuard(length), length);

    private Span<ulong> Ids(int count) => new(_ids.EndingAtGuard(count * sizeof(ulong)), count);
}
