using System.Runtime.InteropServices;

namespace MemPrims.Buffers;

/// <summary>
/// Bytes of a <see cref="SegmentList"/> that were left out and are filled later, once: a length before its content. They are zero until
/// then. A hole that was filled, or that the list was cut before, refuses to be filled.
/// </summary>
public readonly struct Hole
{
    private readonly SegmentList _list;
    private readonly int _slot, _generation;

    internal Hole(SegmentList list, int slot, int generation, long position, int length)
    {
        (_list, _slot, _generation) = (list, slot, generation);
        (Position, Length) = (position, length);
    }

    /// <summary>Where in the list it begins.</summary>
    public long Position { get; }

    /// <summary>Its bytes.</summary>
    public int Length { get; }

    /// <summary>Where in the list the content after it begins.</summary>
    public long End => Position + Length;

    /// <summary>Fills it with as many bytes as it has.</summary>
    public void Fill(ReadOnlySpan<byte> source)
    {
        if (source.Length != Length) BufferErrors.HoleHasAnotherSize(Length, source.Length);
        if (_list is null) BufferErrors.HoleIsStale();
        source.CopyTo(_list!.TakeHole(_slot, _generation));
    }

    /// <summary>Fills it with a number, little-endian, of exactly its size.</summary>
    public void Fill<T>(T value)
        where T : unmanaged
    {
        Scalar.Require<T>();
        Fill(MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in value)));
    }

    /// <summary>Fills it with a number, big-endian, of exactly its size.</summary>
    public void FillBigEndian<T>(T value)
        where T : unmanaged => Fill(Scalar.Swap(value));
}
