namespace MemPrims.Channels;

/// <summary>Why an <see cref="IpcException"/> was thrown.</summary>
public enum IpcFault
{
    /// <summary>The channel was broken by an earlier error. The first one is the inner exception.</summary>
    Broken,

    /// <summary>A packet is too short for a header, or its header contradicts itself or what came before.</summary>
    BadHeader,

    /// <summary>The peer speaks another version, or something else altogether.</summary>
    BadHandshake,

    /// <summary>A message is longer than MaxMessageBytes.</summary>
    MessageTooLong,

    /// <summary>The peer sent descriptors that this end does not take, or another number of them than its header says.</summary>
    UnwantedHandles,

    /// <summary>The peer takes no descriptors. Nothing was sent, the channel goes on.</summary>
    HandlesRefused,

    /// <summary>
    /// This process had no room for the descriptors of a message (EMFILE): they are lost, with their message. The channel goes on. Of a
    /// handshake: there is no channel.
    /// </summary>
    OutOfDescriptors,

    /// <summary>Too many descriptors are under way and not yet received (ETOOMANYREFS). Nothing was sent, the channel goes on.</summary>
    TooManyInFlight,

    /// <summary>The peer ended in the middle of a message.</summary>
    EndedInMessage,

    /// <summary>The peer is gone: it closed its end, or its process ended.</summary>
    PeerGone,

    /// <summary>The peer closed its end without having received all that was sent to it.</summary>
    PeerLeftMessagesUnread,

    /// <summary>Shared memory is not sealed, has the wrong length, or its counters are impossible.</summary>
    BadSharedMemory,

    /// <summary>More large messages at once than a channel keeps.</summary>
    TooManyMessages,

    /// <summary>The process at the other end belongs to another user.</summary>
    WrongUser,
}
