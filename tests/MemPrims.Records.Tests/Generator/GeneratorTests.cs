using System.Collections.ObjectModel;
using System.Reflection;
using MemPrims.Records.Generator;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace MemPrims.Records.Tests.Generator;

// Every diagnostic, the lock file, and that an edit elsewhere costs nothing.
public class GeneratorTests
{
    private const string Sound = """
        [MappedRecord(0x1D57, Version = 2)]
        public readonly ref partial struct IndexStats
        {
            [Field(0)] public partial long LastEtag { get; set; }
            [Field(1)] public partial int Attempts { get; set; }
            [Utf8(2, Max = 128)] public partial ReadOnlySpan<byte> LastError { get; set; }
            [Field(3, Since = 2)] public partial long ReduceAttempts { get; set; }
        }
        """;

    private const string LineOfVersion1 = "0x00001D57 v1 = 0:i64@0 1:i32@8 2:utf8(128)@12";
    private const string LineOfVersion2 = "0x00001D57 v2 = 0:i64@0 1:i32@8 2:utf8(128)@12 3:i64@16";

    [Fact]
    public void A_struct_is_in_the_layout_with_its_fields_and_a_change_of_these_is_told()
    {
        const string record = """
            [MappedRecord(0x57C7)]
            public readonly ref partial struct R
            {
                [Field(0)] public partial byte First { get; set; }
                [Field(1)] public partial S One { get; set; }
                [Field(2, Length = 3)] public partial Span<S> More { get; }
                [Field(3)] public partial Q? Last { get; set; }
                [Field(4)] public partial byte Odd { get; set; }
                [Field(5)] public partial Q Again { get; set; }
            }
            public struct Q { public byte A, B, C; }
            """;
        const string line = "0x000057C7 v1 = 0:u8@0 1:{i64+i32+{u8+u8+u8}+u8}@8 2:{i64+i32+{u8+u8+u8}+u8}[3]@24 3:{u8+u8+u8}?@72 "
            + "4:u8@76 5:{u8+u8+u8}@77";
        Assert.Empty(Run(record + "public struct S { public long L; public int I; public Q N; public byte B; }", line).Diagnostics);
        Diagnostic told = Assert.Single(Run(record + "public struct S { public long L; public uint I; public Q N; public "
            + "byte B; }", line).Diagnostics);
        Assert.Equal("MPR009", told.Id);
        Assert.Contains("{i64+u32+", told.GetMessage());
    }

