namespace MemPrims.Wire;

// A message of up to 32 fields: the slots of all fields lie in the object itself, after what every message has. With the slots in an
// array, a message of three fields took two objects of 128 bytes together, this is one of 96: decoding is mostly making objects.
internal sealed class DenseMessage<TSlots>(MessageType type) : Message(type)
    where TSlots : struct
{
    private TSlots _slots;

    // The slot of the first field; the others follow. The field lies at the same place whatever TSlots is: it is the only one of its
    // class, and what comes before it is the same. So Message finds its slots without knowing how many there are.
    public ref Slot First => ref Unsafe.As<TSlots, Slot>(ref _slots);
}

// A message of more fields.
internal sealed class LargeMessage(MessageType type) : Message(type);

// Makes messages with room for the fields of their type, and at most three more. Each size is a class for the runtime to load, so there
// are few, and those of long messages are loaded only where there are such.
internal static class DenseMessages
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Message Make(MessageType type) => type.Ops.Length switch
    {
        // The class by which Message finds the slots of all: compiled ahead of time, it has no code unless one is made somewhere.
        0 or 1 => new DenseMessage<Slot>(type),
        2 => new DenseMessage<Two>(type),
        3 => new DenseMessage<Three>(type),
        4 => new DenseMessage<Four>(type),
        5 or 6 => new DenseMessage<Six>(type),
        7 or 8 => new DenseMessage<Eight>(type),
        _ => MakeLong(type),
    };

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Message MakeLong(MessageType type) => ((type.Ops.Length + 3) / 4) switch
    {
        3 => new DenseMessage<Twelve>(type),
        4 => new DenseMessage<Sixteen>(type),
        5 => new DenseMessage<Twenty>(type),
        6 => new DenseMessage<TwentyFour>(type),
        7 => new DenseMessage<TwentyEight>(type),
        _ => new DenseMessage<ThirtyTwo>(type),
    };

    [InlineArray(2)] private struct Two { private Slot _first; }
    [InlineArray(3)] private struct Three { private Slot _first; }
    [InlineArray(4)] private struct Four { private Slot _first; }
    [InlineArray(6)] private struct Six { private Slot _first; }
    [InlineArray(8)] private struct Eight { private Slot _first; }
    [InlineArray(12)] private struct Twelve { private Slot _first; }
    [InlineArray(16)] private struct Sixteen { private Slot _first; }
    [InlineArray(20)] private struct Twenty { private Slot _first; }
    [InlineArray(24)] private struct TwentyFour { private Slot _first; }
    [InlineArray(28)] private struct TwentyEight { private Slot _first; }
    [InlineArray(MessageType.DenseSlots)] private struct ThirtyTwo { private Slot _first; }
}
