namespace MemPrims.Tests;

// The rules of the house can fail: each is shown a small source that breaks it, and one beside it that does not.
public class ArchitectureRuleTests
{
    private static readonly SourceFile s_block = new("Compare/Block.cs", "namespace MemPrims;\npublic static class Block { }");
    private static readonly SourceFile s_kernel = new("Compare/Kernel.cs", "namespace MemPrims;\ninternal static class Kernel { }");
    private static readonly SourceFile s_varint = new("Codecs/Varint.cs", "namespace MemPrims.Codecs;\npublic static class Varint { }");
    private static readonly SourceFile s_bits = new("Codecs/Bits.cs", "namespace MemPrims.Codecs;\ninternal readonly ref struct Bits { }");
    private static readonly SourceFile s_idSet = new("Sets/IdSet.cs", "namespace MemPrims.Sets;\npublic sealed class IdSet { }");

    [Theory]
    [InlineData("Copy/A.cs", "namespace MemPrims;\nclass A { int F() => Kernel.Find(); }")]
    [InlineData("Codecs/A.cs", "namespace MemPrims.Codecs;\nclass A { int F(Bits b) => Block.Compare(b); }")]
    [InlineData("Buffers/A.cs", "using MemPrims.Codecs;\nnamespace MemPrims.Buffers;\nclass A { int F() => Varint.Size(1); }")]
    [InlineData("Buffers/A.cs", "namespace MemPrims.Buffers;\nclass A { int F() => Codecs.Varint.Size(1); }")]
    [InlineData("Hardware/A.cs", "namespace MemPrims;\n// Kernel and Block\nclass A { string F() => \"Block\" + x.Block + Block(); }")]
    [InlineData("Pages/A.cs", "namespace MemPrims.Pages;\nclass A { class IdSet { } int Varint; }")]
    [InlineData("Pages/A.cs", "namespace MemPrims.Pages;\ninternal class Kernel { Kernel Self; }")]
    [InlineData("A.cs", "namespace MemPrims;\ninternal static class House { }")]
    public void What_is_allowed_passes(string path, string text) => Assert.Empty(Check(path, text));

    [Theory]
    [InlineData("Hardware/A.cs", "namespace MemPrims;\nclass A { int F() => Block.Compare(); }", "Hardware may not use")]
    [InlineData("Native/A.cs", "namespace MemPrims;\nclass A { Kernel F; }", "Native may not use")]
    [InlineData("Compare/A.cs", "using MemPrims.Codecs;\nnamespace MemPrims;\nclass A { int F() => Varint.Size(1); }",
        "Compare may not use")]
    [InlineData("Compare/A.cs", "namespace MemPrims;\nclass A { int F() => Codecs.Varint.Size(1); }", "Compare may not use")]
    [InlineData("Copy/A.cs", "using static MemPrims.Sets.IdSet;\nnamespace MemPrims;\nclass A { }", "Copy may not use")]
    [InlineData("Codecs/A.cs", "namespace MemPrims.Codecs;\nclass A { int F() => Kernel.Find(); }", "internal of Compare")]
    [InlineData("Codecs/A.cs", "namespace MemPrims.Codecs;\nclass A { object F() => new Kernel(); }", "internal of Compare")]
    [InlineData("Codecs/A.cs", "namespace MemPrims.Codecs;\nclass A : Dictionary<int, Kernel> { }", "internal of Compare")]
    [InlineData("Buffers/A.cs", "using MemPrims.Codecs;\nnamespace MemPrims.Buffers;\nclass A { void F(in Bits bits) { } }",
        "internal of Codecs")]
    [InlineData("Sets/A.cs", "using MemPrims.Codecs;\nnamespace MemPrims.Sets;\nclass A { int F() => Varint.Size(1); }",
        "Sets may not use")]
    [InlineData("Pages/A.cs", "namespace MemPrims.Pages;\nclass A { Sets.IdSet F; }", "Pages may not use")]
    [InlineData("A.cs", "namespace MemPrims;\nclass A { Kernel F; }", "the house may not use")]
    [InlineData("Attic/A.cs", "namespace MemPrims.Attic;\nclass A { }", "no room of the house")]
    public void What_is_not_allowed_is_found(string path, string text, string because) =>
        Assert.Contains(because, Assert.Single(Check(path, text)));