    [Theory, InlineData("MPR001", "public ref partial struct R { [Field(0)] public partial int A { get; set; } }", "'R'")]
    [InlineData("MPR001", "public readonly partial struct R { [Field(0)] public partial int A { get; set; } }",
        "readonly ref partial struct")]
    [InlineData("MPR001", "public readonly ref struct R { [Field(0)] public partial int A { get; set; } }", "readonly ref partial struct")]
    [InlineData("MPR002", "public readonly ref partial struct R { [Field(0)] public int A { get => 0; set { } } }", "'A'")]
    [InlineData("MPR003", "public readonly ref partial struct R { [Field(0)] public partial string A { get; set; } }", "'string'")]
    [InlineData("MPR003", "public readonly ref partial struct R { [Field(0)] public partial object A { get; set; } }", "'object'")]
    [InlineData("MPR003", "public readonly ref partial struct R { [Field(0, Length = 2)] public partial Span<decimal> A { get; } }",
        "decimal")]
    [InlineData("MPR003", "public readonly ref partial struct R { [Field(0, Length = 2)] public partial Span<int?> A { get; } }", "int?")]
    [InlineData("MPR003", "public readonly ref partial struct R { [Bytes(0, Max = 9)] public partial string A { get; set; } }",
        "'string'")]
    [InlineData("MPR014",
        "public readonly ref partial struct R { [Utf8(0, Max = 9)] public partial string A { get; set; } public int AUtf8 => 0; }",
        "'AUtf8'")]
    [InlineData("MPR003", "public readonly ref partial struct R { [Field(0)] public partial Span<int> A { get; } }", "Length")]
    [InlineData("MPR003", "public readonly ref partial struct R { [Field(0, Length = 2)] public partial int A { get; } }", "'int'")]
    [InlineData("MPR004",
        "public readonly ref partial struct R { [Field(0)] public partial int A { get; set; } [Field(0)] public partial int B { get; "
            + "set; } }", "'A' and 'B' both have the id 0")]
    [InlineData("MPR005",
        "public readonly ref partial struct R { [Field(0)] public partial int A { get; set; } [Field(2)] public partial int B { get; "
            + "set; } }", "'B' has the id 2 where 1 is the next")]
    [InlineData("MPR005", "public readonly ref partial struct R { [Field(1)] public partial int A { get; set; } }", "where 0 is the next")]
    [InlineData("MPR006", "public readonly ref partial struct R { [Utf8(0)] public partial ReadOnlySpan<byte> A { get; set; } }",
        "'A' needs a Max")]
    [InlineData("MPR006",
        "public readonly ref partial struct R { [Bytes(0, Max = 5000)] public partial ReadOnlySpan<byte> A { get; set; } }",
        "'A' needs a Max")]
    [InlineData("MPR007",
        "public readonly ref partial struct R { [Bytes(0, Max = 4000)] public partial ReadOnlySpan<byte> A { get; set; } [Field(1, "
            + "Length = 9)] public partial Span<long> B { get; } }", "4080 bytes in version 1")]
    [InlineData("MPR008",
        "public readonly ref partial struct R { [Field(0, Since = 2)] public partial int A { get; set; } [Field(1)] public partial int "
            + "B { get; set; } }", "'B' has Since = 1")]
    [InlineData("MPR008",
        "public readonly ref partial struct R { [Field(0)] public partial int A { get; set; } [Field(1, Since = 4)] public partial int "
            + "B { get; set; } }", "from 1 to 3")]
    [InlineData("MPR012", "public readonly ref partial struct R { [Field(0)] public partial int A { get; } }", "{ get; set; }")]
    [InlineData("MPR012", "public readonly ref partial struct R { [Field(0)] public partial int A { get; init; } }", "{ get; set; }")]
    [InlineData("MPR012", "public readonly ref partial struct R { [Field(0, Length = 2)] public partial Span<int> A { get; set; } }",
        "{ get; }")]
    [InlineData("MPR014", "public readonly ref partial struct R { [Field(0)] public partial int View { get; set; } }", "'View'")]
    [InlineData("MPR014", "public readonly ref partial struct R { [Field(0)] public partial int Layout { get; set; } }", "'Layout'")]
    [InlineData("MPR014", "public readonly ref partial struct R { [Field(0)] public partial int Fields { get; set; } }", "'Fields'")]
    [InlineData("MPR015", "public readonly ref partial struct R<T> { [Field(0)] public partial int A { get; set; } }", "generic")]
    [InlineData("MPR013", "public readonly ref partial struct R { }", "needs a property")]
    [InlineData("MPR013", "public readonly ref partial struct R { [Field(0, Length = 0)] public partial Span<int> A { get; } }",
        "Length is from 1")]
    [InlineData("MPR003", "public readonly ref partial struct R { [Field(0, Length = 0)] public partial int A { get; set; } }",
        "with Length")]
    [InlineData("MPR013", "public readonly ref partial struct R { [Field(0), Bytes(1, Max = 1)] public partial int A { get; set; } }",
        "one field")]
    [InlineData("MPR018", "public readonly ref partial struct R { [Field(0)] public partial S A { get; set; } } public struct S { "
        + "public int I; public long L; }",
        "4 unused bytes before its field 'L'")]
    [InlineData("MPR018", "public readonly ref partial struct R { [Field(0)] public partial S A { get; set; } } public record struct "
        + "S(long L, byte B);",
        "7 unused bytes behind")]
    [InlineData("MPR018", "public readonly ref partial struct R { [Field(0)] public partial S? A { get; set; } } public struct S { "
        + "public bool B; }",
        "its field 'B' is of type 'bool'")]
    [InlineData("MPR018", "public readonly ref partial struct R { [Field(0)] public partial S A { get; set; } } public struct S { "
        + "public string T; }", "'string'")]
    [InlineData("MPR018", "public readonly ref partial struct R { [Field(0)] public partial S A { get; set; } } public struct "
        + "S { }", "no fields")]
    [InlineData("MPR018", "public readonly ref partial struct R { [Field(0)] public partial S<int> A { get; set; } } public struct "
        + "S<T> { public int I; }",
        "generic")]
    [InlineData("MPR018",
        "public readonly ref partial struct R { [Field(0)] public partial S A { get; set; } } public partial struct S { public int I; "
            + "} public partial struct S { public int J; }", "one part")]
    [InlineData("MPR018",
        "public readonly ref partial struct R { [Field(0, Length = 2)] public partial Span<S> A { get; } } "
            + "[System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Sequential, Pack = 1)] public "
            + "struct S { public int I; }", "StructLayout")]
    [InlineData("MPR018",
        "public readonly ref partial struct R { [Field(0)] public partial S A { get; set; } } public struct S { public int I; public Q "
            + "N; } public struct Q { public short H; }",
        "2 unused bytes behind")]
    [InlineData("MPR003", "public readonly ref partial struct R { [Field(0)] public partial (int, int) A { get; set; } }", "(int, int)")]
    public void A_wrong_declaration_is_told_where_it_is(string id, string declaration, string said)
    {
        Diagnostic told = Assert.Single(Run($"[MappedRecord(1, Version = 3)] {declaration}").Diagnostics, d =>
            d.Severity == DiagnosticSeverity.Error);
        Assert.Equal(id, told.Id);
        Assert.Contains(said, told.GetMessage());
        Assert.Equal("Record.cs", told.Location.GetLineSpan().Path);
    }

