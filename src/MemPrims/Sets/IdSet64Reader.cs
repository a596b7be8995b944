namespace MemPrims.Sets;

/// <summary>
/// Reads the ids of a 64-bit set in order, upwards or backwards, in blocks of any size, and can skip ahead. It takes 16 KiB for any set.
/// A reader is for one thread. If the set is changed meanwhile, the next call throws an <see cref="InvalidOperationException"/>.
/// </summary>
public sealed class IdSet64Reader
{
    private readonly IdSet64 _set;
    private readonly bool _backwards;
    private IdSetReader? _reader;
    private readonly int _version;
    private int _part;
    private uint _key;

    internal IdSet64Reader(IdSet64 set, bool backwards)
    {
        _set = set;
        _backwards = backwards;
        _version = set.Version;
        Open(backwards ? set.Keys.Length - 1 : 0);
    }

    /// <inheritdoc cref="IdSetReader.ReadMany"/>
    public int ReadMany(Span<ulong> ids)
    {
        _set.ThrowIfChangedSince(_version);
        Span<uint> low = stackalloc uint[256];
        int written = 0;
        while (written < ids.Length && _reader is not null)
        {
            int count = _reader.ReadMany(low[..Math.Min(low.Length, ids.Length - written)]);
            if (count == 0) OpenNext();
            else
            {
                foreach (uint id in low[..count]) ids[written++] = IdSet64.Id(_key, id);
            }
        }
        return written;
    }

    /// <inheritdoc cref="IdSetReader.TryRead"/>
    public bool TryRead(out ulong id)
    {
        id = 0;
        return ReadMany(new Span<ulong>(ref id)) > 0;
    }

    /// <inheritdoc cref="IdSetReader.AdvanceTo"/>
    public void AdvanceTo(ulong id)
    {
        _set.ThrowIfChangedSince(_version);
        int at = _set.Find(id);
        bool isThere = at >= 0;
        if (!isThere) at = _backwards ? ~at - 1 : ~at;
        if (_backwards ? at < _part : at > _part) Open(at);
        if (isThere && at == _part) _reader?.AdvanceTo((uint)id);
    }

    private void OpenNext() => Open(_backwards ? _part - 1 : _part + 1);

    private void Open(int part)
    {
        _set.ThrowIfChangedSince(_version);
        _part = part;
        bool exists = (uint)part < (uint)_set.Keys.Length;
        if (exists) _key = _set.Keys[part];
        _reader = exists ? new(_set.Part(part), _backwards) : null;
    }
}
