namespace MemPrims.Pages;

/// <summary>
/// Search where the caller's keys lie: in pages of an engine's own layout, whose slots lead to keys of any length
/// (<see cref="ISlotLayout"/>), with or without an array of heads (<see cref="ISlotHeads{THead}"/>), or among ascending numbers. Every
/// search answers with the slot of the key, or the slot at which it would be inserted. It is fastest where a page begins with its count
/// and its slots.
/// </summary>
/// <remarks>Any number of threads may search; a page must not change meanwhile. Nothing is allocated.</remarks>
public static unsafe class SlotSearch
{
    /// <summary>Finds a key by the slots of a page.</summary>
    /// <typeparam name="TLayout">Where the keys of the page are.</typeparam>
    /// <param name="page">What the layout knows the page by.</param>
    /// <param name="key">The key.</param>
    /// <param name="found">Whether the page has it.</param>
    /// <returns>Its slot; where the page does not have it, the one at which it would be inserted.</returns>
    /// <remarks>
    /// <para><b>Readable range.</b> What the layout says: nodes of slots below the count, and the bytes of their keys. Past the end of a
    /// key nothing is read that lies on another page of memory than its first byte.</para>
    /// <para><b>Wrong layout.</b> Addresses and lengths are believed, and a wrong one is read. Keys out of order, or there twice, make the
    /// answer wrong and nothing worse.</para>
    /// </remarks>
    public static int Find<TLayout>(byte* page, ReadOnlySpan<byte> key, out bool found) where TLayout : ISlotLayout
    {
        AskForSlots(page);
        fixed (byte* bytes = key)
        {
            Place place = SlotKeys.Find(new Slots<TLayout>(page), bytes, key.Length, 0, TLayout.Count(page));
            found = place.Found;
            return place.Position;
        }
    }

    /// <summary>Finds a key by the heads of a page, and by its slots where keys have the same head.</summary>
    /// <typeparam name="TLayout">Where heads and keys of the page are.</typeparam>
    /// <typeparam name="THead"><c>uint</c> or <c>ulong</c>: the first 4 or 8 bytes of a key after what all keys share.</typeparam>
    /// <inheritdoc cref="Find{TLayout}(byte*, ReadOnlySpan{byte}, out bool)"/>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int FindByHead<TLayout, THead>(byte* page, ReadOnlySpan<byte> key, out bool found)
        where TLayout : ISlotHeads<THead>
        where THead : unmanaged, IBinaryInteger<THead>, IUnsignedNumber<THead>
    {
        AskForSlots(page);
        fixed (byte* bytes = key)
        {
            Place place = SlotHeads<TLayout, THead>.Find(new Slots<TLayout>(page), page, bytes, key.Length);
            found = place.Found;
            return place.Position;
        }
    }

    /// <summary>
    /// Makes room in the heads for a slot that was put among the others, and writes its head. Call it when slots and count have it.
    /// </summary>
    /// <remarks>Where the keys share fewer bytes then, or more, all heads are made anew.</remarks>
    public static void HeadInserted<TLayout, THead>(byte* page, int slot)
        where TLayout : ISlotHeads<THead>
        where THead : unmanaged, IBinaryInteger<THead>, IUnsignedNumber<THead> => SlotHeads<TLayout, THead>.Inserted(page, slot);

    /// <summary>Takes a slot's head out. Call it when slots and count have it no longer.</summary>
    public static void HeadRemoved<TLayout, THead>(byte* page, int slot)
        where TLayout : ISlotHeads<THead>
        where THead : unmanaged, IBinaryInteger<THead>, IUnsignedNumber<THead> => SlotHeads<TLayout, THead>.Removed(page, slot);

    /// <summary>Makes all heads from the keys, after as many bytes as all of them share: when a page was filled or split.</summary>
    public static void RebuildHeads<TLayout, THead>(byte* page)
        where TLayout : ISlotHeads<THead>
        where THead : unmanaged, IBinaryInteger<THead>, IUnsignedNumber<THead> => SlotHeads<TLayout, THead>.Rebuild(page);

    /// <summary>Finds a number among ascending ones.</summary>
    /// <param name="numbers">The numbers, each once, of any of .NET's types of integers.</param>
    /// <param name="number">The number.</param>
    /// <param name="found">Whether it is there.</param>
    /// <returns>Its position; where it is not there, the one at which it would be inserted.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Find<TNumber>(ReadOnlySpan<TNumber> numbers, TNumber number, out bool found)
        where TNumber : unmanaged, IBinaryInteger<TNumber>
    {
        int position = SlotNumbers.CountLess<TNumber, LittleEndianOrder>(numbers, number);
        found = position < numbers.Length && SlotNumbers.IsSame(in numbers[position], in number);
        return position;
    }

    /// <summary>Finds a number among ascending ones whose first byte is the highest.</summary>
    /// <param name="numbers">The numbers as they lie in memory, each once, of any of .NET's types of integers.</param>
    /// <param name="number">The number as this machine has it.</param>
    /// <param name="found">Whether it is there.</param>
    /// <inheritdoc cref="Find{TNumber}(ReadOnlySpan{TNumber}, TNumber, out bool)" path="/returns"/>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int FindBigEndian<TNumber>(ReadOnlySpan<TNumber> numbers, TNumber number, out bool found)
        where TNumber : unmanaged, IBinaryInteger<TNumber>
    {
        int position = SlotNumbers.CountLess<TNumber, BigEndianOrder>(numbers, number);
        found = position < numbers.Length && SlotNumbers.IsSame(numbers[position], SlotNumbers.Reverse(number));
        return position;
    }

    /// <summary>Finds a number by the slots of a page: where numbers lie in nodes, each with other fields.</summary>
    /// <typeparam name="TLayout">Where the numbers of the page are.</typeparam>
    /// <typeparam name="TNumber">What they are.</typeparam>
    /// <inheritdoc cref="Find{TLayout}(byte*, ReadOnlySpan{byte}, out bool)"/>
    public static int FindNumber<TLayout, TNumber>(byte* page, TNumber number, out bool found)
        where TLayout : INumberLayout<TNumber>
        where TNumber : unmanaged, IBinaryInteger<TNumber>
    {
        int count = TLayout.Count(page), position = SlotNumbers.CountLess(new Numbers<TLayout, TNumber>(page, number), count);
        found = position < count && SlotNumbers.IsSame(TLayout.Number(page, position), number);
        return position;
    }

    // Most pages begin with their count and their slots, so these lines are asked for at once. Where none is in a cache, a search of 250
    // keys takes a tenth less; where all are, as long as without.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void AskForSlots(byte* page)
    {
        if (!Sse.IsSupported) return;
        Sse.Prefetch0(page);
        Sse.Prefetch0(page + 64);
        Sse.Prefetch0(page + 128);
        Sse.Prefetch0(page + 192);
        Sse.Prefetch0(page + 256);
        Sse.Prefetch0(page + 320);
        Sse.Prefetch0(page + 384);
        Sse.Prefetch0(page + 448);
    }

    private readonly struct Slots<TLayout>(byte* page) : ISlots where TLayout : ISlotLayout
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public byte* Node(nint slot) => TLayout.Node(page, (int)slot);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public byte* Key(byte* node, out int length) => TLayout.Key(node, out length);
    }

    private readonly struct Numbers<TLayout, TNumber>(byte* page, TNumber number) : INumberRow
        where TLayout : INumberLayout<TNumber>
        where TNumber : unmanaged, IBinaryInteger<TNumber>
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public nint IsLess(nint index) => Unsafe.BitCast<bool, byte>(TLayout.Number(page, (int)index) < number);
    }
}
