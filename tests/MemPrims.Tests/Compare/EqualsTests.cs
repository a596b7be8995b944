using System.Reflection;

namespace MemPrims.Tests;

public class EqualsTests
{
    [Fact]
    public void Every_Equals_of_Block_is_a_compile_error_that_names_Equal()
    {
        MethodInfo[] equals = [.. typeof(Block).GetMethods(BindingFlags.Public | BindingFlags.Static).Where(method => method.Name == "Equals")];
        Assert.Equal(3, equals.Length);
        Assert.All(equals, method =>
        {
            ObsoleteAttribute obsolete = method.GetCustomAttribute<ObsoleteAttribute>()!;
            Assert.True(obsolete.IsError);
            Assert.Contains("Block.Equal.", obsolete.Message, StringComparison.Ordinal);
        });
    }

    /// <summary>What a call means is asked of the compiler's own rules: the generic form takes arrays and spans alike.</summary>
    [Fact]
    public void The_forms_take_objects_spans_and_pointers()
    {
        MethodInfo generic = typeof(Block).GetMethods().Single(method => method is { Name: "Equals", IsGenericMethodDefinition: true });
        Assert.All(generic.GetGenericArguments(), type => Assert.True(type.GenericParameterAttributes.HasFlag(GenericParameterAttributes.AllowByRefLike)));
        Assert.NotNull(typeof(Block).GetMethod("Equals", [typeof(object), typeof(object)]));
        Assert.NotNull(typeof(Block).GetMethod("Equals", [typeof(byte).MakePointerType(), typeof(byte).MakePointerType(), typeof(nint)]));
    }
}
