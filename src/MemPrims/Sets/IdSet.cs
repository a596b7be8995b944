using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MemPrims.Sets;

/// <summary>
/// A compressed set of 32-bit ids, kept in memory as in the portable Roaring format, which it reads and writes. Ids that share their
/// upper 16 bits are in one container: an array of 16-bit ids, a bitmap, or runs, whichever is smallest when it is built. A loaded
/// container keeps its kind until it is changed. A set from <see cref="OpenFrozen(ReadOnlyMemory{byte}, bool)"/> answers from the bytes
/// where they lie, and refuses changes. Many threads may read a set at once, as long as none changes it. Ids of type int in an array are
/// taken by <c>MemoryMarshal.Cast&lt;int, uint&gt;</c>. <see cref="SetEquals"/> compares the ids; Equals compares references.
/// </summary>
[SuppressMessage("Naming", "CA1710", Justification = "The name is that of the thing; Collection would add nothing.")]
public sealed partial class IdSet : IReadOnlyCollection<uint>
{
    private const int KeyShift = 16;

    // Either an image, or heads and containers, of which _length are in use. Sets that were changed and large results have containers. An
    // image takes what the format takes and lies in one place: finding ten ids in ten containers touches two objects instead of eleven.
    private SetImage _image;
    private uint[] _heads = [];
    private Container[] _containers = [];

    // The index in _containers of each container, in the order of the keys; behind them the free ones. An insertion moves four bytes here
    // for each container behind it, instead of sixteen in _containers.
    private uint[] _slots = [];
    private int _length, _lastChanged;

    /// <summary>Rises with every change, so that a reader notices that the set is no longer the one it began to read.</summary>
    internal int Version { get; private set; }

    /// <summary>
    /// Whether what was loaded had the header for runs, which a set without runs may have too. Forgotten with the first change.
    /// </summary>
    private bool _runHeader;

    /// <summary>Makes an empty set.</summary>
    public IdSet()
    {
    }

    private IdSet(SetImage image) => _image = image;

    private IdSet(SetContent content) => Become(content);

    /// <summary>The number of ids in the set.</summary>
    public long Count
    {
        get
        {
            long count = View().CountIds();
            GC.KeepAlive(this);
            return count;
        }
    }

    /// <summary>Whether the set has no ids.</summary>
    public bool IsEmpty => View().Length == 0;

    /// <summary>Whether the set lies in bytes of its caller's, and cannot be changed.</summary>
    public bool IsFrozen => _image.IsForeign;

    /// <summary>Whether its contents are known to be sound: all but those of foreign bytes that were opened without a check.</summary>
    internal bool IsChecked => !_image.Exists || _image.IsChecked;

    /// <summary>Whether <paramref name="id"/> is in the set.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public bool Contains(uint id)
    {
        bool found = _image.Exists ? _image.Contains(id) : ContainsChanged(id);
        GC.KeepAlive(this);
        return found;
    }

    /// <summary>Whether <paramref name="id"/> is in the set, which negative ids never are.</summary>
    public bool Contains(int id) => id >= 0 && Contains((uint)id);

    private bool ContainsChanged(uint id)
    {
        int at = KeySearch.Find(
            ref Unsafe.As<uint, byte>(ref MemoryMarshal.GetArrayDataReference(_heads)), _length, (int)(id >> KeyShift));
        return at >= 0 && ContainerAt(at).View(0).Contains((ushort)id);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SetView View() => _image.Exists ? _image.View() : new(_heads, _slots, _containers, _length);

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
            Array.Resize(ref _slots, capacity);
            for (int i = _length; i < capacity; i++) _slots[i] = (uint)i;
        }
        Array.Copy(_heads, index, _heads, index + 1, _length - index);
        uint slot = _slots[_length];
        Array.Copy(_slots, index, _slots, index + 1, _length - index);
        _heads[index] = Head(key, cardinality);
        _slots[index] = slot;
        _containers[slot] = container;
        _length++;
    }

    /// <summary>Puts the containers together in an image.</summary>
    private IdSet Packed()
    {
        _image = SetImage.Own(ToByteArray(), HeaderToWrite(View()));
        Version++;
        DropContainers();
        return this;
    }

    private void DropContainers() => (_heads, _slots, _containers, _length, _runHeader) = ([], [], [], 0, false);

    private ref Container ContainerAt(int index) => ref _containers[_slots[index]];

    /// <summary>Takes an image apart into containers that can be changed.</summary>
    private void Unpack()
    {
        if (!_image.Exists) return;
        SetView view = View();
        uint[] heads = new uint[view.Length];
        uint[] slots = new uint[view.Length];
        Container[] containers = new Container[view.Length];
        for (int i = 0; i < view.Length; i++)
        {
            heads[i] = Head(view.Key(i), view.Cardinality(i));
            slots[i] = (uint)i;
            containers[i] = Container.CopyOf(view[i]);
        }
        (_runHeader, _heads, _slots, _containers, _length) = (_image.HasRunHeader, heads, slots, containers, heads.Length);
        _image = default;
    }
}
