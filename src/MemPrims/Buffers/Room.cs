namespace MemPrims.Buffers;

/// <summary>How a <see cref="Writer{TRoom}"/> gets its room. Both answers are constants to the JIT.</summary>
internal interface IRoom
{
    /// <summary>Whether a write is checked against the end of the room.</summary>
    static abstract bool IsChecked { get; }

    /// <summary>Whether a write that meets the end goes on in another segment. If not, it is an error.</summary>
    static abstract bool Grows { get; }
}

/// <summary>As much as is written.</summary>
internal readonly struct Growing : IRoom
{
    public static bool IsChecked => true;

    public static bool Grows => true;
}

/// <summary>A reservation, and an error at its end.</summary>
internal readonly struct Reserved : IRoom
{
    public static bool IsChecked => true;

    public static bool Grows => false;
}

/// <summary>A reservation that the caller keeps to.</summary>
internal readonly struct Unchecked : IRoom
{
    public static bool IsChecked => false;

    public static bool Grows => false;
}