    [Fact]
    public void Every_kind_of_type_is_seen()
    {
        SourceFile file = new("Codecs/All.cs", """
            namespace MemPrims.Codecs;
            /// <summary>class Comment</summary>
            public static unsafe partial class One { private class Nested { } }
            internal readonly record struct Two(int X);
            public interface IThree<T> where T : struct { }
            enum Four { A }
            internal delegate int Five(ReadOnlySpan<byte> source);
            file class Six { }
            public sealed record Seven;
            internal ref struct Eight { }
            """);
        Assert.Equal(["One+", "Two-", "IThree+", "Four-", "Five-", "Seven+", "Eight-"],
            file.Types.Select(type => type.Name + (type.IsPublic ? '+' : '-')));
        Assert.All(file.Types, type => Assert.Equal(("MemPrims.Codecs", "Codecs"), (type.Namespace, type.Room)));
    }

    [Theory]
    [InlineData("MemPrims", "<PackageReference Include=\"X\" />", "gains a dependency: X")]
    [InlineData("MemPrims.Wire", "<PackageReference Include=\"X\" PrivateAssets=\"contentfiles\" />", "gains a dependency: X")]
    [InlineData("MemPrims", "<ProjectReference Include=\"../MemPrims.Wire/MemPrims.Wire.csproj\" />", "references MemPrims.Wire")]
    [InlineData("MemPrims.Wire", "<ProjectReference Include=\"..\\MemPrims.Channels\\MemPrims.Channels.csproj\" />",
        "references MemPrims.Channels")]
    [InlineData("MemPrims.Records", "<ProjectReference Include=\"../MemPrims.Tool/MemPrims.Tool.csproj\" />", "references MemPrims.Tool")]
    [InlineData("MemPrims", "<InternalsVisibleTo Include=\"MemPrims.Records\" />", "opens its internals to MemPrims.Records")]
    [InlineData("MemPrims.Attic", "", "no project of the house")]
    public void A_project_that_leaves_the_map_is_found(string project, string item, string because) =>
        Assert.Contains(because, Assert.Single(ProjectRules.Violations(project, Project(item))));

    [Theory]
    [InlineData("MemPrims", "<InternalsVisibleTo Include=\"MemPrims.Tests\" />")]
    [InlineData("MemPrims.Records", "<ProjectReference Include=\"../MemPrims/MemPrims.csproj\" />")]
    [InlineData("MemPrims.Records",
        "<ProjectReference Include=\"../MemPrims.Records.Generator/MemPrims.Records.Generator.csproj\" OutputItemType=\"Analyzer\" />")]
    [InlineData("MemPrims.Records.Generator", "<PackageReference Include=\"X\"><PrivateAssets>all</PrivateAssets></PackageReference>")]
    [InlineData("MemPrims.Tool", "<PackageReference Include=\"X\" />")]
    public void A_project_on_the_map_passes(string project, string item) => Assert.Empty(ProjectRules.Violations(project, Project(item)));

    [Theory]
    [InlineData("MemPrims.Records/Log/A.cs", "if (OperatingSystem.IsWindows()) F();", true)]
    [InlineData("MemPrims.Records/Storage/A.cs", "Posix.Fsync(file);", true)]
    [InlineData("MemPrims/Pages/A.cs", "[LibraryImport(\"libc\")]", true)]
    [InlineData("MemPrims/Pages/A.cs", "SystemFile.Here.Unname(path);", false)]
    [InlineData("MemPrims/Native/A.cs", "[LibraryImport(\"libc\")]", false)]
    [InlineData("MemPrims.Records/Storage/Linux/A.cs", "[LibraryImport(\"libc\")]", false)]
    [InlineData("Systems/UnixFile.cs", "OperatingSystem.IsMacOS()", true)]
    [InlineData("Systems/SystemFile.cs", "OperatingSystem.IsLinux()", false)]
    public void A_call_of_a_system_outside_the_seam_is_found(string path, string text, bool isFound) =>
        Assert.Equal(isFound ? 1 : 0, SystemRules.Violations(path, text).Count());

