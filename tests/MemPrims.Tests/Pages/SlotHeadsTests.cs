using System.Numerics;
using System.Text;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// The heads of a page that changes key by key are those of its keys, and a search by them gives what a plain search does.
public unsafe class SlotHeadsTests
{
    private static readonly string[] s_shapes = [.. SlotSearchTests.AllShapes, "equal heads", "all FF", "documents"];

    public static TheoryData<string, bool> Cases
    {
        get
        {
            TheoryData<string, bool> cases = [];
            foreach (string shape in s_shapes)
                foreach (bool isWide in (bool[])[false, true]) cases.Add(shape, isWide);
            return cases;
        }
    }

    [Theory, MemberData(nameof(Cases))]
    public void Heads_follow_every_change_and_find_every_key(string shape, bool isWide)
    {
        using SlotPage page = new(isGuarded: false);
        if (isWide) Change<ulong>(page, shape, LongRuns.Of(6, 60) * Seeds.Scale);
        else Change<uint>(page, shape, LongRuns.Of(6, 60) * Seeds.Scale);
    }

    [Fact]
    public void Nothing_is_read_outside_of_keys_and_queries() => Child.Run(ChangeAtGuards).AssertSucceeded();

    [Theory, MemberData(nameof(Cases))]
    public void Heads_that_are_made_at_once_begin_after_what_all_keys_share(string shape, bool isWide)
    {
        using SlotPage page = new(isGuarded: false);
        if (isWide) Rebuild<ulong>(page, shape);
        else Rebuild<uint>(page, shape);
    }

    [Fact]
    public void A_page_that_is_filled_key_by_key_learns_what_its_keys_share()
    {
        using SlotPage page = new(isGuarded: false);
        for (int i = 0; i < 300; i++)
        {
            Insert<uint>(page, Encoding.ASCII.GetBytes($"customers/of the north/{i * 7919 % 10_000:D4}"));
            int shared = ModelSlots<uint>.Shared(page.Start);
            Assert.InRange(shared, i == 0 ? 0 : "customers/of the north/".Length, "customers/of the north/0000".Length);
        }
        Assert.Equal("customers/of the north/".Length, ModelSlots<uint>.Shared(page.Start));
        Insert<uint>(page, "customs"u8.ToArray());
        Assert.Equal("custom".Length, ModelSlots<uint>.Shared(page.Start));
        page.CheckHeads<uint>(page.Keys.Count);
    }

    [Fact]
    public void The_last_key_takes_along_what_it_shared()
    {
        using SlotPage page = new(isGuarded: false);
        foreach (string key in (string[])["orders/1", "orders/2"]) Insert<ulong>(page, Encoding.ASCII.GetBytes(key));
        Assert.Equal("orders/".Length, ModelSlots<ulong>.Shared(page.Start));
        Remove<ulong>(page, 0);
        Remove<ulong>(page, 0);
        Assert.Equal(0, ModelSlots<ulong>.Shared(page.Start));
        foreach (byte[] query in (byte[][])[[], "orders/1"u8.ToArray()]) page.CheckFindByHead<ulong>(query);
        Insert<ulong>(page, [1, 2]);
        page.CheckHeads<ulong>(2);
    }

    private static byte[][] Keys(string shape, Random random, int count) => shape switch
    {
        // Of four, then of eight bytes.
        "equal heads" => Sorted(count, () => Encoding.ASCII.GetBytes($"o/{random.Next(3)}00/{random.Next(2)}0000000/{random.Next(200)}")),
        "all FF" => Sorted(count, () =>
            [.. Enumerable.Repeat((byte)0xFF, random.Next(20)), .. random.Next(3) == 0 ? [(byte)random.Next(256)] : (byte[])[]]),
        "documents" => Sorted(count, () => Encoding.ASCII.GetBytes($"documents/{random.Next(1, 1000)}")),
        _ => SlotSearchTests.Keys(shape, random, count),
    };

    private static byte[][] Sorted(int count, Func<byte[]> next)
    {
        SortedSet<byte[]> keys = new(ByteOrder.Instance);
        for (int i = 0; i < count; i++) keys.Add(next());
        return [.. keys];
    }

