using System.IO.MemoryMappedFiles;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// A frozen set keeps the owner of its bytes alive. The owner must not end while the bytes are read, even if the caller drops the set in
// the middle of the call. The owner in these tests collects garbage each time it is asked for its bytes, so it would end there if the set
// were not held. Only optimised code drops a set early, so the test runs in a child process without tiered compilation.
public sealed class SetOwnerTests
{
    private static readonly byte[] s_bytes =
        IdSet.FromInterval(10, 300).Or(IdSet.From([70_000, 70_003, 140_000])).Or(
            IdSet.FromSorted([.. Enumerable.Range(70_000, 5000).Select(i => (uint)i * 3)])).ToByteArray();

    private static readonly (string Name, Action<IdSet> Use)[] s_uses =
    [
        ("Contains of a run", set => set.Contains(50)),
        ("Contains of a bit", set => set.Contains(210_003)),
        ("Count", set => _ = set.Count),
        ("Rank", set => set.Rank(211_000)),
        ("IdAt", set => set.IdAt(1000)),
        ("IdsAt", set => set.IdsAt([5, 1000], new uint[2])),
        ("TryGetNext", set => set.TryGetNext(211_000, out _)),
        ("TryGetPrevious", set => set.TryGetPrevious(211_000, out _)),
        ("CopyTo", set => set.CopyTo(new uint[10_000])),
        ("Serialize", set => set.Serialize(new byte[100_000].AsSpan())),
        ("Serialize to a buffer", set => set.Serialize(new System.Buffers.ArrayBufferWriter<byte>())),
        ("And", set => set.And(IdSet.FromInterval(0, 300_000))),
        ("Clone", set => set.Clone()),
        ("OrMany", set => IdSet.OrMany(set, new IdSet(), IdSet.FromInterval(0, 7))),
        ("CountIntersection", set => set.CountIntersection(IdSet.FromInterval(0, 300_000))),
        ("foreach", set => { foreach (uint _ in set) { } }),
        ("Backwards", set => { foreach (uint _ in set.Backwards()) { } }),
        ("ReadMany", set => set.GetReader().ReadMany(new uint[20_000])),
        ("AdvanceTo", set => set.GetReader().AdvanceTo(211_000)),
        ("FacetField.Count of a query", set =>
        {
            FacetField field = new();
            field.Add(9, "x");
            field.Count(set, new int[1]);
        }),
    ];

    [Fact]
    public void The_owner_of_frozen_bytes_lives_until_the_call_is_done() =>
        Child.Run(UseAll, environment: [("DOTNET_TieredCompilation", "0")]).AssertSucceeded();

    [Fact]
    public void The_memory_of_an_owner_is_refused_after_the_owner_was_disposed()
    {
        Rented owner = new(s_bytes);
        IdSet set = IdSet.OpenFrozen(owner.Memory);
        IdSet64 wide = IdSet64.OpenFrozen(new Rented(IdSet64.From([1, 1ul << 40]).ToByteArray()).Memory);
        Assert.True(set.Contains(50) && wide.Contains(1ul << 40));
        ((IDisposable)owner).Dispose();
        Assert.Throws<ObjectDisposedException>(() => set.Contains(50));
    }