    [Theory]
    [InlineData("MemPrims.Channels/Ring/A.cs", "Interlocked.MemoryBarrier();", true)]
    [InlineData("MemPrims.Records/Log/A.cs", "Volatile.ReadBarrier();", true)]
    [InlineData("MemPrims/Pages/TreeHeader.cs", "Volatile.WriteBarrier();", true)]
    [InlineData("MemPrims/Copy/CopyStream.cs", "Thread.MemoryBarrier();", false)]
    [InlineData("MemPrims/Pages/A.cs", "Volatile.Write(ref end, 1);", false)]
    public void A_barrier_where_none_is_counted_is_found(string path, string text, bool isFound) =>
        Assert.Equal(isFound ? 1 : 0, OrderRules.Violations(path, text).Count());

    [Fact]
    public void A_file_that_is_too_large_hides_code_or_is_unfinished_is_found()
    {
        Assert.Empty(TextRules.Violations(new("A.cs", new string('\n', TextRules.LargestFile))));
        Assert.Contains("split it", Assert.Single(TextRules.Violations(new("A.cs", new string('\n', TextRules.LargestFile + 1)))));
        Assert.Contains("region", Assert.Single(TextRules.Violations(new("A.cs", "class A\n    #" + "region B\n"))));
        Assert.Contains("underscore", Assert.Single(TextRules.Violations(new("A.cs", "int Get() => this" + "._one;"))));
        Assert.Contains("unfinished", Assert.Single(TextRules.Violations(new("A.cs", "// TO" + "DO: think"))));
    }

    [Theory]
    [InlineData("Kernels/Array.cs", "internal static class ArrayPairs\n{\n}", "holds ArrayPairs")]
    [InlineData("Pages/SortedTree.Bulk.cs", "public sealed partial class SortedTree { }\npublic readonly struct Size { }", "of their own")]
    [InlineData("Pages/Life.cs", "internal readonly partial record struct FileLife(ulong Boot)\n{\n}", "holds FileLife")]
    public void A_file_that_is_not_named_by_its_type_is_found(string path, string text, string expected) =>
        Assert.Contains(expected, Assert.Single(FileNameRules.Violations(new(path, text))));

    [Theory]
    [InlineData("Kernels/Array.cs", "internal interface IArray { }\ninternal static unsafe class Array { class Inner { } }")]
    [InlineData("Pages/SortedTree.Bulk.cs", "public sealed unsafe partial class SortedTree { }")]
    [InlineData("SkipLocalsInit.cs", "[module: SkipLocalsInit]")]
    public void A_file_that_is_named_by_its_type_passes(string path, string text) =>
        Assert.Empty(FileNameRules.Violations(new(path, text)));

    [Fact]
    public void A_long_line_is_found()
    {
        string longest = new(' ', TextRules.LongestLine);
        Assert.Empty(TextRules.Violations(new("MemPrims/Compare/A.cs", $"a\n{longest}\r\nb")));
        Assert.Contains("line 2 ", Assert.Single(TextRules.Violations(new("MemPrims/Compare/A.cs", $"a\n {longest}\nb"))));
    }

    [Theory]
    [InlineData("// As a re|viewer showed, it is slow.")]
    [InlineData("The re|viewer's case.")]
    [InlineData("// The first de|sign took a lock.")]
    [InlineData("Made in the third wa|ve.")]
    [InlineData("See wa|ve 2.")]
    [InlineData("The se|ed's loop.")]
    [InlineData("Ask|ed: 0.2 at 10 documents.")]
    [InlineData("Ask|ed of sets is 1.")]
    [InlineData("// As far as that was as|ked.")]
    public void A_file_that_tells_its_history_is_found(string line) =>
        Assert.Contains("line 2 ", Assert.Single(HabitRules.Violations("A.md", $"a\n{line.Replace("|", "")}\n")));

    [Theory]
    [InlineData("Ids are asked for in blocks.")]
    [InlineData("Asked under the writer's lock.")]
    [InlineData("The CRC goes on from the seed of the log.")]
    [InlineData("The design of a channel.")]
    public void Plain_words_are_no_history(string line) => Assert.Empty(HabitRules.Violations("A.md", line));

    private static IEnumerable<string> Check(string path, string text) =>
        RoomRules.Violations([s_block, s_kernel, s_varint, s_bits, s_idSet, new(path, text)]);

    private static string Project(string item) => $"<Project><ItemGroup>{item}</ItemGroup></Project>";
}
