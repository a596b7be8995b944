using Microsoft.CodeAnalysis;

namespace MemPrims.Tests;

// Every rule is found where it should be and nowhere else; a fix leaves code that compiles and is not found again.
public class AnalyzerTests
{
    private const string Pair = "ReadOnlySpan<byte> a, ReadOnlySpan<byte> b", Pointers = "byte* to, byte* from, int length";

    public static TheoryData<string, string, string?> Misuse => new()
    {
        { "MEMPRIMS001", "static void F(Appender to) { }",
            "static void F(ref Appender to) { }" },
        { "MEMPRIMS001", "static void F(in Appender to) { }", "static void F(ref Appender to) { }" },
        { "MEMPRIMS001", "static void F(ref Appender to) { Appender copy = to; copy.Write(1); }",
            "static void F(ref Appender to) { ref Appender copy = ref to; copy.Write(1); }" },
        { "MEMPRIMS002", "static void F(SortedCursor cursor) { cursor.Next(); } static void G(ref SortedCursor cursor) => F(cursor);",
            "static void F(ref SortedCursor cursor) { cursor.Next(); } static void G(ref SortedCursor cursor) => F(ref cursor);" },
        { "MEMPRIMS002", "static void F(ref SortedCursor cursor) { SortedCursor copy = cursor; copy.Next(); }",
            "static void F(ref SortedCursor cursor) { ref SortedCursor copy = ref cursor; copy.Next(); }" },
        { "MEMPRIMS002", "static int F(in SortedCursor cursor) => cursor.Key.Length;",
            "static int F(ref SortedCursor cursor) => cursor.Key.Length;" },
        { "MEMPRIMS003", $"static bool F({Pair}) => Block.Compare(a, b) == 1;", $"static bool F({Pair}) => Block.Compare(a, b) > 0;" },
        { "MEMPRIMS003", $"static bool F({Pair}) => Block.Compare(a, b) == -1;", $"static bool F({Pair}) => Block.Compare(a, b) < 0;" },
        { "MEMPRIMS003", $"static bool F({Pair}) => Block.Compare(a, /* key */ b) /* later */ == /* now */ 1 /* end */;",
            $"static bool F({Pair}) => Block.Compare(a, /* key */ b) > /* later */ /* now */ 0 /* end */;" },
        { "MEMPRIMS003", $"static bool F({Pair}) => 1 // after\n == Block.Compare(a, b);",
            $"static bool F({Pair}) => Block.Compare(a, b) > // after\n0;" },
        { "MEMPRIMS003", $"static bool F({Pair}) => Block.Compare(a, b) is > /* later */ 1;",
            $"static bool F({Pair}) => Block.Compare(a, b) is > /* later */ 0;" },
        { "MEMPRIMS003", $"static bool F({Pair}) => Block.Compare(a, b) != 1;", $"static bool F({Pair}) => Block.Compare(a, b) <= 0;" },
        { "MEMPRIMS003", $"static bool F({Pair}) => -1 != Block.Compare(a, b);", $"static bool F({Pair}) => Block.Compare(a, b) >= 0;" },
        { "MEMPRIMS003", $"static bool F({Pointers}) {{ int order = Libc.Compare(to, from, length); return order == 1; }}",
            $"static bool F({Pointers}) {{ int order = Libc.Compare(to, from, length); return order > 0; }}" },
        { "MEMPRIMS003", $"static bool F({Pair}) => Block.Compare(a, b) == 1L;", $"static bool F({Pair}) => Block.Compare(a, b) > 0;" },
        { "MEMPRIMS003", $"static bool F({Pair}) => Block.Compare(a, b) > 1;", $"static bool F({Pair}) => Block.Compare(a, b) > 0;" },
        { "MEMPRIMS003", $"static bool F({Pair}) => -2 < Block.Compare(a, b);", $"static bool F({Pair}) => Block.Compare(a, b) >= 0;" },
        { "MEMPRIMS003", $"static bool F({Pair}) => Block.Compare(a, b) is 1;", $"static bool F({Pair}) => Block.Compare(a, b) is > 0;" },
        { "MEMPRIMS003", $"static bool F({Pair}) => Block.Compare(a, b) is not -1;",
            $"static bool F({Pair}) => Block.Compare(a, b) is not < 0;" },
        { "MEMPRIMS003", $"static bool F({Pair}) => Block.Compare(a, b) is 0 or > 1;",
            $"static bool F({Pair}) => Block.Compare(a, b) is 0 or > 0;" },
        { "MEMPRIMS003", $"static int F({Pair}) => Block.Compare(a, b) switch {{ 1 => 4, 0 => 5, _ => 6 }};",
            $"static int F({Pair}) => Block.Compare(a, b) switch {{ > 0 => 4, 0 => 5, _ => 6 }};" },
        { "MEMPRIMS003",
            $"static int F({Pair}) {{ switch (Block.Compare(a, b)) {{ case 0: return 5; case -1: return 4; default: return 6; }} }}",
            $"static int F({Pair}) {{ switch (Block.Compare(a, b)) {{ case 0: return 5; case < 0: return 4; default: return 6; }} }}" },
        { "MEMPRIMS003", $"static bool F({Pair}) => !Block.Compare(a, b).Equals(1);",
            $"static bool F({Pair}) => !(Block.Compare(a, b) > 0);" },
        { "MEMPRIMS003", $"static bool F({Pair}) => (-1).Equals(Block.Compare(a, b));",
            $"static bool F({Pair}) => Block.Compare(a, b) < 0;" },
        { "MEMPRIMS003", $"static bool F({Pair}) {{ int order; order = Block.Compare(a, b); return order is 1; }}",
            $"static bool F({Pair}) {{ int order; order = Block.Compare(a, b); return order is > 0; }}" },
        { "MEMPRIMS003", $"static bool F({Pair}) => (long)Block.Compare(a, b) == 1;",
            $"static bool F({Pair}) => Block.Compare(a, b) > 0;" },
        { "MEMPRIMS003", $"static bool F({Pair}) {{ int order = a.IsEmpty ? 0 : Block.Compare(a, b); return order == -1; }}",
            $"static bool F({Pair}) {{ int order = a.IsEmpty ? 0 : Block.Compare(a, b); return order < 0; }}" },
        { "MEMPRIMS003",
            $"static bool F({Pair}) {{ int order = a.IsEmpty ? Block.Compare(b, a) : Block.Compare(a, b); return order == 1; }}",
            $"static bool F({Pair}) {{ int order = a.IsEmpty ? Block.Compare(b, a) : Block.Compare(a, b); return order > 0; }}" },
        { "MEMPRIMS003", $"static bool F({Pair}) => Block.Compare(a, b) is var order && order == 1;",
            $"static bool F({Pair}) => Block.Compare(a, b) is var order && order > 0;" },
        { "MEMPRIMS010", $"static void F({Pointers}) => Buffer.MemoryCopy(from, to, 100, length);",
            $"static void F({Pointers}) => MemPrims.DropIn.Buffer.MemoryCopy(from, to, 100, length);" },
        { "MEMPRIMS011", $"static void F({Pointers}) => Unsafe.CopyBlock(to, from, (uint)length);",
            $"static void F({Pointers}) => global::MemPrims.Block.Copy((byte*)(to), (byte*)(from), (nint)((uint)length));" },
        { "MEMPRIMS011", $"static void F({Pointers}) => Unsafe.CopyBlockUnaligned(to, from, 17);",
            $"static void F({Pointers}) => global::MemPrims.Block.Copy((byte*)(to), (byte*)(from), (nint)(17));" },
        { "MEMPRIMS012", $"static bool F({Pair}) => a.SequenceCompareTo(b) < 0;",
            $"static bool F({Pair}) => global::MemPrims.Block.Compare(a, b) < 0;" },
        { "MEMPRIMS012", $"static bool F({Pair}) => a.SequenceCompareTo(b) is > 0 or 0;",
            $"static bool F({Pair}) => global::MemPrims.Block.Compare(a, b) is > 0 or 0;" },
        { "MEMPRIMS012", $"static int F({Pair}) => a.SequenceCompareTo(b) switch {{ < 0 => 4, 0 => 5, _ => 6 }};",
            $"static int F({Pair}) => global::MemPrims.Block.Compare(a, b) switch {{ < 0 => 4, 0 => 5, _ => 6 }};" },
        { "MEMPRIMS012",
            $"static int F({Pair}) {{ switch (a.SequenceCompareTo(b)) {{ case 0: return 5; case < 0: return 4; }} return 6; }}",
            $"static int F({Pair}) {{ switch (MemPrims.Block.Compare(a, b)) {{ case 0: return 5; case < 0: return 4; }} return 6; }}" },
        { "MEMPRIMS012", $"static int F({Pair}) {{ int order = a.SequenceCompareTo(b); return order < 0 ? 1 : order == 0 ? 2 : 3; }}",
            $"static int F({Pair}) {{ int order = global::MemPrims.Block.Compare(a, b); return order < 0 ? 1 : order == 0 ? 2 : 3; }}" },
        { "MEMPRIMS013", "static void F(BinaryWriter to, int value) => to.Write7BitEncodedInt(value);", null },
        { "CS0619", "static bool F(byte[] a, byte[] b) => Block.Equals(a, b);",
            "static bool F(byte[] a, byte[] b) => Block.Equal(a, b);" },
    };

