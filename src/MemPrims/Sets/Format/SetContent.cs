namespace MemPrims.Sets;

/// <summary>What a <see cref="SetWriter"/> made: an image, or heads and containers of their own.</summary>
internal readonly struct SetContent(SetImage image, uint[] heads, Container[] containers)
{
    public readonly SetImage Image = image;

    public readonly uint[] Heads = heads;

    public readonly Container[] Containers = containers;
}
