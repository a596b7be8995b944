namespace MemPrims.Codecs;

// An id of 32 or 64 bits where it lies. Codecs compute with 64.
internal static unsafe class PackedId
{
    // The ids of a block in 64 bits: where they lie, or in the room given.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong* Widen<T>(T* ids, int count, ulong* room)
        where T : unmanaged
    {
        if (sizeof(T) == sizeof(ulong)) return (ulong*)ids;
        uint* from = (uint*)ids;
        int i = 0;
        for (; i + 4 <= count; i += 4)
        {
            (Vector128<ulong> low, Vector128<ulong> high) = Vector128.Widen(Vector128.Load(from + i));
            Vector256.Create(low, high).Store(room + i);
        }
        for (; i < count; i++) room[i] = from[i];
        return room;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Of<T>(T* id) where T : unmanaged => sizeof(T) == sizeof(ulong) ? *(ulong*)id : *(uint*)id;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Put<T>(T* to, ulong id)
        where T : unmanaged
    {
        if (sizeof(T) == sizeof(ulong)) *(ulong*)to = id;
        else *(uint*)to = (uint)id;
    }
}
