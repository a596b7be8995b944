namespace MemPrims.Channels;

// How a look for a message ended.
internal enum Outcome
{
    // A message is there.
    Message,
    // Nothing more will come.
    Ended,
    // Nothing more is there yet.
    Nothing,
    // Something was taken, and no message yet: time to look at the clock.
    Busy,
}
