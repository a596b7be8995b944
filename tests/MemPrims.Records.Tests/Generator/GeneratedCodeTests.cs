using System.Reflection;
using System.Reflection.Emit;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace MemPrims.Records.Tests.Generator;

// The generated code as the compiler has taken it: in this assembly, its documentation file, and beside a user's mistakes.
public class GeneratedCodeTests
{
    private const BindingFlags Declared =
        BindingFlags.DeclaredOnly | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance;

    private static readonly Type[] s_generated = [typeof(Everything), typeof(Everything.View), typeof(Everything.Fields),
        typeof(EverythingRecords), typeof(IndexStats), typeof(IndexStatsRecords)];

    [Fact]
    public void It_boxes_nothing_and_asks_no_type_about_itself()
    {
        int calls = 0;
        foreach (MethodBase method in s_generated.SelectMany(type => type.GetMembers(Declared).OfType<MethodBase>()))
        {
            foreach ((OpCode code, int token) in Instructions(method))
            {
                Assert.False(code == OpCodes.Box || code == OpCodes.Unbox || code == OpCodes.Unbox_Any,
                    $"{method.DeclaringType}.{method.Name}: {code}");
                Assert.False(code == OpCodes.Ldtoken && method.Module.ResolveMember(token) is Type,
                    $"{method.DeclaringType}.{method.Name}: typeof");
                if (code.OperandType != OperandType.InlineMethod) continue;
                Type target = method.Module.ResolveMethod(token, method.DeclaringType!.GetGenericArguments(), method.IsGenericMethod
                    ? method.GetGenericArguments() : [])!.DeclaringType!;
                Assert.False(target == typeof(Type) || target.Namespace!.StartsWith("System.Reflection", StringComparison.Ordinal),
                    $"{method.DeclaringType}.{method.Name} calls {target}");
                calls++;
            }
        }
        Assert.True(calls > 100, $"{calls} calls were looked at");
    }

    [Fact]
    public void A_view_has_every_field_and_no_setter_and_everything_public_has_documentation()
    {
        Assert.Equal(typeof(Everything).GetProperties().Where(p => p.Name != "Layout").Select(p => p.Name),
            typeof(Everything.View).GetProperties().Select(p => p.Name));
        Assert.All(typeof(Everything.View).GetProperties(), p => Assert.False(p.CanWrite, p.Name));
        Assert.Equal(typeof(ReadOnlySpan<int>), typeof(Everything.View).GetProperty(nameof(Everything.Counts))!.PropertyType);
        string documented = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "MemPrims.Records.Tests.xml"));
        foreach (Type type in (Type[])[typeof(Everything.View), typeof(Everything.Fields), typeof(EverythingRecords)])
        {
            string name = type.FullName!.Replace('+', '.');
            Assert.Contains($"\"T:{name}\"", documented);
            foreach (MemberInfo member in type.GetMembers(Declared & ~BindingFlags.NonPublic).Where(m =>
                m is PropertyInfo or MethodInfo { IsSpecialName: false }))
                Assert.Contains($"\"{(member is PropertyInfo ? 'P' : 'M')}:{name}.{member.Name}", documented);
        }
    }

    [Fact]
    public void Writing_through_a_view_or_keeping_one_does_not_compile()
    {
        (string Error, string Statement)[] mistakes =
        [
            ("CS0200", "file.Read(0, s => s.Attempts = 1);"),
            ("CS0200", "file.Read(0, s => s.Attempts++);"),
            ("CS0200", "file.Read(0, s => { s.LastError = default; return 0; });"),
            ("CS0200", "snapshot.View(0).Attempts = 1;"),
            ("CS0200", "foreach (var s in snapshot.Scan()) { var view = s; view.LastEtag = 1; }"),
            ("CS8331", "foreach (var s in snapshot) s.LastError[0] = 1;"),
            ("CS9244", "var kept = file.Read(0, s => s);"),
            ("CS8347", "ReadOnlySpan<byte> kept = default; if (snapshot.Count > 0) { kept = snapshot.View(0).LastError; } "
                + "Console.WriteLine(kept.Length);"),
            ("CS9244", "var kept = file.Read(0, s => s.LastError);"),
            ("CS1612", "using var tx = file.BeginWrite(); tx[0].Attempts++;"),
            ("CS0117", "file.Increment(0, IndexStats.Fields.LastError);"),
        ];
        string record = PageSamples.Samples(Repository.Read("src/MemPrims.Records/README.md")).First();
        IEnumerable<string> methods = mistakes.Select((m, i) =>
            $"static void Number{i}(MappedFile<IndexStats> file, PinnedSnapshot<IndexStats> snapshot) {{ {m.Statement} }}");
        CSharpCompilation compilation = GeneratorCompiler.Compile(record[record.IndexOf("[MappedRecord", StringComparison.Ordinal)..])
            .AddSyntaxTrees(CSharpSyntaxTree.ParseText(
                $"using System; using Sample; using MemPrims.Records; static class Mistakes {{\n{string.Join('\n', methods)}\n}}"));
        GeneratorCompiler.Driver().RunGeneratorsAndUpdateCompilation(compilation, out Compilation whole, out _);
        Assert.Equal(
            mistakes.Select((m, i) => (i + 1, m.Error)),
            // The same mistake told twice.
            whole.GetDiagnostics().Where(d => d.Severity == DiagnosticSeverity.Error && d.Id != "CS8156")
                .Select(d => (d.Location.GetLineSpan().StartLinePosition.Line, d.Id)).Distinct().Order());
    }

    private static IEnumerable<(OpCode Code, int Token)> Instructions(MethodBase method)
    {
        byte[] code = method.GetMethodBody()?.GetILAsByteArray() ?? [];
        Dictionary<int,
            OpCode> known = typeof(OpCodes).GetFields().Select(f => (OpCode)f.GetValue(null)!).ToDictionary(c => (int)(ushort)c.Value);
        for (int at = 0; at < code.Length;)
        {
            OpCode next = known[code[at] == 0xFE ? 0xFE00 | code[at + 1] : code[at]];
            at += next.Size;
            yield return (next, at + 4 <= code.Length ? BitConverter.ToInt32(code, at) : 0);
            at += next.OperandType switch
            {
                OperandType.InlineNone => 0,
                OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
                OperandType.InlineVar => 2,
                OperandType.InlineI8 or OperandType.InlineR => 8,
                OperandType.InlineSwitch => 4 + 4 * BitConverter.ToInt32(code, at),
                _ => 4,
            };
        }
    }
}