    // A page grows to a number of keys and shrinks again, with changes of the other kind between.
    private static void Change<THead>(SlotPage page, string shape, int rounds)
        where THead : unmanaged, IBinaryInteger<THead>, IUnsignedNumber<THead>
    {
        for (int round = 0; round < rounds; round++)
        {
            Random random = Seeds.Random(round);
            CaseNote.Set(shape, round, sizeof(THead));
            page.Clear();
            page.BeginAtGuard = round % 4 == 3;
            byte[][] keys = Keys(shape, random, round == 0 ? 5 : random.Next(10, 300));
            random.Shuffle(keys);
            int most = 0;
            bool grows = true;
            for (int left = 3 * keys.Length; left > 0; left--)
            {
                grows = page.Keys.Count == 0 || page.Keys.Count < keys.Length && grows;
                byte[] key = keys[random.Next(keys.Length)];
                (int slot, bool found) = page.Expected(key);
                bool inserts = random.Next(5) == 0 ? !grows : grows;
                if (inserts && !found) Insert<THead>(page, key);
                else if (!inserts && page.Keys.Count > 0) Remove<THead>(page, found ? slot : random.Next(page.Keys.Count));
                else if (left % 64 == 0) grows = !grows;
                most = Math.Max(most, page.Keys.Count);
                page.CheckHeads<THead>(most);
                foreach (byte[] query in SlotSearchTests.Beside(key, random)) page.CheckFindByHead<THead>(query);
                if (left % 100 == 0) CheckAll<THead>(page, random);
            }
            CheckAll<THead>(page, random);
            while (page.Keys.Count > 0)
            {
                Remove<THead>(page, random.Next(page.Keys.Count));
                page.CheckHeads<THead>(most);
                if (page.Keys.Count < 20) CheckAll<THead>(page, random);
            }
        }
    }

    private static void Rebuild<THead>(SlotPage page, string shape) where THead : unmanaged, IBinaryInteger<THead>, IUnsignedNumber<THead>
    {
        for (int round = 0; round < LongRuns.Of(50, 500) * Seeds.Scale; round++)
        {
            Random random = Seeds.Random(round);
            byte[][] keys = Keys(shape, random, SlotSearchTests.CountOf(round, random));
            page.Load(keys);
            SlotSearch.RebuildHeads<ModelSlots<THead>, THead>(page.Start);
            page.CheckHeads<THead>(keys.Length);
            int shared = 0;
            while (keys.Length > 1 && keys.All(key => key.Length > shared && key[shared] == keys[0][shared])) shared++;
            Assert.Equal(shared, ModelSlots<THead>.Shared(page.Start));
            CheckAll<THead>(page, random);
        }
    }

    private static void CheckAll<THead>(SlotPage page, Random random)
        where THead : unmanaged, IBinaryInteger<THead>, IUnsignedNumber<THead>
    {
        foreach (byte[] query in SlotSearchTests.Queries(page.Keys, random)) page.CheckFindByHead<THead>(query);
        int shared = ModelSlots<THead>.Shared(page.Start);
        // Shorter than what all keys share, and different within it.
        for (int length = 0; length < shared; length++)
        {
            byte[] query = page.Keys[0][..(length + 1)];
            page.CheckFindByHead<THead>(query);
            query[length] ^= (byte)(1 << random.Next(8));
            page.CheckFindByHead<THead>(query);
            page.CheckFindByHead<THead>([.. query, .. page.Keys[^1][(length + 1)..]]);
        }
    }

    private static void Insert<THead>(SlotPage page, byte[] key) where THead : unmanaged, IBinaryInteger<THead>, IUnsignedNumber<THead>
    {
        int slot = page.Expected(key).Position;
        page.InsertAt(slot, key);
        SlotSearch.HeadInserted<ModelSlots<THead>, THead>(page.Start, slot);
    }

    private static void Remove<THead>(SlotPage page, int slot) where THead : unmanaged, IBinaryInteger<THead>, IUnsignedNumber<THead>
    {
        page.RemoveAt(slot);
        SlotSearch.HeadRemoved<ModelSlots<THead>, THead>(page.Start, slot);
    }

    private static void ChangeAtGuards(string[] _)
    {
        using SlotPage page = new(isGuarded: true);
        foreach (string shape in s_shapes)
        {
            Change<uint>(page, shape, 4);
            Change<ulong>(page, shape, 4);
        }
    }
}