    [Theory]
    [InlineData("MPR011",
        "public class Outer { [MappedRecord(1)] public readonly ref partial struct R { [Field(0)] public partial int A { get; set; } } }")]
    [InlineData("MPR011",
        "public partial class Outer<T> { [MappedRecord(1)] public readonly ref partial struct R { [Field(0)] public partial int A { "
            + "get; set; } } }")]
    [InlineData("MPR011",
        "public partial class Outer { [MappedRecord(1)] private readonly ref partial struct R { [Field(0)] public partial int A { get; "
            + "set; } } }")]
    [InlineData("MPR013",
        "[MappedRecord(1, Version = 0)] public readonly ref partial struct R { [Field(0)] public partial int A { get; set; } }")]
    [InlineData("MPR013",
        "[MappedRecord(1, Version = 2, ReadableFrom = 3)] public readonly ref partial struct R { [Field(0)] public partial int A { "
            + "get; set; } }")]
    [InlineData("MPR013",
        "[MappedRecord(1, Version = 65535)] public readonly ref partial struct R { [Field(0)] public partial int A { get; set; } }")]
    [InlineData("MPR018",
        "[MappedRecord(1)] public readonly ref partial struct R { [Field(0)] public partial S A { get; set; } } public struct S { public "
            + "int I; public Q N; } public struct Q { public S N; }")]
    [InlineData("MPR014",
        "[MappedRecord(1)] public readonly ref partial struct View { [Field(0)] public partial int A { get; set; } }")]
    [InlineData("MPR014",
        "[MappedRecord(1)] public readonly ref partial struct Layout { [Field(0)] public partial int A { get; set; } }")]
    [InlineData("MPR014",
        "[MappedRecord(1)] public readonly ref partial struct R { [Field(0)] public partial int __slot { get; set; } }")]
    [InlineData("MPR014",
        "[MappedRecord(1)] public readonly ref partial struct R { [Field(0)] public partial int __bytes { get; set; } }")]
    [InlineData("MPR014",
        "[MappedRecord(1)] public readonly ref partial struct R { [Field(0)] public partial int A { get; set; } int View() => 0; }")]
    [InlineData("MPR012",
        "[MappedRecord(1)] public readonly ref partial struct R { [Field(0)] public required partial int A { get; set; } }")]
    [InlineData("MPR019",
        "[MappedRecord(1)] public readonly ref partial struct Order { [Field(0)] public partial int A { get; set; } } [MappedRecord(2)] "
            + "public readonly ref partial struct OrderRecords { [Field(0)] public partial int A { get; set; } }")]
    [InlineData("MPR019",
        "public partial class A { [MappedRecord(1)] public readonly ref partial struct B { [Field(0)] public partial int A { get; set; } "
            + "} } [MappedRecord(2)] public readonly ref partial struct A_B { [Field(0)] public partial int A { get; set; } }")]
    public void A_wrong_place_or_attribute_is_told(string id, string source) =>
        Assert.Contains(Run(source).Diagnostics, d => d.Id == id && d.Severity == DiagnosticSeverity.Error);

