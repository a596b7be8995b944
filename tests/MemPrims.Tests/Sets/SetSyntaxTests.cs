using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// Sets as a first guess writes them.
public class SetSyntaxTests
{
    [Fact]
    public void Collection_expressions_make_sets()
    {
        IdSet set = [9, 1, 5, 1];
        Assert.Equal([1u, 5, 9], set);
        IdSet more = [.. set, 70_000];
        Assert.Equal([1u, 5, 9, 70_000], more);
        IdSet64 wide = [1UL << 40, 3];
        Assert.Equal([3ul, 1UL << 40], wide);
        IdSet none = [];
        Assert.True(none.IsEmpty);
    }

    [Fact]
    public void Operators_are_the_methods()
    {
        IdSet a = [1, 2, 3, 100_000], b = [2, 3, 4];
        Assert.Equal([2u, 3], a & b);
        Assert.Equal([1u, 2, 3, 4, 100_000], a | b);
        Assert.Equal([1u, 4, 100_000], a ^ b);
        a &= b;
        Assert.Equal([2u, 3], a);
        IdSet64 c = [1, 1UL << 40], d = [1];
        Assert.Equal([1ul], c & d);
        Assert.Equal([1ul, 1UL << 40], c | d);
        Assert.Equal([1UL << 40], c ^ d);
        Assert.Throws<ArgumentNullException>(() => a & null!);
        Assert.Throws<ArgumentNullException>(() => (IdSet)null! | a);
    }
}