    [Fact]
    public void A_mapped_file_stays_as_long_as_a_set_in_it()
    {
        byte[] bytes = [1, 2, 3, .. s_bytes, 9], wide = IdSet64.From([7, 1ul << 40]).ToByteArray();
        (IdSet set, IdSet64 set64) = Open([.. bytes, .. wide], bytes.Length, wide.Length);
        for (int i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
        Assert.Equal(IdSet.Deserialize(s_bytes).ToArray(), set.ToArray());
        Assert.Equal([7, 1ul << 40], set64.ToArray());
        Assert.False(set.Contains(301));
        GC.KeepAlive(set);
        GC.KeepAlive(set64);
    }

    [Fact]
    public void A_range_outside_the_buffer_is_refused()
    {
        using MemoryMappedFile file = MemoryMappedFile.CreateNew(null, 4096);
        using MemoryMappedViewAccessor view = file.CreateViewAccessor();
        SafeBuffer buffer = view.SafeMemoryMappedViewHandle;
        foreach ((long offset, long length) in new[] { (-1L, 8L), (0L, -1L), (0, (long)buffer.ByteLength + 1),
            ((long)buffer.ByteLength, 1), (long.MaxValue, long.MaxValue) })
        {
            Assert.Throws<ArgumentOutOfRangeException>(() => IdSet.OpenFrozen(buffer, offset, length));
            Assert.Throws<ArgumentOutOfRangeException>(() => IdSet64.OpenFrozen(buffer, offset, length));
        }
        Assert.Throws<IdSetDamagedException>(() => IdSet.OpenFrozen(buffer, 0, 4096));
    }

    // The accessor and the file are disposed before the sets are used.
    private static (IdSet Set, IdSet64 Wide) Open(byte[] bytes, int wideAt, int wideLength)
    {
        using MemoryMappedFile file = MemoryMappedFile.CreateNew(null, bytes.Length);
        using MemoryMappedViewAccessor view = file.CreateViewAccessor();
        view.WriteArray(0, bytes, 0, bytes.Length);
        SafeBuffer buffer = view.SafeMemoryMappedViewHandle;
        return (IdSet.OpenFrozen(buffer, 3, s_bytes.Length, validate: true),
            IdSet64.OpenFrozen(buffer, wideAt, wideLength, validate: true));
    }

    private static void UseAll(string[] arguments)
    {
        List<string> ended = [];
        foreach ((string name, Action<IdSet> use) in s_uses)
        {
            CaseNote.Set(name, 0, 0);
            Watch watch = new();
            OpenAndUse(watch, use);
            if (watch.EndedInside) ended.Add(name);
        }
        if (ended.Count > 0) throw new InvalidOperationException($"The owner ended in the middle of: {string.Join(", ", ended)}.");
        // The counter-check: an owner that nobody holds does end there, so the test can fail.
        Watch unheld = new();
        UseUnheld(unheld);
#if !DEBUG
        // Unoptimised code keeps every local until its method returns, so only optimised code can show this.
        if (!unheld.EndedInside) throw new InvalidOperationException("An owner that nobody held did not end: this test shows nothing.");
#endif
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void OpenAndUse(Watch watch, Action<IdSet> use) => use(IdSet.OpenFrozen(new Collecting(watch).Memory));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void UseUnheld(Watch watch) => new Collecting(watch).GetSpan();

    // Tells whether the owner's resource ended while its bytes were asked for.
    private sealed class Watch
    {
        public bool HasEnded, EndedInside;
    }

    private sealed class Collecting(Watch watch) : SpanMemory
    {
        private readonly Resource _resource = new(watch);

        public override Span<byte> GetSpan() => Collect(watch, s_bytes);

        protected override void Dispose(bool disposing) => GC.KeepAlive(_resource);

        // The manager itself is not on the stack here.
        private static byte[] Collect(Watch watch, byte[] bytes)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            watch.EndedInside |= Volatile.Read(ref watch.HasEnded);
            return bytes;
        }
    }

    // What a mapped file would be: it ends when nobody holds it any more.
    private sealed class Resource(Watch watch)
    {
        ~Resource() => Volatile.Write(ref watch.HasEnded, true);
    }

    [Fact]
    public void Memory_that_became_shorter_is_told_as_what_it_is()
    {
        foreach (int left in (int[])[s_bytes.Length - 1, 1, 0])
        {
            Shrinking owner = new(s_bytes);
            IdSet set = IdSet.OpenFrozen(owner.Memory);
            Shrinking wideOwner = new(IdSet64.From([1, 1ul << 40]).ToByteArray());
            IdSet64 wide = IdSet64.OpenFrozen(wideOwner.Memory);
            (owner.Left, wideOwner.Left) = (left, Math.Min(left, wideOwner.Left - 1));
            foreach (Action use in (Action[])[() => set.Contains(5), () => _ = set.Count, () => set.ToArray(), () => set.And(set),
                () => wide.Contains(1ul << 40), () => _ = wide.Count])
                Assert.Contains("opened in", Assert.Throws<InvalidOperationException>(use).Message);
        }
    }

    [Fact]
    public void A_wide_set_over_a_disposed_owner_is_neither_empty_nor_counted()
    {
        Rented owner = new(IdSet64.From([1, 1ul << 40]).ToByteArray());
        IdSet64 set = IdSet64.OpenFrozen(owner.Memory);
        Assert.False(set.IsEmpty);
        ((IDisposable)owner).Dispose();
        Assert.Throws<ObjectDisposedException>(() => set.IsEmpty);
        Assert.Throws<ObjectDisposedException>(() => set.Count);
    }

    private sealed class Shrinking(byte[] bytes) : SpanMemory
    {
        public int Left { get; set; } = bytes.Length;

        public override Span<byte> GetSpan() => bytes.AsSpan(0, Left);
    }

    private sealed class Rented(byte[] bytes) : SpanMemory
    {
        private bool _isDisposed;

        public override Span<byte> GetSpan()
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            return bytes;
        }

        protected override void Dispose(bool disposing) => _isDisposed = true;
    }
}
