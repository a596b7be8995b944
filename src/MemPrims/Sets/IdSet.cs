using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace MemPrims.Sets;

/// <summary>
/// A compressed set of 32-bit ids: containers of 65,536 neighbours each, as an array of 16-bit ids, a bitmap, or runs, whichever is smallest when it is
/// built; in memory as in the portable Roaring format, which it reads and writes byte for byte. A loaded set keeps its containers' kinds until they are changed.
/// A set from <see cref="OpenFrozen(ReadOnlyMemory{byte}, bool)"/> answers from the bytes of that format where they lie, and refuses changes.
/// Many threads may read a set at once, as long as none changes it.
/// </summary>
[SuppressMessage("Naming", "CA1710", Justification = "The name is that of the thing; Collection would add nothing.")]
public sealed partial class IdSet : IEnumerable<uint>
{
    private const int KeyShift = 16;

    // Either an image, or, in a set that was changed or made from others, heads and containers with _length of each in use. The image takes what the
    // format takes and lies together: ten ids of ten containers touch two objects, where containers would be ten more.
    private SetImage _image;
    private uint[] _heads = [];
    private Container[] _containers = [];
    private int _length, _lastChanged;

    /// <summary>Whether what was loaded had the header for runs, which a set without runs may have too. Forgotten with the first change.</summary>
    private bool _runHeader;

    /// <summary>Makes an empty set.</summary>
    public IdSet()
    {
    }

    private IdSet(SetImage image) => _image = image;

    private IdSet(SetContent content) => Become(content);

    /// <summary>The number of ids in the set.</summary>
    public long Count => View().CountIds();

    /// <summary>Whether the set has no ids.</summary>
    public bool IsEmpty => View().Length == 0;

    /// <summary>Whether the set lies in bytes of its caller's, and cannot be changed.</summary>
    public bool IsFrozen => _image.IsForeign;

    /// <summary>Whether its contents are known to be sound: all but those of foreign bytes that were opened without a check.</summary>
    private bool IsChecked => !_image.Exists || _image.IsChecked;

    /// <summary>Whether <paramref name="id"/> is in the set.</summary>
    public bool Contains(uint id)
    {
        SetView view = View();
        int at = view.Find((int)(id >> KeyShift));
        return at >= 0 && view[at].Contains((ushort)id);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SetView View() => _image.Exists ? _image.View() : new(_heads, _containers, _length);

    private static uint Head(int key, int cardinality) => (uint)key | (uint)(cardinality - 1) << KeyShift;

    /// <summary>Adds a container behind the others: its key is above theirs.</summary>
    private void Append(int key, int cardinality, Container container) => Insert(_length, key, cardinality, container);

    private void Insert(int index, int key, int cardinality, Container container)
    {
        if (_length == _heads.Length)
        {
            int capacity = Math.Max(4, _length * 2);
            Array.Resize(ref _heads, capacity);
            Array.Resize(ref _containers, capacity);
        }
        Array.Copy(_heads, index, _heads, index + 1, _length - index);
        Array.Copy(_containers, index, _containers, index + 1, _length - index);
        _heads[index] = Head(key, cardinality);
        _containers[index] = container;
        _length++;
    }

    /// <summary>Gives back the room kept for more containers.</summary>
    private IdSet Trimmed()
    {
        Array.Resize(ref _heads, _length);
        Array.Resize(ref _containers, _length);
        return this;
    }

    /// <summary>Puts the containers together in an image.</summary>
    private IdSet Packed()
    {
        _image = SetImage.Own(ToByteArray(), HeaderToWrite(View()));
        (_heads, _containers, _length) = ([], [], 0);
        return this;
    }

    /// <summary>Takes an image apart into containers that can be changed.</summary>
    private void Unpack()
    {
        if (!_image.Exists) return;
        SetView view = View();
        uint[] heads = new uint[view.Length];
        Container[] containers = new Container[view.Length];
        for (int i = 0; i < view.Length; i++)
        {
            heads[i] = Head(view.Key(i), view.Cardinality(i));
            containers[i] = Container.CopyOf(view[i]);
        }
        (_runHeader, _heads, _containers, _length) = (_image.HasRunHeader, heads, containers, heads.Length);
        _image = default;
    }
}