    [Theory, MemberData(nameof(Misuse))]
    public async Task Misuse_is_found_and_the_fix_compiles(string id, string before, string? after)
    {
        using AnalyzerSample sample = new(before);
        Diagnostic[] found = await sample.DiagnosticsAsync();
        Diagnostic first = Assert.Single(found, diagnostic => diagnostic.Id == id);
        string? written = await sample.FixAsync(first);
        Assert.Equal(after?.Replace("global::", "", StringComparison.Ordinal), written?.Replace("global::", "", StringComparison.Ordinal));
        if (after is null) return;
        Assert.Empty(await sample.DiagnosticsAsync());
    }

    [Theory]
    [InlineData("ref struct R { readonly Appender _to; public R(SegmentList list) => _to = new(list); public void F() => _to.Write(1); }")]
    [InlineData("static Appender F(ref Appender to) => to;")]
    [InlineData("static void F(ref Appender to) { if (to is var copy) copy.Write(1); }")]
    [InlineData("static void F(ref Appender a, bool which) => (which ? a : a).Write(1);")]
    [InlineData("static void F(ref Appender a, int which) => (which switch { 0 => a, _ => a }).Write(1);")]
    [InlineData("static ref Appender G(ref Appender to) => ref to; static void F(ref Appender to) { var b = G(ref to); b.Write(1); }")]
    [InlineData("static void F(Appender* to) { Appender copy = *to; copy.Write(1); }")]
    [InlineData("static void F(ref Appender to) { ref readonly Appender same = ref to; same.Write(1); }")]
    [InlineData("ref struct R { Appender _to; public readonly void F() => _to.Write(1); }")]
    [InlineData("ref struct R { Appender _to; public readonly int P { get { _to.Write(1); return 1; } } }")]
    public async Task A_copy_that_has_no_name_is_found_too(string member)
    {
        using AnalyzerSample sample = new(member);
        Assert.Contains(await sample.DiagnosticsAsync(), diagnostic => diagnostic.Id == "MEMPRIMS001");
    }

