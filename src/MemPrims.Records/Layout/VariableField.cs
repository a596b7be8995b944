using System.ComponentModel;

namespace MemPrims.Records;

/// <summary>A field in the tail. For generated code.</summary>
/// <param name="Offset">Of its descriptor in the fixed part: two bytes offset from the tail's start, two bytes length.</param>
/// <param name="Max">The most bytes that it holds.</param>
/// <param name="IsText">Whether it must be UTF-8.</param>
/// <param name="Name">The property's, for messages.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct VariableField(ushort Offset, ushort Max, bool IsText, string Name);
