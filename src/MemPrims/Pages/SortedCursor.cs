using System.Runtime.CompilerServices;

namespace MemPrims.Pages;

/// <summary>
/// A place in a tree, on an entry or between two, that moves both ways: <see cref="Next"/> and <see cref="Previous"/>. A cursor over a
/// range stays in it in both directions. It is a struct that changes as it moves. So hand it to a method by `ref`: a copy moves alone.
/// </summary>
/// <remarks>
/// After a change of the tree every use throws, also after a change by another <see cref="SortedTree"/> over the same store. A removal of
/// a key that was not there changes nothing. To remove what a scan finds, collect the keys first, or begin another scan behind each
/// removed key. A cursor keeps its tree and the store from being collected. Inside a leaf a step is an addition; at its end the parent
/// branch tells the next leaf.
/// </remarks>
public unsafe ref struct SortedCursor
{
    private readonly SortedTree _tree;
    private readonly Range _range;
    private readonly uint _version;

    // The number in the tree's header that goes up with every change, also with one by another tree object; no address where there is no
    // tree yet.
    private readonly ulong* _changesNow;
    private readonly ulong _changes;

    // The entry it is on, or, when it is on none, the one that Next goes to. First and limit are the part of the leaf in the range.
    private Page _leaf;
    private int _position, _first, _limit;
    private bool _isOn;

    // The branch above the leaf and which child the leaf is; 0 where the top is a leaf.
    private uint _parent;
    private int _index;

    internal SortedCursor(SortedTree tree, Range range)
    {
        _tree = tree;
        _range = range;
        tree.Refresh();
        _version = tree.Version;
        _changesNow = tree.ChangesInHeader;
        _changes = _changesNow == null ? 0 : *_changesNow;
    }

    /// <summary>The key of the entry it is on.</summary>
    /// <exception cref="InvalidOperationException">It is on no entry, or the tree has changed.</exception>
    public readonly ReadOnlySpan<byte> Key
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            byte* entry = Entry;
            return new(Page.KeyOf(entry), Page.KeyLength(entry));
        }
    }

    /// <summary>The value of the entry it is on; one in overflow pages is a copy of its own.</summary>
    /// <exception cref="InvalidOperationException">It is on no entry, or the tree has changed.</exception>
    public readonly ReadOnlySpan<byte> Value
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TreeOverflow.Value(_tree.Pages, Entry);
    }

    // Asked only where there is an entry, so there is a tree with a header.
    private readonly bool HasChanged
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _version != _tree.Version || *_changesNow != _changes;
    }

    private readonly byte* Entry
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if (!_isOn || HasChanged) Unusable();
            return _leaf.Start + _leaf.Slots[_position];
        }
    }

    /// <summary>Goes to the next entry. False behind the last one of the range; <see cref="Previous"/> then goes back to it.</summary>
    /// <exception cref="InvalidOperationException">The tree has changed.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Next()
    {
        int position = _position + (_isOn ? 1 : 0);
        if (position < _limit && !HasChanged)
        {
            _position = position;
            return _isOn = true;
        }
        return NextLeaf(position);
    }

    /// <summary>Goes to the entry before. False before the first one of the range; <see cref="Next"/> then goes back to it.</summary>
    /// <exception cref="InvalidOperationException">The tree has changed.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Previous()
    {
        int position = _position - 1;
        if (position >= _first && !HasChanged)
        {
            _position = position;
            return _isOn = true;
        }
        return PreviousLeaf();
    }

    /// <summary>Goes behind the last entry of the range: <see cref="Previous"/> then goes through it backwards.</summary>
    /// <exception cref="InvalidOperationException">The tree has changed.</exception>
    public void GoToEnd()
    {
        CheckVersion();
        _isOn = false;
        if (_range.HasTo) Seek(_range.To, _range.IncludesTo);
        else SeekEnd();
    }

    internal void Seek(scoped ReadOnlySpan<byte> key, bool behind)
    {
        if (_tree.Levels == 0) return;
        fixed (byte* bytes = key)
        {
            uint number = _tree.Top;
            for (int level = _tree.Levels - 1; level > 0; level--)
            {
                Page branch = _tree.Pages.At(number, level);
                _parent = number;
                _index = PageSearch.Find(branch, bytes, key.Length).Child;
                number = TreePages.Child(branch, _index);
            }
            Enter(_tree.Pages.At(number, 0));
        }
        _position = Range.Position(_leaf, key, behind);
    }

    internal void SeekEnd()
    {
        if (_tree.Levels == 0) return;
        Enter(Outermost(_tree.Top, _tree.Levels - 1, last: true));
        _position = Math.Max(_first, _limit);
    }

    internal readonly bool TryTake(bool isOn, out ReadOnlySpan<byte> key, out ReadOnlySpan<byte> value)
    {
        key = isOn ? Key : default;
        value = isOn ? Value : default;
        return isOn;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool NextLeaf(int position)
    {
        CheckVersion();
        _isOn = false;
        if (_tree.Levels == 0) return false;
        _position = Math.Min(position, Math.Max(_limit, _position));
        // A limit before the end of the leaf is the end of the range.
        if (_limit < _leaf.Count || !TryNeighbour(forward: true, out Page next)) return false;
        Enter(next);
        GC.KeepAlive(_tree);
        _position = _first;
        return _isOn = _first < _limit;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool PreviousLeaf()
    {
        CheckVersion();
        _isOn = false;
        _position = _first;
        // A first entry that is not the leaf's is the start of the range.
        if (_tree.Levels == 0 || _first > 0 || !TryNeighbour(forward: false, out Page before)) return false;
        Enter(before);
        GC.KeepAlive(_tree);
        _isOn = _first < _limit;
        _position = _isOn ? _limit - 1 : _limit;
        return _isOn;
    }

    private void Enter(Page leaf)
    {
        _leaf = leaf;
        (_first, _limit) = _range.In(leaf);
    }

    /// <summary>
    /// The leaf beside this one. In a sound tree its keys are beyond; that they are is asked, so that a scan of a damaged tree ends.
    /// </summary>
    private bool TryNeighbour(bool forward, out Page leaf)
    {
        leaf = default;
        if (_leaf.Count == 0 || !TryNeighbourPage(forward, out leaf)) return false;
        ReadOnlySpan<byte> edge = _leaf.Key(forward ? _leaf.Count - 1 : 0);
        if (leaf.Count == 0 || Block.Compare(leaf.Key(forward ? 0 : leaf.Count - 1), edge) > 0 != forward)
            throw new PageDamagedException("Two neighbouring leaves of the tree are not in the order of their keys", _parent);
        return true;
    }

    private bool TryNeighbourPage(bool forward, out Page leaf)
    {
        leaf = default;
        int step = forward ? 1 : -1;
        if (_tree.Levels == 1) return false;
        Page parent = _tree.Pages.At(_parent, 1);
        if (_index + step >= -1 && _index + step < parent.Count)
        {
            _index += step;
            leaf = _tree.Pages.At(TreePages.Child(parent, _index), 0);
            return true;
        }
        // The way to this leaf once more: the lowest branch with a child beside it leads to the neighbour.
        uint number = _tree.Top, turn = 0;
        int turnLevel = 0, turnChild = 0;
        ReadOnlySpan<byte> key = _leaf.Key(0);
        fixed (byte* bytes = key)
        {
            for (int level = _tree.Levels - 1; level > 0; level--)
            {
                Page branch = _tree.Pages.At(number, level);
                int child = PageSearch.Find(branch, bytes, key.Length).Child;
                if (child + step >= -1 && child + step < branch.Count) (turn, turnLevel, turnChild) = (number, level, child + step);
                number = TreePages.Child(branch, child);
            }
        }
        if (turn == 0) return false;
        (_parent, _index) = (turn, turnChild);
        leaf = Outermost(TreePages.Child(_tree.Pages.At(turn, turnLevel), turnChild), turnLevel - 1, last: !forward);
        return true;
    }

    private Page Outermost(uint number, int level, bool last)
    {
        for (; level > 0; level--)
        {
            Page branch = _tree.Pages.At(number, level);
            (_parent, _index) = (number, last ? branch.Count - 1 : -1);
            number = TreePages.Child(branch, _index);
        }
        return _tree.Pages.At(number, 0);
    }

    /// <summary>The keys that a cursor stays in. A bound that is missing is that of the tree.</summary>
    internal readonly ref struct Range
    {
        public ReadOnlySpan<byte> From { get; init; }

        public ReadOnlySpan<byte> To { get; init; }

        public bool HasFrom { get; init; }

        public bool HasTo { get; init; }

        public bool IncludesTo { get; init; }

        /// <summary>The positions in a leaf that are in the range: from the first to before the limit.</summary>
        public (int First, int Limit) In(Page leaf)
        {
            int first = 0, limit = leaf.Count;
            if (HasFrom && limit > 0) first = Position(leaf, From, false);
            if (HasTo && limit > 0) limit = Position(leaf, To, IncludesTo);
            return (first, limit);
        }

        public static int Position(Page leaf, scoped ReadOnlySpan<byte> key, bool behind)
        {
            fixed (byte* bytes = key)
            {
                Place place = PageSearch.Find(leaf, bytes, key.Length);
                return place.Position + (behind && place.Found ? 1 : 0);
            }
        }
    }

    private readonly void CheckVersion()
    {
        _tree?.Refresh();
        if (_tree is null || _version != _tree.Version) Unusable();
    }

    private readonly void Unusable()
    {
        if (_tree is null) throw new InvalidOperationException("This cursor belongs to no tree: get one by Scan.");
        _tree.Refresh();
        if (_version != _tree.Version)
            throw new InvalidOperationException("The tree has changed since the scan began: begin another one." +
                " Keys and values are where they were only until the next change.");
        throw new InvalidOperationException("The cursor is on no entry: call Next or Previous, and go on only while it says true.");
    }
}