    // A ref cannot stand there, so no fix is offered.
    [Theory]
    [InlineData("static void F(Appender to) { } static void G(SegmentList list) => F(new Appender(list));")]
    [InlineData("static void F(Appender to = default) { }")]
    [InlineData("static void F(SegmentList list) { using Appender to = new(list); Appender copy = to; copy.Write(1); }")]
    [InlineData("delegate void D(Appender to); static void F(ref Appender to) { D d = x => x.Write(1); d(to); }")]
    [InlineData("interface I { void F(Appender to); } sealed class C : I { public void F(Appender to) { } }")]
    [InlineData("static void F(in SortedCursor cursor) { } static void G(SortedTree tree) => F(tree.Scan());")]
    public async Task No_fix_is_offered_that_would_not_compile(string member)
    {
        using AnalyzerSample sample = new(member);
        Diagnostic[] found = [.. (await sample.DiagnosticsAsync()).Where(diagnostic => diagnostic.Id is "MEMPRIMS001" or "MEMPRIMS002")];
        Assert.NotEmpty(found);
        foreach (Diagnostic diagnostic in found) Assert.Null(await sample.FixAsync(diagnostic));
    }

    [Theory]
    [InlineData("static Appender F(SegmentList list) { Appender to = new(list); to.Write(1); return to; }")]
    [InlineData("static void F(ref Appender to) => _ = to;")]
    [InlineData($"static bool F({Pair}) => a.SequenceCompareTo(b, Comparer<byte>.Default) < 0;")]
    [InlineData($"static bool F({Pair}) => a.SequenceCompareTo(b, comparer: null) > 0;")]
    [InlineData($"static bool F({Pair}) {{ int order = Block.Compare(a, b); order = a.Length; return order == 1; }}")]
    [InlineData($"static bool F({Pair}) => Block.Compare(a, b) == 0;")]
    [InlineData("static void F(BinaryWriter to) => to.Write7BitEncodedInt(-1);")]
    [InlineData("const long None = -5; static void F(BinaryWriter to) => to.Write7BitEncodedInt64(value: None);")]
    [InlineData($"static bool F({Pair}) => Block.Compare(a, b) >= 1;")]
    [InlineData($"static bool F({Pair}) => Block.Compare(a, b) is >= 1 or < 0 or 0;")]
    [InlineData($"static int F({Pair}) {{ switch (Block.Compare(a, b)) {{ case 0: return 1; case > 0: return 2; default: return 3; }} }}")]
    [InlineData($"static bool F({Pair}) => a[..Block.CommonPrefix(a, b)] is [1, ..] && Block.Compare(a, b).Equals(0);")]
    [InlineData($"static bool F({Pair}) {{ int order = Block.Compare(a, b); order = Math.Sign(order); return order == 1; }}")]
    [InlineData($"static bool F({Pair}) {{ int i = Block.Compare(a, b); G(ref i); return i == 1; }} static void G(ref int i) {{ }}")]
    [InlineData($"static bool F({Pair}) {{ int order = Block.Compare(a, b); order--; return order == 1; }}")]
    [InlineData($"static bool F({Pair}) {{ int order = Block.Compare(a, b); (order, int i) = (1, 2); return order == 1 && i > 0; }}")]
    [InlineData($"static bool F({Pair}) => a.Length.CompareTo(b.Length) == 1;")]
    [InlineData($"static bool F({Pair}) {{ int order = a.Length; order += Block.Compare(a, b); return order == 1; }}")]
    [InlineData($"static void F({Pointers}) => Buffer.MemoryCopy(from, to, 100, 16);")]
    [InlineData($"static void F({Pointers}) => MemPrims.DropIn.Buffer.MemoryCopy(from, to, 100, length);")]
    [InlineData($"static void F({Pointers}) => Unsafe.CopyBlockUnaligned(to, from, 16);")]
    [InlineData("static void F(ref byte to, ref byte from) => Unsafe.CopyBlockUnaligned(ref to, ref from, 99);")]
    [InlineData($"static int F({Pair}) => a.SequenceCompareTo(b);")]
    [InlineData($"static bool F({Pair}) => a.SequenceCompareTo(b) < 3;")]
    [InlineData($"static int F({Pair}) => a.SequenceCompareTo(b) switch {{ 0 => 4, 5 => 5, _ => 6 }};")]
    [InlineData($"static bool F({Pair}) => a.SequenceCompareTo(b) is var order && order > 0;")]
    [InlineData($"static int F({Pair}) {{ int order = a.SequenceCompareTo(b); return order < 0 ? 1 : order; }}")]
    [InlineData($"static bool F({Pair}) {{ int order = a.SequenceCompareTo(b); order++; return order < 0; }}")]
    [InlineData($"static bool F({Pair}) {{ int order = a.IsEmpty ? 1 : Block.Compare(a, b); return order == 1; }}")]
    [InlineData("ref struct R { Appender _to; public void F() => _to.Write(1); public readonly long G() => _to.Position; }")]
    [InlineData("static bool F(ReadOnlySpan<char> a, ReadOnlySpan<char> b) => a.SequenceCompareTo(b) < 0;")]
    [InlineData("static void F(SortedTree tree) { SortedCursor cursor = tree.Scan(); while (cursor.Next()) { } }")]
    [InlineData("static void F(ref SortedCursor cursor) => cursor.Next();")]
    [InlineData("static void F(SortedTree tree) => G(tree.Scan()); static void G(SortedCursor cursor) => cursor.Next();")]
    public async Task What_is_right_is_left_alone(string member)
    {
        using AnalyzerSample sample = new(member);
        Assert.Empty(await sample.DiagnosticsAsync());
    }

    // The page of the rules and the list of releases name every rule, and none that is not there.
    [Fact]
    public void Every_rule_is_on_its_page_and_in_the_releases()
    {
        string[] rules =
            [.. AnalyzerSample.Analyzers.SelectMany(analyzer => analyzer.SupportedDiagnostics).Select(rule => rule.Id).Order()];
        string page = Repository.Read("src/MemPrims.Analyzers/README.md");
        string releases = Repository.Read("src/MemPrims.Analyzers/AnalyzerReleases.Unshipped.md");
        Assert.Equal(rules, Lines(page, "## MEMPRIMS").Select(line => line[3..14]));
        Assert.Equal(rules, Lines(releases, "MEMPRIMS").Select(line => line[..11]));
    }

    private static IEnumerable<string> Lines(string text, string start) =>
        text.Split('\n').Where(line => line.StartsWith(start, StringComparison.Ordinal));
}
