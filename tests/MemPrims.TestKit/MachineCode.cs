using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.RegularExpressions;

namespace MemPrims.TestKit;

/// <summary>
/// The order of memory that the machine code of a method asks for, as letters in the order of its instructions. No run shows an order
/// that is missing: x64 keeps the order of stores and of loads by itself, and so does an arm64 processor that is emulated on it.
/// </summary>
/// <remarks>
/// A: a load with acquire. S: a store with release. X: an exchange or another atomic instruction. L: a barrier between loads. F: a barrier
/// for all, also that between stores. c: a call. On x64 there are X, F and c alone.
/// </remarks>
public static partial class MachineCode
{
    /// <summary>What the child does: compiles methods and runs none of them.</summary>
    /// <param name="product">Their assembly.</param>
    /// <param name="methods">Their names, as in Pages.SortedTree:TryGet, without the root of the namespace.</param>
    public static void Compile(Assembly product, string[] methods)
    {
        foreach (string name in methods)
        {
            string[] parts = name.Split(':');
            Type type = product.GetType($"{product.GetName().Name}.{parts[0]}", throwOnError: true)!;
            const BindingFlags all = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic
                | BindingFlags.DeclaredOnly;
            MethodBase[] found = [.. type.GetMembers(all).OfType<MethodBase>().Where(method => method.Name == parts[1])];
            if (found.Length == 0) throw new MissingMethodException(type.FullName, parts[1]);
            foreach (MethodBase method in found) RuntimeHelpers.PrepareMethod(method.MethodHandle);
        }
    }

    /// <summary>Tells all methods that are compiled to another order than they should be.</summary>
    /// <param name="compile">Calls <see cref="Compile"/> in a process of its own.</param>
    /// <param name="methods">The names; on arm64, a pattern of all letters; elsewhere, the most atomic instructions that there may be, and
    /// no barrier: there, order costs nothing.</param>
    public static void AssertOrders(Action<string[]> compile, params (string Name, string Arm64, int Atomic)[] methods)
    {
        string[] listings = Listings(compile, [.. methods.Select(method => method.Name)]);
        List<string> wrong = [];
        foreach ((string name, string arm64, int atomic) in methods)
        {
            string[] found = [.. listings.Where(listing => listing.Split('(', '[')[0].EndsWith('.' + name, StringComparison.Ordinal))];
            string letters = string.Concat(found.Select(Letters));
            bool isRight = found.Length > 0 && (RuntimeInformation.ProcessArchitecture == Architecture.Arm64
                ? Regex.IsMatch(letters, $"^(?:{arm64})$") : !letters.Contains('F') && letters.Count(letter => letter == 'X') <= atomic);
            if (!isRight) wrong.Add(found.Length == 0 ? $"{name} is not compiled" : $"{name} has the order {letters}");
        }
        if (wrong.Count > 0) throw new InvalidOperationException(string.Join('\n', wrong));
    }

    private static string[] Listings(Action<string[]> compile, string[] methods)
    {
        using TempFolder folder = new();
        string file = folder.File("code"), names = string.Join(' ', methods.Select(name => "*" + name));
        // Precompiled code is compiled nowhere.
        string? usesPrecompiled = Environment.GetEnvironmentVariable("MEMPRIMS_PRECOMPILED") == "1" ? "0" : null;
        Child.Run(compile, methods, ("DOTNET_JitStdOutFile", file), ("DOTNET_JitDisasm", names), ("DOTNET_TieredCompilation", "0"),
            ("DOTNET_ReadyToRun", usesPrecompiled)).AssertSucceeded();
        return File.ReadAllText(file).Split("; Assembly listing for method ")[1..];
    }

    /// <summary>The letters of a listing.</summary>
    public static string Letters(string listing)
    {
        StringBuilder letters = new();
        foreach (Match instruction in Instruction().Matches(listing))
            letters.Append(instruction.Groups[1].Value switch
            {
                "ldar" or "ldarb" or "ldarh" or "ldapr" or "ldaprb" or "ldaprh" or "ldapur" or "ldapurb" or "ldapurh" => "A",
                "stlr" or "stlrb" or "stlrh" or "stlur" or "stlurb" or "stlurh" => "S",
                "dmb" => instruction.Groups[2].Value.StartsWith("ishld", StringComparison.Ordinal) ? "L" : "F",
                "mfence" or "lfence" or "sfence" => "F",
                "xchg" => instruction.Groups[2].Value.Contains('[') ? "X" : "",
                "lock" or "swpal" or "casal" or "ldaddal" or "ldsetal" or "ldclral" or "stlxr" => "X",
                "bl" or "blr" or "call" => "c",
                _ => "",
            });
        return letters.ToString();
    }

    [GeneratedRegex(@"^ {4,}([a-z]\w*) *(.*)$", RegexOptions.Multiline)]
    private static partial Regex Instruction();
}
