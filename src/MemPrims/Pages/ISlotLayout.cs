namespace MemPrims.Pages;

/// <summary>
/// Says where the keys of a page are, in the words of the engine that owns the page; <see cref="SlotSearch"/> is compiled for it. The keys
/// are in the order of <see cref="Block.Compare(ReadOnlySpan{byte}, ReadOnlySpan{byte})"/>, each of them once.
/// </summary>
public unsafe interface ISlotLayout
{
    /// <summary>How many slots a page has.</summary>
    static abstract int Count(byte* page);

    /// <summary>
    /// Where the node of a slot begins. A search asks for more nodes than it reads, some of them ahead: so read the slot here, not the
    /// node.
    /// </summary>
    static abstract byte* Node(byte* page, int slot);

    /// <summary>Where a node has its key, and how long that is.</summary>
    static abstract byte* Key(byte* node, out int length);
}

/// <summary>
/// A layout with an array of heads in the page, which <see cref="SlotSearch"/> keeps. The head of a key are its first bytes after those
/// that all keys of the page share, as a number of this machine whose order is that of the bytes.
/// </summary>
/// <typeparam name="THead"><c>uint</c> or <c>ulong</c>.</typeparam>
public unsafe interface ISlotHeads<THead> : ISlotLayout where THead : unmanaged
{
    /// <summary>Where the heads begin: room for as many as the page may have slots, aligned or not.</summary>
    static abstract THead* Heads(byte* page);

    /// <summary>Where the page keeps how many bytes all of its keys share: 0 in a page of fewer than two.</summary>
    static abstract ref ushort Shared(byte* page);
}

/// <summary>Says where the numbers of a page are, ascending from slot to slot.</summary>
/// <typeparam name="TNumber">What they are: any of .NET's types of integers.</typeparam>
public unsafe interface INumberLayout<TNumber>
{
    /// <summary>How many slots a page has.</summary>
    static abstract int Count(byte* page);

    /// <summary>The number of a slot. Big-endian ones are turned here.</summary>
    static abstract TNumber Number(byte* page, int slot);
}
