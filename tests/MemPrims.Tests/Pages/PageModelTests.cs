using FsCheck;
using FsCheck.Fluent;
using MemPrims.Pages;

namespace MemPrims.Tests.Pages;

// Random runs on a page against a SortedDictionary, all invariants checked after every step; FsCheck shrinks a run that fails.
public class PageModelTests
{
    [Theory]
    [InlineData(512), InlineData(1024), InlineData(4096)]
    public void A_page_does_what_a_sorted_dictionary_does(int size)
    {
        int most = SortedPage.MaxEntry(size);
        Check.One(
            Config.QuickThrowOnFailure.WithMaxTest(60 * Seeds.Scale).WithReplay((ulong)Seeds.Seed, 1).WithStartSize(20).WithEndSize(100),
            Prop.ForAll(Operation.Sequences(Operation.Any(most, most), 120), steps => Run(steps, size, most)));
    }

    private static bool Run(Operation[] steps, int size, int most)
    {
        byte[] memory = new byte[size];
        new Random(1).NextBytes(memory);
        SortedPage page = SortedPage.Create(memory);
        SortedDictionary<byte[], byte[]> model = ByteOrder.NewModel();
        foreach ((byte[] key, byte[]? value) in steps)
        {
            if (value is null)
            {
                Assert.Equal(model.Remove(key), page.Remove(key));
            }
            else if (key.Length + value.Length > most)
            {
                Assert.Throws<ArgumentException>(() => SortedPage.Attach(memory).TrySet(key, value));
            }
            else
            {
                int free = page.FreeBytes;
                byte[] before = [.. memory];
                int old = model.TryGetValue(key, out byte[]? had) ? key.Length + had.Length : -1;
                if (page.TrySet(key, value))
                {
                    model[key] = value;
                    Assert.InRange(free - page.FreeBytes,
                        key.Length + value.Length - Math.Max(old, 0), key.Length + value.Length - old + 40);
                }
                else
                {
                    Assert.True(key.Length + value.Length - Math.Max(old, 0) + (old < 0 ? 40 : 0) > free, "it would have fitted");
                    Assert.Equal(before, memory);
                }
            }
            ModelCheck.Same(model, page);
        }
        foreach (byte[] key in model.Keys.ToArray()) Assert.True(page.Remove(key));
        Assert.Equal(SortedPage.Create(new byte[size]).FreeBytes, page.FreeBytes);
        return true;
    }
}
