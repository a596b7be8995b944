using System.Runtime.InteropServices;
using MemPrims.Channels.Native;
using Microsoft.Win32.SafeHandles;

namespace MemPrims.Channels.Link;

/// <summary>
/// Descriptors beside a message. What arrives is wrapped before anything can throw. What is not wanted is closed on another thread,
/// by <see cref="Closer"/>.
/// </summary>
internal static unsafe class Rights
{
    /// <summary>The most descriptors that the kernel passes with one message (SCM_MAX_FD).</summary>
    public const int Most = 253;

    /// <summary>
    /// Room for a control message with that many. So the kernel drops a descriptor only when this process can open no more.
    /// </summary>
    public const int ControlRoom = 16 + ((Most * sizeof(int)) + 7 & ~7);

    /// <summary>Writes the control message. The numbers stay valid while the caller holds references to the handles.</summary>
    public static void Write(byte* control, ReadOnlySpan<int> files, ref Posix.Message message)
    {
        var header = (Posix.ControlHeader*)control;
        *header = new() { Length = sizeof(Posix.ControlHeader) + (files.Length * sizeof(int)), Level = Posix.SocketLevel,
            Type = Posix.Rights };
        files.CopyTo(new Span<int>(header + 1, files.Length));
        message.Control = control;
        message.ControlLength = header->Length + 7 & ~7;
    }

    /// <summary>Wraps all that came. Null when nothing did.</summary>
    public static SafeHandle[]? Take(in Posix.Message message)
    {
        SafeHandle[]? taken = null;
        int count = 0;
        byte* at = message.Control, end = at + message.ControlLength;
        while (at != null && end - at >= sizeof(Posix.ControlHeader))
        {
            var header = (Posix.ControlHeader*)at;
            if (header->Length < sizeof(Posix.ControlHeader) || header->Length > end - at) break;
            if (header->Level == Posix.SocketLevel && header->Type == Posix.Rights)
            {
                ReadOnlySpan<int> files = new(header + 1, (int)(header->Length - sizeof(Posix.ControlHeader)) / sizeof(int));
                Array.Resize(ref taken, count + files.Length);
                foreach (int file in files) taken[count++] = new SafeFileHandle(file, ownsHandle: true);
            }
            at += header->Length + 7 & ~7;
        }
        return taken;
    }

    /// <summary>Closes what nobody wants, on another thread. Where too many wait to be closed, the caller waits a moment first.</summary>
    public static void CloseElsewhere(SafeHandle[]? handles)
    {
        if (handles is not null) Closer.Usual.Add(handles);
    }
}