    // The compiler that tests can call is older than partial properties, so that the code is looked at and not compiled.
    [Theory]
    [InlineData("""
        [MappedRecord(1)] public readonly ref partial struct Order { [Field(0)] public partial int A { get; set; } }
        [MappedRecord(2)] public readonly ref partial struct order { [Field(0)] public partial int A { get; set; } }
        """, "partial struct Order ", "partial struct order ")]
    [InlineData("""
        [MappedRecord(1)] public readonly ref partial struct R
        {
            [Field(0)] public readonly partial int A { get; set; }
            [Field(1)] public unsafe partial int B { get; set; }
        }
        """, "public readonly partial int A", "public unsafe partial int B")]
    public void An_unusual_declaration_gets_its_code(string source, string first, string second)
    {
        GeneratorDriverRunResult result = Run(source);
        Assert.Null(result.Results.Single().Exception);
        string code = string.Concat(result.GeneratedTrees);
        Assert.Contains(first, code);
        Assert.Contains(second, code);
    }

    [Fact]
    public void Every_diagnostic_has_a_test_and_a_release_note()
    {
        string notes = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "AnalyzerReleases.Unshipped.md"));
        string[] tested = [.. typeof(GeneratorTests).GetMethods().SelectMany(m => m.GetCustomAttributesData()).Where(a =>
            a.AttributeType == typeof(InlineDataAttribute))
            .Select(a => ((ReadOnlyCollection<CustomAttributeTypedArgument>)a.ConstructorArguments[0].Value!)[0].Value).OfType<string>(),
                "MPR009", "MPR010", "MPR016", "MPR017"];
        for (int i = 1; i <= 19; i++)
        {
            Assert.Contains($"MPR{i:000}", tested);
            Assert.Contains($"MPR{i:000}", notes);
        }
    }

    [Fact]
    public void A_released_layout_that_changes_breaks_the_build()
    {
        string released = $"# released\n{LineOfVersion1}\n{LineOfVersion2}\n";
        Assert.Empty(Run(Sound, released).Diagnostics);
        Diagnostic changed = Assert.Single(Run(Sound.Replace("partial int Attempts", "partial uint Attempts"),
            $"{LineOfVersion1}\n").Diagnostics, d => d.Id == "MPR009");
        Assert.Equal(DiagnosticSeverity.Error, changed.Severity);
        Assert.Contains("1:u32@8", changed.GetMessage());
        Assert.Contains(Run(Sound.Replace("Max = 128", "Max = 129"), released).Diagnostics, d => d.Id == "MPR009");
        Assert.Contains(Run(Sound.Replace("Version = 2", "Version = 1").Replace(", Since = 2", ""), released).Diagnostics, d =>
            d.Id == "MPR009");
        // A name is no layout.
        Assert.Empty(Run(Sound.Replace("Attempts", "Tries"), released).Diagnostics);
    }

    [Theory, InlineData("<<<<<<< ours"), InlineData("0x00001D57 v1"), InlineData("0x00001D57 v1 = 0:i64@0 1:i3")]
    [InlineData("0x00001D57 v1 = 0:i64?[2]@0")]
    public void A_damaged_layout_file_breaks_the_build(string line)
    {
        Diagnostic told = Assert.Single(Run(Sound, $"{LineOfVersion1}\n{LineOfVersion2}\n{line}\n").Diagnostics, d => d.Id == "MPR017");
        Assert.Equal(DiagnosticSeverity.Error, told.Severity);
        Assert.Contains(line, told.GetMessage());
    }

    [Fact]
    public void Two_records_of_one_id_and_version_are_told()
    {
        const string other = "[MappedRecord(0x1D57, Version = 2)] public readonly ref partial struct Other { [Field(0)] public partial "
            + "int A { get; set; } }";
        Diagnostic told = Assert.Single(Run(Sound + other).Diagnostics, d => d.Id == "MPR016");
        Assert.Equal(DiagnosticSeverity.Error, told.Severity);
        Assert.Contains("'IndexStats' and 'Other'", told.GetMessage());
        Assert.DoesNotContain(Run(Sound + other.Replace("Version = 2", "Version = 1")).Diagnostics, d => d.Id == "MPR016");
    }

    [Fact]
    public void A_layout_that_is_not_checked_in_is_told_as_the_line_to_add()
    {
        Diagnostic told = Assert.Single(Run(Sound, LineOfVersion1).Diagnostics);
        Assert.Equal(("MPR010", DiagnosticSeverity.Info), (told.Id, told.Severity));
        Assert.EndsWith(LineOfVersion2, told.GetMessage());
    }

    [Fact]
    public void The_code_has_no_reflection_and_its_documentation_is_complete()
    {
        string code = Run(Sound).GeneratedTrees.Single().ToString();
        Assert.Contains(LineOfVersion2, code);
        Assert.DoesNotContain("Reflection", code);
        Assert.DoesNotContain("typeof", code);
        Assert.DoesNotContain("(object)", code);
        string[] lines = code.Split('\n');
        for (int i = 1; i < lines.Length; i++)
        {
            string line = lines[i].Trim();
            if (!line.StartsWith("public ", StringComparison.Ordinal) || line.Contains(" partial ", StringComparison.Ordinal)) continue;
            string before = lines[i - 1].Trim();
            Assert.True(before.StartsWith("///", StringComparison.Ordinal) || before.StartsWith("[global", StringComparison.Ordinal),
                line);
        }
    }

    [Fact]
    public void An_edit_elsewhere_leaves_every_step_cached()
    {
        CSharpCompilation compilation = GeneratorCompiler.Compile(Sound);
        GeneratorDriver driver = GeneratorCompiler.Driver().RunGenerators(compilation);
        driver = driver.RunGenerators(compilation.AddSyntaxTrees(CSharpSyntaxTree.ParseText("class Elsewhere { int x; }")));
        GeneratorRunResult result = driver.GetRunResult().Results.Single();
        foreach (string step in (string[])[RecordGenerator.Models, RecordGenerator.Locks])
            Assert.All(result.TrackedSteps[step].SelectMany(s => s.Outputs), output =>
                Assert.True(output.Reason is IncrementalStepRunReason.Cached or IncrementalStepRunReason.Unchanged,
                $"{step}: {output.Reason}"));
        Assert.All(result.TrackedOutputSteps.SelectMany(s => s.Value).SelectMany(s => s.Outputs), output =>
            Assert.Equal(IncrementalStepRunReason.Cached, output.Reason));
    }

    [Fact]
    public void An_edit_of_the_record_is_seen()
    {
        GeneratorDriver driver = GeneratorCompiler.Driver().RunGenerators(GeneratorCompiler.Compile(Sound));
        driver = driver.RunGenerators(GeneratorCompiler.Compile(Sound.Replace("partial int Attempts", "partial short Attempts")));
        Assert.Contains("1:i16@8", driver.GetRunResult().GeneratedTrees.Single().ToString());
    }

    private static GeneratorDriverRunResult Run(string source, string? released = null) =>
        GeneratorCompiler.Driver(released).RunGenerators(GeneratorCompiler.Compile(source)).GetRunResult();
}
