namespace MemPrims.Channels;

/// <summary>How a look for a message ended.</summary>
internal enum Outcome
{
    /// <summary>A message is there.</summary>
    Message,

    /// <summary>Nothing more will come.</summary>
    Ended,

    /// <summary>Nothing more is there yet.</summary>
    Nothing,

    /// <summary>Much was taken, and no message yet: time to look at the clock.</summary>
    Busy,
}
