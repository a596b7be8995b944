namespace MemPrims.Sets;

// Adds an id to a container on the heap, or removes one, and changes the kind where the format asks for it. An array that gets its 4097th
// id becomes a bitmap, and a bitmap that has 4096 left becomes an array. Runs stay runs while they are smaller than a bitmap.
internal static class ContainerChange
{
    private const int MaxRuns = (Bitmap.Bytes - sizeof(ushort)) / 4;

    public static bool Add(ref Container container, ushort id)
    {
        LimitRuns(ref container);
        return container.Kind switch
        {
            ContainerKind.Array => AddToArray(ref container, id),
            ContainerKind.Bitmap => SetBit(ref container, id, true),
            _ => AddToRuns(ref container, id),
        };
    }

    // Puts an id after the ids of an array, if it is above them and there is room; false when not.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryAppend(ref Container container, ushort id)
    {
        int count = container.Count;
        if (container.Kind != ContainerKind.Array || count == Container.MaxArray
            || container.Data.Length - container.Start < (count + 1) * sizeof(ushort)) return false;
        ref ushort last = ref Unsafe.As<byte, ushort>(
            ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(container.Data), container.Start + (count - 1) * sizeof(ushort)));
        if (id <= last) return false;
        Unsafe.Add(ref last, 1) = id;
        container.Count = count + 1;
        return true;
    }

    // A container with one id must be taken out whole instead.
    public static bool Remove(ref Container container, int cardinality, ushort id)
    {
        LimitRuns(ref container);
        switch (container.Kind)
        {
            case ContainerKind.Array:
                return RemoveFromArray(ref container, id);
            case ContainerKind.Bitmap:
                if (!SetBit(ref container, id, false)) return false;
                if (cardinality - 1 <= Container.MaxArray) container = Container.OfWords(ref container.View(0).Words, cardinality - 1);
                return true;
            default:
                return RemoveFromRuns(ref container, id);
        }
    }

    private static bool SetBit(ref Container container, int id, bool on)
    {
        ref ulong word = ref Unsafe.Add(ref container.View(0).Words, id >> 6);
        ulong before = word, bit = 1ul << id;
        word = on ? before | bit : before & ~bit;
        return word != before;
    }

    private static bool AddToArray(ref Container container, ushort id)
    {
        ReadOnlySpan<ushort> ids = container.View(0).Ids;
        int at = ArraySearch.UpTo(ids, id);
        if (at > 0 && ids[at - 1] == id) return false;
        if (ids.Length == Container.MaxArray)
        {
            Container bitmap = new() { Data = new byte[Bitmap.Bytes], Kind = ContainerKind.Bitmap };
            Bitmap.Apply<OrIds>(ref bitmap.View(0).Words, container.View(0).Ids);
            container = bitmap;
            return SetBit(ref container, id, true);
        }
        Open<ushort>(ref container, at) = id;
        return true;
    }

    private static bool RemoveFromArray(ref Container container, ushort id)
    {
        ReadOnlySpan<ushort> ids = container.View(0).Ids;
        int at = ArraySearch.UpTo(ids, id) - 1;
        if (at < 0 || ids[at] != id) return false;
        Close<ushort>(ref container, at);
        return true;
    }

    private static bool AddToRuns(ref Container container, int id)
    {
        Span<Run> runs = Members<Run>(container);
        int before = RunKernels.Before(runs, id);
        if (before >= 0 && id <= runs[before].End) return false;
        bool joinsLeft = before >= 0 && runs[before].End == id - 1, joinsRight = before + 1 < runs.Length
            && runs[before + 1].Start == id + 1;
        if (joinsLeft && joinsRight)
        {
            runs[before] = new(runs[before].Start, runs[before + 1].End);
            Close<Run>(ref container, before + 1);
        }
        else if (joinsLeft) runs[before] = new(runs[before].Start, id);
        else if (joinsRight) runs[before + 1] = new(id, runs[before + 1].End);
        else
        {
            Open<Run>(ref container, before + 1) = new(id, id);
            LimitRuns(ref container);
        }
        return true;
    }

    private static bool RemoveFromRuns(ref Container container, int id)
    {
        Span<Run> runs = Members<Run>(container);
        int at = RunKernels.Before(runs, id);
        if (at < 0 || id > runs[at].End) return false;
        int start = runs[at].Start, end = runs[at].End;
        if (start == end) Close<Run>(ref container, at);
        else if (id == start) runs[at] = new(start + 1, end);
        else if (id == end) runs[at] = new(start, end - 1);
        else
        {
            runs[at] = new(start, id - 1);
            Open<Run>(ref container, at + 1) = new(id + 1, end);
            LimitRuns(ref container);
        }
        return true;
    }

    // Turns runs that take more than a bitmap into another kind. A container that was loaded may have up to 32,768 of them, more than
    // Container.Start can step over.
    private static void LimitRuns(ref Container container)
    {
        if (container.Kind != ContainerKind.Run || container.Count <= MaxRuns) return;
        Span<ulong> words = stackalloc ulong[Bitmap.WordCount];
        Bitmap.Expand(ref words[0], container.View(0));
        container = Container.OfWords(ref words[0], BitmapCount.Ones(ref words[0]));
    }

    private static Span<T> Members<T>(in Container container) where T : unmanaged =>
        MemoryMarshal.Cast<byte, T>(container.Data.AsSpan(container.Start))[..container.Count];

    // Makes room for one more member at a place, by moving the shorter side where there is room for it.
    private static ref T Open<T>(ref Container container, int at) where T : unmanaged
    {
        int size = Unsafe.SizeOf<T>(), behind = container.Data.Length - container.Start - (container.Count + 1) * size;
        if (container.Start < size && behind < 0) Grow<T>(ref container, at);
        else if (container.Start >= size && (behind < 0 || at < container.Count / 2))
        {
            container.Start -= (ushort)size;
            container.Count++;
            Span<T> front = Members<T>(container)[..(at + 1)];
            MoveMembers(front, front[1..]);
        }
        else
        {
            container.Count++;
            Span<T> members = Members<T>(container);
            MoveMembers(members[(at + 1)..], members[at..^1]);
        }
        return ref Members<T>(container)[at];
    }

    // Grows the memory by half. Half of the room is left in front, unless the new member is the last.
    private static void Grow<T>(ref Container container, int at) where T : unmanaged
    {
        int size = Unsafe.SizeOf<T>(), count = container.Count, room = Math.Max(1, count / 2);
        Span<T> members = Members<T>(container);
        int start = at == count ? 0 : (room - 1) / 2;
        byte[] data = GC.AllocateUninitializedArray<byte>((count + room) * size);
        Span<T> grown = MemoryMarshal.Cast<byte, T>(data.AsSpan())[start..];
        members[..at].CopyTo(grown);
        members[at..].CopyTo(grown[(at + 1)..]);
        (container.Data, container.Start, container.Count) = (data, (ushort)(start * size), count + 1);
    }

    // Takes a member out, by moving the shorter side.
    private static void Close<T>(ref Container container, int at) where T : unmanaged
    {
        Span<T> members = Members<T>(container);
        container.Count--;
        if (at < members.Length / 2)
        {
            MoveMembers(members[1..], members[..at]);
            container.Start += (ushort)Unsafe.SizeOf<T>();
        }
        else MoveMembers(members[at..], members[(at + 1)..]);
    }

    // Block.Copy, because lengths vary: the runtime's own copy then pays for wrongly predicted branches.
    private static void MoveMembers<T>(Span<T> to, ReadOnlySpan<T> from) where T : unmanaged =>
        Block.Copy(MemoryMarshal.AsBytes(to), MemoryMarshal.AsBytes(from));
}

