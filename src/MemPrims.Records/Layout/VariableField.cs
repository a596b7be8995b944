namespace MemPrims.Records;

/// <summary>A field in the tail. For generated code.</summary>
/// <param name="offset">Of its descriptor in the fixed part: two bytes offset from the tail's start, two bytes length.</param>
/// <param name="max">The most bytes that it holds.</param>
/// <param name="isText">Whether it must be UTF-8.</param>
/// <param name="name">The property's, for messages.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct VariableField(ushort offset, ushort max, bool isText, string name)
{
    internal readonly ushort Offset = offset, Max = max;
    internal readonly bool IsText = isText;
    internal readonly string Name = name;
}
