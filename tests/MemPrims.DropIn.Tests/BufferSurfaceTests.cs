using System.Reflection;

namespace DropInUser;

/// <summary>Whatever compiles against System.Buffer compiles against the drop-in.</summary>
public class BufferSurfaceTests
{
    [Fact]
    public void The_alias_stands_for_the_drop_in() => Assert.Equal("MemPrims.DropIn.Buffer", typeof(Buffer).FullName);

    [Fact]
    public void It_is_a_static_class_as_the_original_is()
    {
        Assert.True(typeof(Buffer) is { IsAbstract: true, IsSealed: true, IsPublic: true });
        Assert.Empty(typeof(Buffer).GetConstructors(BindingFlags.Public | BindingFlags.Instance));
    }

    [Fact]
    public void Every_public_member_of_the_original_is_there_with_the_same_parameters()
    {
        string[] original = Signatures(typeof(System.Buffer)), ours = Signatures(typeof(Buffer));
        Assert.NotEmpty(original);
        Assert.Empty(original.Except(ours));
    }

    [Fact]
    public void Only_Memcpy_and_Memmove_are_added() => Assert.Equal(
        ["System.Void Memcpy(System.Byte* dest, System.Byte* src, System.Int32 len)",
            "System.Void Memcpy(System.Byte[] dest, System.Byte[] src, System.Int32 len)",
            "System.Void Memmove(System.Byte* dest, System.Byte* src, System.UIntPtr len)"],
        Signatures(typeof(Buffer)).Except(Signatures(typeof(System.Buffer))).Order(StringComparer.Ordinal));

    // With the names of the parameters: a caller may have written them out.
    private static string[] Signatures(Type type) =>
        [.. type.GetMembers(BindingFlags.Public | BindingFlags.Static | BindingFlags.DeclaredOnly)
            .Select(member => member is MethodInfo method
            ? $"{method.ReturnType} {method.Name}({Parameters(method)})"
            : $"{member.MemberType} {member.Name}")];

    private static string Parameters(MethodInfo method) =>
        string.Join(", ", method.GetParameters().Select(parameter => $"{parameter.ParameterType} {parameter.Name}"));
}
