using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// The page of an engine: a count, what its keys share, heads that are not aligned, slots, and nodes that point to their keys. It asserts
// that only slots below the count are asked for.
internal readonly unsafe struct ModelSlots<THead> : ISlotHeads<THead> where THead : unmanaged
{
    public const int SharedAt = 4, HeadsAt = 9, SlotsAt = 8192, NodesAt = 10_240, NodeSize = 16, Most = 512;
    public const int Size = NodesAt + Most * NodeSize;

    public static int Count(byte* page) => *(int*)page;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static byte* Node(byte* page, int slot)
    {
        if ((uint)slot >= (uint)Count(page)) Throw(slot, Count(page));
        return page + NodesAt + NodeSize * ((ushort*)(page + SlotsAt))[slot];
    }

    public static byte* Key(byte* node, out int length)
    {
        length = ((int*)node)[2];
        return *(byte**)node;
    }

    public static THead* Heads(byte* page) => (THead*)(page + HeadsAt);

    public static ref ushort Shared(byte* page) => ref *(ushort*)(page + SharedAt);

    private static void Throw(int slot, int count) => Assert.Fail($"Slot {slot} is none of the page's {count} slots.");
}

// A page with a model of it. Guarded, each key lies at an edge of memory of its own, the last byte or the first one beside a page that
// cannot be touched; so does the query.
internal sealed unsafe class SlotPage : IDisposable
{
    private const int KeyRoom = 256;
    private const byte Untouched = 0xAB;

    private readonly GuardedMemory[]? _guarded;
    private readonly byte* _keys;
    private readonly Stack<ushort> _free = new();

    public SlotPage(bool isGuarded)
    {
        if (isGuarded)
            _guarded = [.. Enumerable.Range(0, ModelSlots<ulong>.Most + 1).Select(static _ => new GuardedMemory(KeyRoom))];
        else _keys = (byte*)NativeMemory.Alloc((ModelSlots<ulong>.Most + 1) * KeyRoom);
        Start = (byte*)NativeMemory.AllocZeroed(ModelSlots<ulong>.Size);
        Clear();
    }

    public byte* Start { get; }

    // Whether keys and queries begin at a guard page, and do not end at one.
    public bool BeginAtGuard { get; set; }

    public List<byte[]> Keys { get; } = [];

    private ushort* Slots => (ushort*)(Start + ModelSlots<ulong>.SlotsAt);

    public void Clear()
    {
        Keys.Clear();
        _free.Clear();
        for (int node = ModelSlots<ulong>.Most - 1; node >= 0; node--) _free.Push((ushort)node);
        new Span<byte>(Start, ModelSlots<ulong>.SlotsAt).Fill(Untouched);
        *(int*)Start = 0;
        ModelSlots<ulong>.Shared(Start) = 0;
    }

    public void Load(IEnumerable<byte[]> keys)
    {
        Clear();
        foreach (byte[] key in keys) InsertAt(Keys.Count, key);
    }

    public void InsertAt(int slot, byte[] key)
    {
        ushort node = _free.Pop();
        byte* there = Place(node, key), at = Start + ModelSlots<ulong>.NodesAt + node * ModelSlots<ulong>.NodeSize;
        *(byte**)at = there;
        ((int*)at)[2] = key.Length;
        new Span<ushort>(Slots + slot, Keys.Count - slot).CopyTo(new(Slots + slot + 1, Keys.Count - slot));
        Slots[slot] = node;
        Keys.Insert(slot, key);
        *(int*)Start = Keys.Count;
    }

    public void RemoveAt(int slot)
    {
        _free.Push(Slots[slot]);
        new Span<ushort>(Slots + slot + 1, Keys.Count - slot - 1).CopyTo(new(Slots + slot, Keys.Count - slot - 1));
        Keys.RemoveAt(slot);
        *(int*)Start = Keys.Count;
    }

    // The query, where it lies for a search.
    public ReadOnlySpan<byte> Query(byte[] key) => new(Place(ModelSlots<ulong>.Most, key), key.Length);

    // Where a plain search finds the key, or would put it.
    public (int Position, bool Found) Expected(byte[] key)
    {
        int place = Keys.BinarySearch(key, ByteOrder.Instance);
        return (place < 0 ? ~place : place, place >= 0);
    }

    // Find is right for the query.
    public void CheckFind(byte[] query)
    {
        int position = SlotSearch.Find<ModelSlots<ulong>>(Start, Query(query), out bool found);
        Same(query, position, found);
    }

    public void CheckFindByHead<THead>(byte[] query) where THead : unmanaged, IBinaryInteger<THead>, IUnsignedNumber<THead>
    {
        int position = SlotSearch.FindByHead<ModelSlots<THead>, THead>(Start, Query(query), out bool found);
        Same(query, position, found);
    }

    // Every head is what the key's bytes make of it, all keys share what the page says, and nothing lies around the heads.
    public void CheckHeads<THead>(int most) where THead : unmanaged, IBinaryInteger<THead>
    {
        int shared = ModelSlots<THead>.Shared(Start);
        THead* heads = ModelSlots<THead>.Heads(Start);
        for (int slot = 0; slot < Keys.Count; slot++)
        {
            byte[] key = Keys[slot];
            Assert.True(key.AsSpan().StartsWith(Keys[0].AsSpan(0, shared)), $"Key {slot} lacks {shared} bytes that all share.");
            UInt128 head = 0;
            for (int i = 0; i < sizeof(THead); i++) head = head << 8 | (shared + i < key.Length ? key[shared + i] : 0u);
            Assert.Equal(head, UInt128.CreateTruncating(Unsafe.ReadUnaligned<THead>(heads + slot)));
        }
        Assert.Equal(Untouched, ((byte*)heads)[-1]);
        Assert.Equal(Untouched, *(byte*)(heads + most));
    }

    public void Dispose()
    {
        foreach (GuardedMemory memory in _guarded ?? []) memory.Dispose();
        NativeMemory.Free(_keys);
        NativeMemory.Free(Start);
    }

    private void Same(byte[] query, int position, bool found)
    {
        (int Position, bool Found) expected = Expected(query);
        if ((position, found) != expected)
            Assert.Fail($"{Convert.ToHexString(query)} among {Keys.Count}: {(position, found)}, not {expected}.");
    }

    private byte* Place(int node, byte[] key)
    {
        byte* there = _guarded is null ? _keys + node * KeyRoom
            : BeginAtGuard ? _guarded[node].Start : _guarded[node].EndingAtGuard(key.Length);
        key.CopyTo(new Span<byte>(there, key.Length));
        return there;
    }
}