// The containers of a set that was changed, or of a large result, each with an array of its own. Ids are put in and taken out here.
internal sealed class ContainerList
{
    // A head has the cardinality minus one above the key.
    private const int CardinalityShift = 16;
    private const uint OneId = 1u << CardinalityShift;

    private uint[] _heads;
    private Container[] _containers;

    // The index in _containers of each container, in the order of the keys; after them the free ones. An insertion moves four bytes here
    // for each container after it, instead of sixteen in _containers.
    private uint[] _slots;
    private int _length, _lastChanged;

    // Of containers in the order of their keys. The arrays belong to the list from now on.
    public ContainerList(uint[] heads, Container[] containers)
    {
        (_heads, _containers, _slots, _length) = (heads, containers, new uint[heads.Length], heads.Length);
        for (int i = 0; i < _slots.Length; i++) _slots[i] = (uint)i;
    }

    // The containers, free ones among them.
    public ReadOnlySpan<Container> Containers => _containers;

    // Takes an image apart into containers that can be changed.
    public static ContainerList CopyOf(in SetView view)
    {
        uint[] heads = new uint[view.Length];
        Container[] containers = new Container[view.Length];
        for (int i = 0; i < view.Length; i++)
        {
            heads[i] = Head(view.Key(i), view.Cardinality(i));
            containers[i] = Container.CopyOf(view[i]);
        }
        return new(heads, containers);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint Head(int key, int cardinality) => (uint)key | (uint)(cardinality - 1) << CardinalityShift;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public SetView View() => new(_heads, _slots, _containers, _length);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public SetHeads Heads() => new(ref Unsafe.As<uint, byte>(ref MemoryMarshal.GetArrayDataReference(_heads)), _length);

    public bool Contains(uint id)
    {
        int at = Find((int)(id >> IdSet.KeyShift));
        return at >= 0 && At(at).View(0).Contains((ushort)id);
    }

    // Puts an id in; false when it was there.
    public bool Add(uint id)
    {
        // Ids mostly come in order: after the last id of the container that was changed last.
        int at = _lastChanged;
        if ((uint)at < (uint)_length && (ushort)_heads[at] == id >> IdSet.KeyShift && ContainerChange.TryAppend(ref At(at), (ushort)id))
            return Changed(at, true, OneId);
        return AddAnywhere(id);
    }

    private bool AddAnywhere(uint id)
    {
        int at = PlaceOf(id);
        if (at >= 0) return Changed(at, ContainerChange.Add(ref At(at), (ushort)id), OneId);
        at = _lastChanged = View().Seek((int)(id >> IdSet.KeyShift), 0);
        Insert(at, Head((int)(id >> IdSet.KeyShift), 1), Container.OfId((ushort)id));
        return true;
    }

    // Takes an id out; false when it was not there.
    public bool Remove(uint id)
    {
        int at = PlaceOf(id);
        if (at < 0) return false;
        int cardinality = (int)(_heads[at] >> CardinalityShift) + 1;
        if (cardinality > 1)
            return Changed(at, ContainerChange.Remove(ref At(at), cardinality, (ushort)id), unchecked(0 - OneId));
        if (!At(at).View(1).Contains((ushort)id)) return false;
        RemoveAt(at);
        return true;
    }

    // The container of an id, which is often the one that was changed last; -1 when there is none.
    private int PlaceOf(uint id)
    {
        int at = _lastChanged, key = (int)(id >> IdSet.KeyShift);
        if ((uint)at < (uint)_length && (ushort)_heads[at] == key) return at;
        at = Find(key);
        if (at >= 0) _lastChanged = at;
        return at;
    }

    private int Find(int key)
    {
        if (_length == 0) return -1;
        ref byte heads = ref Unsafe.As<uint, byte>(ref MemoryMarshal.GetArrayDataReference(_heads));
        int at = KeySearch.Near(ref heads, _length, key, out bool isThere);
        return isThere ? at : -1;
    }

    private ref Container At(int index) => ref _containers[_slots[index]];

    private bool Changed(int at, bool changed, uint by)
    {
        if (changed) _heads[at] += by;
        return changed;
    }

    private void Insert(int index, uint head, Container container)
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
        _heads[index] = head;
        _slots[index] = slot;
        _containers[slot] = container;
        _length++;
    }

    private void RemoveAt(int index)
    {
        uint slot = _slots[index];
        _length--;
        Array.Copy(_heads, index + 1, _heads, index, _length - index);
        Array.Copy(_slots, index + 1, _slots, index, _length - index);
        _slots[_length] = slot;
        _containers[slot] = default;
    }
}
