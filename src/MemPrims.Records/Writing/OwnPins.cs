using MemPrims.Records.Storage;

namespace MemPrims.Records.Writing;

/// <summary>The pins that this process holds, by file: a commit that waited for one of them might wait for itself.</summary>
internal static class OwnPins
{
    private static readonly Dictionary<(ulong File, LockByte Parity), int> s_pins = [];

    public static void Add(ulong file, LockByte parity)
    {
        lock (s_pins) s_pins[(file, parity)] = s_pins.GetValueOrDefault((file, parity)) + 1;
    }

    public static void Remove(ulong file, LockByte parity)
    {
        lock (s_pins)
        {
            if (--s_pins[(file, parity)] == 0) s_pins.Remove((file, parity));
        }
    }

    public static bool Any(ulong file, LockByte parity)
    {
        lock (s_pins) return s_pins.ContainsKey((file, parity));
    }
}
