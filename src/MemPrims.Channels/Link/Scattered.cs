namespace MemPrims.Channels.Link;

// A packet's payload as it was scattered.
internal readonly unsafe struct Scattered(byte* target, int targetRoom, byte* overflow, int length)
{
    public int Length => length;

    public bool FitsTarget => length <= targetRoom;

    public void CopyTo(byte* place)
    {
        int first = Math.Min(length, targetRoom);
        if (place != target) Block.Copy(place, target, first);
        Block.Copy(place + first, overflow, length - first);
    }
}
