namespace MemPrims.Sets;

// How many cells a document has.
internal interface ILayers
{
    static abstract int Count { get; }
}

internal readonly struct OneLayer : ILayers { public static int Count => 1; }
internal readonly struct TwoLayers : ILayers { public static int Count => 2; }
internal readonly struct ThreeLayers : ILayers { public static int Count => 3; }
internal readonly struct FourLayers : ILayers { public static int Count => 4; }
internal readonly struct EightLayers : ILayers { public static int Count => 8; }
