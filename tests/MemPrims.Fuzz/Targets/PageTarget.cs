using System.Buffers.Binary;
using System.Text;
using MemPrims.Pages;
using static MemPrims.Fuzz.WrongAnswerException;

namespace MemPrims.Fuzz;

/// <summary>A sorted page. The head draws what is done with it; a page that was opened does what a sorted dictionary does.</summary>
internal sealed class PageTarget : Target
{
    public override string Name => "page";

    public override int HeadBytes => 2;

    public override int Rounds => 5_000;

    public override bool BeginsSettled => true;

    public override IEnumerable<byte[]> Seeds()
    {
        foreach (int size in (int[])[512, 1024, 4096])
            foreach (int entries in (int[])[0, 1, 7, 17, 400])
            {
                byte[] memory = new byte[size];
                SortedPage page = SortedPage.Create(memory);
                for (int i = 0; i < entries; i++) page.TrySet(Key(i * 7), new byte[i % 9]);
                if (entries > 7) page.Remove(Key(14));
                yield return [(byte)entries, (byte)(size >> 8), .. memory];
            }
    }

    internal static byte[] Key(int number) => number % 4 == 0
        ? Encoding.ASCII.GetBytes($"shared prefix/{number % 300}") : Encoding.ASCII.GetBytes($"{number % 300:000}");

    public override void Run(ReadOnlySpan<byte> head, GuardedInput input)
    {
        Random random = new(BinaryPrimitives.ReadUInt16LittleEndian(head));
        SortedDictionary<byte[], byte[]>? model = null;
        try
        {
            model = Entries(SortedPage.Open(input.Span));
        }
        catch (Exception e) when (e is PageDamagedException or ArgumentException)
        {
        }
        for (int i = 0; i < 30; i++)
            try
            {
                SortedPage page = SortedPage.Attach(input.Span);
                if (model is null) Use(page, random);
                else Check(page, input.Length, random, model);
            }
            catch (Exception e) when (model is null && e is PageDamagedException or ArgumentException)
            {
            }
        if (model is null) return;
        SortedPage last = SortedPage.Open(input.Span);
        Unless(Entries(last).SequenceEqual(model, SameEntry.Instance), "a page does not have what was set");
    }

    private static SortedDictionary<byte[], byte[]> Entries(SortedPage page)
    {
        SortedDictionary<byte[], byte[]> entries = new(SameEntry.Instance);
        for (int i = 0; i < page.Count; i++) entries.Add(page.Key(i).ToArray(), page.Value(i).ToArray());
        return entries;
    }

    private static void Check(SortedPage page, int size, Random random, SortedDictionary<byte[], byte[]> model)
    {
        byte[] key = random.Next(3) == 0 && model.Count > 0 ? model.Keys.ElementAt(random.Next(model.Count)) : Key(random.Next(300));
        bool isFound = page.Find(key, out int position);
        Unless(isFound == model.ContainsKey(key) && position == model.Keys.Count(other => SameEntry.Instance.Compare(other, key) < 0),
            "a key is found where it is not");
        if (isFound) Unless(page.Key(position).SequenceEqual(key) && page.Value(position).SequenceEqual(model[key]), "another entry");
        switch (random.Next(6))
        {
            case 0:
            case 1:
                byte[] value = new byte[random.Next(20)];
                value.AsSpan().Fill((byte)random.Next(256));
                // A key that the page has may be longer than one that can be set.
                if (key.Length + value.Length <= SortedPage.MaxEntry(size) && page.TrySet(key, value)) model[key] = value;
                break;
            case 2:
                Unless(page.Remove(key) == model.Remove(key), "a removal");
                break;
            case 4 when page.Count > 1:
                byte[] room = new byte[size];
                SortedPage right = SortedPage.Create(room);
                int at = random.Next(1, page.Count);
                page.Split(right, at);
                right.Validate();
                page.Validate();
                Unless(page.Count == at && page.Count + right.Count == model.Count, "a split loses entries");
                for (int i = 0; i < right.Count; i++)
                    Unless(page.TrySet(right.Key(i), right.Value(i)), "what was split does not fit again");
                break;
        }
        page.Validate();
    }

    private static void Use(SortedPage page, Random random)
    {
        byte[] key = Key(random.Next(300));
        bool isFound = page.Find(key, out int position);
        Unless(position >= 0 && position <= page.Count && (!isFound || position < page.Count), "a position that there is not");
        switch (random.Next(8))
        {
            case 0:
                page.TrySet(key, new byte[random.Next(12)]);
                break;
            case 1:
                page.Remove(key);
                break;
            case 3:
                for (int i = 0; i < page.Count; i++) _ = page.Key(i).Length + page.Value(i).Length;
                break;
            case 5:
                page.Split(SortedPage.Create(new byte[512]), random.Next(1, Math.Max(2, page.Count)));
                break;
            case 6:
                if (page.Count > 0) page.RemoveAt(random.Next(page.Count));
                break;
        }
    }
}
