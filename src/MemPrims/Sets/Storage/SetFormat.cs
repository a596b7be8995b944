using System.Buffers;
using System.Buffers.Binary;

namespace MemPrims.Sets;

/// <summary>Writes the containers of a set in the portable format, whose layout <see cref="SetHeader"/> tells.</summary>
internal static class SetFormat
{
    public static long Size(in SetView view, bool hasRunHeader)
    {
        long size = Header(view, hasRunHeader).Size;
        for (int i = 0; i < view.Length; i++) size += view[i].SerializedSize;
        return size;
    }

    public static void Write(in SetView view, bool hasRunHeader, Span<byte> destination)
    {
        SetHeader header = Header(view, hasRunHeader);
        header.Write(destination, view);
        int at = header.Size;
        for (int i = 0; i < view.Length; i++) at += view[i].WriteTo(destination[at..]);
    }

    public static void Write(in SetView view, bool hasRunHeader, IBufferWriter<byte> destination)
    {
        SetHeader header = Header(view, hasRunHeader);
        header.Write(destination.GetSpan(header.Size), view);
        destination.Advance(header.Size);
        for (int i = 0; i < view.Length; i++)
        {
            ContainerView container = view[i];
            destination.Advance(container.WriteTo(destination.GetSpan(container.SerializedSize)));
        }
    }

    public static void Write(in SetView view, bool hasRunHeader, Stream destination)
    {
        SetHeader header = Header(view, hasRunHeader);
        byte[] start = GC.AllocateUninitializedArray<byte>(header.Size);
        header.Write(start, view);
        destination.Write(start);
        Span<byte> count = stackalloc byte[sizeof(ushort)];
        for (int i = 0; i < view.Length; i++)
        {
            ContainerView container = view[i];
            BinaryPrimitives.WriteUInt16LittleEndian(count, (ushort)container.Count);
            if (container.Kind == ContainerKind.Run) destination.Write(count);
            destination.Write(container.Bytes);
        }
    }

    /// <summary>Whether runs touch, which other writers allow themselves: they are joined when the set is written.</summary>
    public static bool HaveTouchingRuns(in SetView view)
    {
        bool touch = false;
        for (int i = 0; i < view.Length && !touch; i++)
        {
            ContainerView container = view[i];
            touch = container.Kind == ContainerKind.Run && RunJoin.Touch(container.Runs);
        }
        return touch;
    }

    private static SetHeader Header(in SetView view, bool hasRunHeader)
    {
        for (int i = 0; i < view.Length && !hasRunHeader; i++) hasRunHeader = view[i].Kind == ContainerKind.Run;
        return new(view.Length, hasRunHeader);
    }
}
