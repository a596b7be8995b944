using System.Reflection;
using System.Text.RegularExpressions;

namespace MemPrims.TestKit;

// The public members of an assembly, a line each, sorted, as they stand in PublicApi.txt beside each package's project. A change of them
// is made on purpose: run the tests with MEMPRIMS_RENEW_API=1, look at the difference, and commit the file with the code.
public static partial class PublicApi
{
    private const BindingFlags Declared = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static
        | BindingFlags.DeclaredOnly;

    // How the public API differs from PublicApi.txt beside the project; empty where it does not. With MEMPRIMS_RENEW_API=1 the file is
    // written anew.
    public static string Differences(Assembly assembly)
    {
        string name = $"src/{assembly.GetName().Name}/PublicApi.txt", path = Path.Combine(Repository.Root, name);
        string[] actual = Of(assembly);
        if (Environment.GetEnvironmentVariable("MEMPRIMS_RENEW_API") == "1") File.WriteAllLines(path, actual);
        string[] expected = File.ReadAllLines(path);
        string[] changes =
            [.. expected.Except(actual).Select(line => "- " + line), .. actual.Except(expected).Select(line => "+ " + line)];
        return changes.Length == 0 ? ""
            : $"{name} differs. If that is meant, run the test with MEMPRIMS_RENEW_API=1 and commit the file.\n"
                + string.Join('\n', changes);
    }

    // A line for each public type and member.
    public static string[] Of(Assembly assembly) =>
        // A name with a sign that C# does not allow is the compiler's own.
        [.. assembly.GetExportedTypes().Where(type => !type.FullName!.Contains('<'))
            .SelectMany(type => MembersOf(type).Prepend(Head(type))).Distinct().Order(StringComparer.Ordinal)];

    private static string Head(Type type)
    {
        string kind = type.IsInterface ? "interface" : type.IsEnum ? "enum" : typeof(Delegate).IsAssignableFrom(type) ? "delegate"
            : type.IsValueType ? (type.IsByRefLike ? "ref struct" : "struct")
            : type.IsAbstract && type.IsSealed ? "static class" : type.IsSealed ? "sealed class" : type.IsAbstract ? "abstract class"
            : "class";
        Type[] plain = [typeof(object), typeof(ValueType), typeof(Enum)];
        string[] bases = [.. (type.BaseType is { } parent && !plain.Contains(parent) ? [Name(parent)] : Array.Empty<string>()),
            .. type.GetInterfaces().Where(i => i.IsPublic).Select(Name).Order()];
        return $"{Name(type)}: {kind}{(bases.Length == 0 ? "" : " : " + string.Join(", ", bases))}";
    }

    private static IEnumerable<string> MembersOf(Type type)
    {
        string at = Name(type) + ": ";
        foreach (FieldInfo field in type.GetFields(Declared).Where(f => (f.IsPublic || f.IsFamily) && !f.IsSpecialName))
            yield return at + (type.IsEnum ? $"{field.Name} = {Convert.ToInt64(field.GetRawConstantValue())}"
                : $"{(field.IsLiteral ? "const " : field.IsStatic ? "static " : "")}{(field.IsInitOnly ? "readonly " : "")}"
                    + $"{Name(field.FieldType)} {field.Name}");
        if (type.IsEnum) yield break;
        foreach (MethodBase method in type.GetMethods(Declared).Cast<MethodBase>().Concat(type.GetConstructors(Declared)))
            if (method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly) yield return at + Signature(method);
    }

    private static string Signature(MethodBase method)
    {
        string generic = method.IsGenericMethod ? $"<{string.Join(", ", method.GetGenericArguments().Select(Name))}>" : "";
        string result = method is MethodInfo { ReturnType: var type } ? Name(type) + " " : "";
        string parameters = string.Join(", ", method.GetParameters().Select(p =>
            $"{(p.IsOut ? "out " : p.IsIn ? "in " : p.ParameterType.IsByRef ? "ref " : "")}{Name(p.ParameterType).TrimEnd('&')} {p.Name}"
            + (p.HasDefaultValue ? $" = {p.RawDefaultValue ?? "default"}" : "")));
        bool obsolete = method.GetCustomAttribute<ObsoleteAttribute>() is not null;
        return $"{(obsolete ? "[Obsolete] " : "")}{(method.IsStatic ? "static " : "")}{(method.IsAbstract ? "abstract " : "")}{result}"
            + $"{method.Name}{generic}({parameters})";
    }

    private static string Name(Type type)
    {
        if (type.IsGenericParameter) return type.Name;
        if (type.HasElementType) return Name(type.GetElementType()!) + (type.IsArray ? "[]" : type.IsPointer ? "*" : "&");
        string plain = type switch
        {
            _ when type == typeof(void) => "void",
            _ when type == typeof(bool) => "bool",
            _ when type == typeof(byte) => "byte",
            _ when type == typeof(int) => "int",
            _ when type == typeof(uint) => "uint",
            _ when type == typeof(long) => "long",
            _ when type == typeof(ulong) => "ulong",
            _ when type == typeof(nint) => "nint",
            _ when type == typeof(nuint) => "nuint",
            _ when type == typeof(string) => "string",
            _ when type == typeof(object) => "object",
            _ => (type.Namespace!.StartsWith("System", StringComparison.Ordinal) ? "" : type.Namespace + ".")
                + (type.DeclaringType is { } outer && !type.IsGenericParameter ? outer.Name + "." : "") + type.Name,
        };
        plain = Arity().Replace(plain, "");
        return type.IsGenericType ? $"{plain}<{string.Join(", ", type.GetGenericArguments().Select(Name))}>" : plain;
    }

    [GeneratedRegex(@"`\d+")]
    private static partial Regex Arity();
}
