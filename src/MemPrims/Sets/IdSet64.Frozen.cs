using System.Buffers;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <content>Sets that answer from their caller's bytes, where these lie.</content>
public sealed partial class IdSet64
{
    /// <summary>
    /// Opens a set where its bytes lie: nothing is copied or decoded. Its headers and bounds are checked; its contents only with
    /// <paramref name="validate"/>, which also refuses bytes behind the set.
    /// </summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static IdSet64 OpenFrozen(ReadOnlyMemory<byte> source, bool validate = false) =>
        Open(source.Length, at => source[(int)at..], validate);

    /// <summary>Opens a set in the memory of an owner, as <see cref="IdSet.OpenFrozen(IMemoryOwner{byte}, bool)"/> does.</summary>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static IdSet64 OpenFrozen(IMemoryOwner<byte> owner, bool validate = false)
    {
        ArgumentNullException.ThrowIfNull(owner);
        return OpenFrozen(new OwnedMemory(owner).Memory, validate);
    }

    /// <summary>
    /// Opens a set in a buffer that a handle keeps, as <see cref="IdSet.OpenFrozen(SafeBuffer, long, long, bool)"/> does; it may be
    /// larger than 2 GiB.
    /// </summary>
    /// <param name="owner">The buffer.</param>
    /// <param name="offset">
    /// The first byte of the set in it. The handle of a mapped view begins at a page, before the first byte of the view: add the
    /// <c>PointerOffset</c> of the view.
    /// </param>
    /// <param name="length">The bytes that the set may take. More may follow it, unless <paramref name="validate"/> is set.</param>
    /// <param name="validate">Whether the contents are checked too.</param>
    /// <exception cref="ArgumentOutOfRangeException">The range leads outside the buffer.</exception>
    /// <exception cref="IdSetDamagedException">The bytes are not such a set.</exception>
    public static unsafe IdSet64 OpenFrozen(SafeBuffer owner, long offset, long length, bool validate = false)
    {
        HandleReference reference = HandleReference.Of(owner, offset, length);
        return Open(length, at => Memory(reference.Start + offset, at, length, reference), validate);
    }

    /// <summary>Opens a set where its bytes lie, as <see cref="OpenFrozen(ReadOnlyMemory{byte}, bool)"/> does.</summary>
    /// <remarks>
    /// <para><b>Readable range</b> <paramref name="source"/> up to <paramref name="length"/> bytes, which may be more than 2 GiB; nothing
    /// outside is read.</para>
    /// <para><b>Overlap</b> any number of sets may lie in the same bytes.</para>
    /// <para><b>Alignment</b> none is needed.</para>
    /// <para><b>Lifetime</b> the bytes stay where they are as long as the set is used. They should not change; if they do, answers are
    /// wrong but stay inside the bytes.</para>
    /// <para><b>Wrong length</b> negative: <see cref="ArgumentOutOfRangeException"/>; too short for the set:
    /// <see cref="IdSetDamagedException"/>; too long for the memory: undefined.</para>
    /// </remarks>
    public static unsafe IdSet64 OpenFrozen(byte* source, nint length, bool validate = false)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        if (length > 0) ArgumentNullException.ThrowIfNull(source);
        return Open(length, at => Memory(source, at, length, owner: null), validate);
    }

    private static unsafe Memory<byte> Memory(byte* source, long at, long length, object? owner) =>
        new PointerMemory(source + at, (int)Math.Min(length - at, int.MaxValue), owner).Memory;

    /// <summary>
    /// Opens a set of which <paramref name="from"/> gives the bytes behind an offset, as many as one piece of memory can have.
    /// </summary>
    private static IdSet64 Open(long length, Func<long, ReadOnlyMemory<byte>> from, bool validate)
    {
        IdSet64 set = new() { IsFrozen = true };
        long at = sizeof(ulong), before = -1;
        for (ulong left = ReadCount(from(0).Span); left > 0; left--)
        {
            before = ReadKey(from(at).Span, at, before);
            at += sizeof(uint);
            try
            {
                set.AppendUnlessEmpty((uint)before, IdSet.OpenFrozenPart(from(at), validate, at, out int size));
                at += size;
            }
            catch (IdSetDamagedException damage)
            {
                throw damage.Behind(at);
            }
        }
        if (validate) CheckEnd(length, at);
        return set;
    }
}
