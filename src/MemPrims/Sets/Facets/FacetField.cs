using System.Text;

namespace MemPrims.Sets;

/// <summary>
/// A field of documents that people facet by: a city, tags. It knows the values of each document and the documents of each value, counts
/// how often each value occurs among the hits of a query, and keeps up with changes.
/// </summary>
/// <remarks>
/// <para><b>Threads.</b> Any number of threads may read, or one may change the field. Only
/// <see cref="Count(ReadOnlySpan{uint}, Span{int})"/> of documents of up to eight values may run beside a change: it may count wrong, but
/// reads and writes nothing out of bounds. All else reads the sets, which nobody may change meanwhile.</para>
/// <para><b>Values.</b> A value is any bytes, by convention UTF-8. Wherever one is given it may be a string, which is encoded. One with
/// half of a surrogate pair is an <see cref="ArgumentException"/>, and nothing is changed. Each value gets an ordinal: 0, 1, 2 and so on,
/// in the order in which they come. An ordinal never changes, also when no document has its value any more.</para>
/// <para><b>Memory.</b> One byte a document and value up to 255 values, two up to 65,535, else four, in chunks of 65,536 ids, and up to a
/// quarter more where documents come in order; and the sets. Every document has places for as many values as the fullest one ever had, up
/// to eight: what it no longer needs, an image leaves out. A document that has more than eight values keeps the rest in a list of its own,
/// which costs its hits a search each.</para>
/// </remarks>
public sealed class FacetField
{
    // Times in tenths of a nanosecond, from which the way of a count is chosen (Sets/facet field, few values): a hit and layer by the
    // column, and by the sets a document of an array and a container's bitmap.
    private const long CostOfHit = 8, CostOfSetDocument = 6, CostOfBitmap = 1500;

    // Fewer hits are always counted by the column: choosing would take longer.
    private const int FewestForSets = 4096;

    // Ids that are decoded at a time; a smaller set is decoded on the stack.
    private const int BlockIds = 16_384, FewIds = 1024;

    // What a document can have in the place of one ordinal.
    private const int None = -1, Several = -2;

    // Rises with every change.
    private int _version;

    // The values by ordinal, and their ordinals. Names are hashed under a seed drawn anew for each process (BlockComparer), so that nobody
    // can choose names that collide.
    private readonly List<ReadOnlyMemory<byte>> _names = [];
    private readonly Dictionary<ReadOnlyMemory<byte>, int> _ordinals = new(BlockComparer.Instance);
    private readonly List<IdSet> _sets = [];
    private readonly List<int> _totals = [];
    private readonly Dictionary<uint, List<int>> _extras = [];
    private FacetColumn _column = FacetColumn.Create(width: 1, layers: 1);
    private IdSet _documents = new(), _withExtras = new();

    /// <summary>How many values have come so far. Ordinals are below it.</summary>
    public int ValueCount => _totals.Count;

    /// <summary>How many documents have a value.</summary>
    public long DocumentCount => _documents.Count;

    /// <summary>Gives a document a value more; false when it has it already.</summary>
    /// <exception cref="InvalidOperationException">As many documents as an <c>int</c> can count have the value already.</exception>
    public bool Add(uint id, ReadOnlySpan<byte> value)
    {
        if (!TryGetOrdinal(value, out int ordinal)) ordinal = NewValue(value.ToArray());
        return Add(id, ordinal);
    }

    /// <inheritdoc cref="Add(uint, ReadOnlySpan{byte})"/>
    public bool Add(uint id, string value) => Add(id, Utf8(value));

    /// <summary>Takes a value from a document; false when the document does not have it.</summary>
    public bool Remove(uint id, ReadOnlySpan<byte> value) => TryGetOrdinal(value, out int ordinal) && Remove(id, ordinal);

    /// <inheritdoc cref="Remove(uint, ReadOnlySpan{byte})"/>
    public bool Remove(uint id, string value) => Remove(id, Utf8(value));

    /// <summary>Takes all values from a document, as when it is deleted; false when it has none.</summary>
    public bool Remove(uint id)
    {
        int only = OnlyOrdinalOf(id);
        if (only == None) return false;
        ReadOnlySpan<int> ordinals = only == Several ? OrdinalsOf(id) : [only];
        foreach (int ordinal in ordinals)
            if (!Remove(id, ordinal)) ThrowDisagree(id, ordinal);
        return true;
    }

    /// <summary>Gives a document this value in place of all that it has.</summary>
    public void Set(uint id, ReadOnlySpan<byte> value)
    {
        bool isKnown = TryGetOrdinal(value, out int ordinal);
        int old = OnlyOrdinalOf(id);
        if (isKnown && old == ordinal) return;
        if (isKnown) ThrowIfFull(ordinal);
        if (old < 0)
        {
            if (old == Several) Remove(id);
            Add(id, value);
            return;
        }
        // The document stays among those that have values: half the work of a removal and an addition.
        if (!TryTake(id, old)) ThrowDisagree(id, old);
        if (!isKnown) ordinal = NewValue(value.ToArray());
        TryPut(id, ordinal);
        _column[id, 0] = ordinal;
    }

    /// <inheritdoc cref="Set(uint, ReadOnlySpan{byte})"/>
    public void Set(uint id, string value) => Set(id, Utf8(value));

    /// <summary>The ordinal of a value; false when no document has ever had it.</summary>
    public bool TryGetOrdinal(ReadOnlySpan<byte> value, out int ordinal) =>
        _ordinals.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(value, out ordinal);

    /// <inheritdoc cref="TryGetOrdinal(ReadOnlySpan{byte}, out int)"/>
    public bool TryGetOrdinal(string value, out int ordinal) => TryGetOrdinal(Utf8(value), out ordinal);

    /// <summary>The value with an ordinal.</summary>
    /// <exception cref="ArgumentOutOfRangeException">No value has the ordinal.</exception>
    public ReadOnlyMemory<byte> Utf8Name(int ordinal) => (uint)ordinal < (uint)ValueCount ? _names[ordinal]
        : throw new ArgumentOutOfRangeException(nameof(ordinal), ordinal, $"The field has {ValueCount} values.");

    /// <summary>The value with an ordinal, as text.</summary>
    /// <inheritdoc cref="Utf8Name(int)"/>
    public string Name(int ordinal) => Encoding.UTF8.GetString(Utf8Name(ordinal).Span);

    /// <summary>How many documents have the value.</summary>
    public int CountOf(ReadOnlySpan<byte> value) => TryGetOrdinal(value, out int ordinal) ? _totals[ordinal] : 0;

    /// <inheritdoc cref="CountOf(ReadOnlySpan{byte})"/>
    public int CountOf(string value) => CountOf(Utf8(value));

    /// <summary>The documents of a query that have the value, as a new set.</summary>
    public IdSet And(IdSet query, ReadOnlySpan<byte> value)
    {
        ArgumentNullException.ThrowIfNull(query);
        return TryGetOrdinal(value, out int ordinal) ? query.And(_sets[ordinal]) : new IdSet();
    }

    /// <inheritdoc cref="And(IdSet, ReadOnlySpan{byte})"/>
    public IdSet And(IdSet query, string value) => And(query, Utf8(value));

    /// <summary>All documents that have the value, as a set of the caller's own.</summary>
    public IdSet Documents(ReadOnlySpan<byte> value) => TryGetOrdinal(value, out int ordinal) ? _sets[ordinal].Clone() : new IdSet();

    /// <inheritdoc cref="Documents(ReadOnlySpan{byte})"/>
    public IdSet Documents(string value) => Documents(Utf8(value));

    /// <summary>The ordinals of a document's values, in no order.</summary>
    /// <exception cref="DamagedDataException">The field was opened without a check, and no value has the ordinal.</exception>
    public int[] OrdinalsOf(uint id)
    {
        List<int> ordinals = [];
        for (int layer = 0; layer < _column.Layers; layer++)
        {
            if (_column[id, layer] is not (>= 0 and int ordinal)) continue;
            if (ordinal >= ValueCount) ThrowDisagree(id, ordinal, _column.OffsetOf(id, layer));
            ordinals.Add(ordinal);
        }
        if (_extras.TryGetValue(id, out List<int>? extras)) ordinals.AddRange(extras);
        return [.. ordinals];
    }

    /// <summary>Sets each count to the number of hits that have the value with its ordinal.</summary>
    /// <param name="query">The ids of the hits.</param>
    /// <param name="counts">At least <see cref="ValueCount"/> long; what is after that stays.</param>
    /// <exception cref="ArgumentException">There is room for fewer counts than there are values; nothing is written.</exception>
    public void Count(IdSet query, Span<int> counts)
    {
        ArgumentNullException.ThrowIfNull(query);
        counts = Cleared(counts);
        long hits = query.Count;
        if (hits > _documents.Count / 2 && TryCountMissing(query, counts)) return;
        if (hits >= FewestForSets && CostOfSets() < hits * _column.Layers * CostOfHit)
        {
            for (int i = 0; i < counts.Length; i++) counts[i] = (int)_sets[i].CountIntersection(query);
            return;
        }
        AddHits(query, counts);
    }

    /// <summary>
    /// The same for hits in any order. An id that stands twice is counted twice. This is the fastest way for few hits: they need no
    /// set.
    /// </summary>
    /// <inheritdoc cref="Count(IdSet, Span{int})"/>
    [OverloadResolutionPriority(1)] // `Count([1, 5], counts)` could make a set of the ids, too.
    public void Count(ReadOnlySpan<uint> hits, Span<int> counts)
    {
        counts = Cleared(counts);
        _column.Add(hits, counts);
        if (_extras.Count > 0) AddExtras(hits, counts);
    }

    /// <summary>
    /// The values that occur most often among the hits, the most frequent first; of equal ones that with the lower ordinal. Values that do
    /// not occur are left out.
    /// </summary>
    /// <param name="query">The ids of the hits.</param>
    /// <param name="most">How many values at most.</param>
    [OverloadResolutionPriority(1)] // `Top([1, 5], most: 3)` would be counts otherwise.
    public FacetCount[] Top(IdSet query, int most)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(most);
        int[] counts = ArrayPool<int>.Shared.Rent(ValueCount);
        Count(query, counts);
        FacetCount[] top = Top(counts.AsSpan(0, ValueCount), most);
        ArrayPool<int>.Shared.Return(counts);
        return top;
    }

    /// <summary>The same, of counts that <see cref="Count(IdSet, Span{int})"/> has made.</summary>
    /// <param name="counts">By ordinal.</param>
    /// <param name="most">How many values at most.</param>
    /// <exception cref="ArgumentException">There are more counts than values.</exception>
    public FacetCount[] Top(ReadOnlySpan<int> counts, int most)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(most);
        if (counts.Length > ValueCount)
            throw new ArgumentException($"There are {counts.Length} counts, but only {ValueCount} values.", nameof(counts));
        // The least of those kept comes out first. A lower ordinal is worth more.
        PriorityQueue<int, (int Count, int Below)> kept = new();
        for (int ordinal = 0; ordinal < counts.Length; ordinal++)
        {
            if (counts[ordinal] <= 0 || most == 0) continue;
            if (kept.Count < most) kept.Enqueue(ordinal, (counts[ordinal], -ordinal));
            else kept.EnqueueDequeue(ordinal, (counts[ordinal], -ordinal));
        }
        FacetCount[] top = new FacetCount[kept.Count];
        for (int i = top.Length - 1; i >= 0; i--)
        {
            int ordinal = kept.Dequeue();
            top[i] = new(ordinal, counts[ordinal], _names[ordinal]);
        }
        return top;
    }

    /// <summary>
    /// Writes the field as one image, which <see cref="Open(ReadOnlyMemory{byte}, bool)"/> opens where it lies. Its documents have as many
    /// places as the fullest one needs now.
    /// </summary>
    /// <exception cref="InvalidOperationException">The writer gives no room, or its calls change the field.</exception>
    public void Serialize(IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        FacetImage.Write(
            new(destination, () => _version), _names, CollectionsMarshal.AsSpan(_totals), [.. _sets, _documents], _column, _extras);
    }

    /// <summary>The field as one image.</summary>
    public byte[] ToByteArray()
    {
        ArrayBufferWriter<byte> bytes = new();
        Serialize(bytes);
        return bytes.WrittenSpan.ToArray();
    }

    /// <summary>
    /// Opens an image where it lies, for instance in a mapped file. Column and sets are not copied; names are hashed. The field can be
    /// changed: a change goes to memory of the field's own, a chunk of the column or the set of a value at a time, and the image stays as
    /// it is. The memory has to stay unchanged as long as the field is used; the field keeps it alive.
    /// </summary>
    /// <param name="source">The image, without anything after it.</param>
    /// <param name="validate">
    /// Whether all bytes are compared with their checksum. Without it only what is needed to find the parts is checked; damaged parts
    /// then give wrong counts or a <see cref="DamagedDataException"/>, and nothing is read outside. Whether the parts agree is not
    /// checked here, as that looks at each value of each document: of an image that others may have made, call <see cref="Verify"/>.
    /// </param>
    /// <exception cref="DamagedDataException">The bytes are damaged or no image of a field.</exception>
    public static FacetField Open(ReadOnlyMemory<byte> source, bool validate = true)
    {
        FacetImage image = new(source, validate);
        FacetField field = new() { _column = image.Column(), _documents = image.Set(image.Values) };
        for (int ordinal = 0; ordinal < image.Values; ordinal++)
        {
            if (!field.TryName(image.Name(ordinal))) image.ThrowTwice(ordinal);
            field._sets.Add(image.Set(ordinal));
            field._totals.Add(image.Total(ordinal));
        }
        foreach ((uint id, int ordinal) in image.Extras()) field.AddExtra(id, ordinal);
        return field;
    }

    /// <summary>Opens an image in a buffer that a handle keeps, for instance that of a mapped file; the field holds the handle.</summary>
    /// <param name="owner">The buffer.</param>
    /// <param name="offset">The first byte of the image in it. In a mapped view, add the view's <c>PointerOffset</c>.</param>
    /// <param name="length">The bytes of the image.</param>
    /// <param name="validate">Whether all bytes are compared with their checksum.</param>
    /// <exception cref="ArgumentOutOfRangeException">The range leads outside the buffer, or the length is above 2 GiB.</exception>
    /// <exception cref="DamagedDataException">The bytes are damaged or no image of a field.</exception>
    public static unsafe FacetField Open(SafeBuffer owner, long offset, long length, bool validate = true)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, int.MaxValue);
        HandleReference reference = HandleReference.Of(owner, offset, length);
        return Open(new PointerMemory(reference.Start + offset, (int)length, reference).Memory, validate);
    }

    /// <summary>
    /// Compares the values of each document with the sets: what no checksum tells, an image whose parts were not made together. It looks
    /// at each value of each document.
    /// </summary>
    /// <exception cref="DamagedDataException">The column and the sets disagree, or a set is damaged.</exception>
    public void Verify()
    {
        long inSets = 0, inColumn = _column.CountValues() + _extras.Sum(static of => (long)of.Value.Count), inDocuments = 0;
        for (int ordinal = 0; ordinal < ValueCount; ordinal++)
        {
            // An intersection checks the contents of both.
            IdSet set = _sets[ordinal];
            long valid = set.And(_documents).Count;
            if (set.Count != _totals[ordinal] || valid != _totals[ordinal]) throw new DamagedDataException(
                $"The value \"{Name(ordinal)}\" has {set.Count} documents by its set, {valid} of these are in the set of all documents, "
                    + $"and {_totals[ordinal]} were counted. Build the field again.");
            inSets += valid;
        }
        foreach (uint id in _documents)
        {
            int[] ordinals = OrdinalsOf(id);
            for (int layer = 0; layer < Math.Clamp(ordinals.Length, 1, _column.Layers); layer++)
                if (_column[id, layer] < 0)
                    throw new DamagedDataException($"Document {id} has an empty cell in the place of a value. Build the field again.");
            Array.Sort(ordinals);
            for (int i = 0; i < ordinals.Length; i++)
            {
                int ordinal = ordinals[i];
                if (!_sets[ordinal].Contains(id)) ThrowDisagree(id, ordinal);
                if (i == 0 || ordinal != ordinals[i - 1]) inDocuments++;
            }
        }
        // Each value of a document is in the sets. So if the sets have no more, each document of a set has its value. If the column
        // has no more, it has none twice, and none of other documents.
        if (inDocuments != inSets || inDocuments != inColumn) throw new DamagedDataException(
            $"The documents have {inDocuments} values, the sets {inSets}, and the column {inColumn}. Build the field again.");
    }

    private int NewValue(ReadOnlyMemory<byte> name)
    {
        int ordinal = _names.Count;
        TryName(name);
        _sets.Add(new IdSet());
        _totals.Add(0);
        int width = FacetColumn.WidthFor(_names.Count);
        if (width > _column.Width) _column = _column.Grown(width, _column.Layers);
        return ordinal;
    }

    // Gives the next ordinal to a name that is kept where it lies; false when the name has one already.
    private bool TryName(ReadOnlyMemory<byte> name)
    {
        bool isNew = _ordinals.TryAdd(name, _names.Count);
        if (isNew) _names.Add(name);
        return isNew;
    }

    private bool Add(uint id, int ordinal)
    {
        ThrowIfFull(ordinal);
        if (!TryPut(id, ordinal)) return false;
        if (_documents.IsFrozen) _documents = _documents.Clone();
        _documents.Add(id);
        int layer = 0;
        while (layer < _column.Layers && _column[id, layer] >= 0) layer++;
        if (layer == _column.Layers && layer < FacetColumn.MostLayers)
            _column = _column.Grown(_column.Width, FacetColumn.LayersFor(layer + 1));
        if (layer < _column.Layers) _column[id, layer] = ordinal;
        else AddExtra(id, ordinal);
        return true;
    }

    // The value of a document that has one; None or Several.
    private int OnlyOrdinalOf(uint id)
    {
        if ((_column.Layers > 1 && _column[id, 1] >= 0) || (_extras.Count > 0 && _extras.ContainsKey(id))) return Several;
        int only = _column[id, 0];
        if (only >= ValueCount) ThrowDisagree(id, only, _column.OffsetOf(id, 0));
        return only;
    }

    private static byte[] Utf8(string value)
    {
        ArgumentNullException.ThrowIfNull(value);
        return Utf8Text.Bytes(value);
    }

    private void AddExtra(uint id, int ordinal)
    {
        if (!_extras.TryGetValue(id, out List<int>? extras)) _extras.Add(id, extras = []);
        extras.Add(ordinal);
        _withExtras.Add(id);
    }

    private bool Remove(uint id, int ordinal)
    {
        if (!TryTake(id, ordinal)) return false;
        // The last of its values takes the place: so a document's values stay side by side, and the first cell tells whether it has any.
        _extras.TryGetValue(id, out List<int>? extras);
        int last = _column.Layers - 1;
        while (last > 0 && _column[id, last] < 0) last--;
        int moved = extras is null ? _column[id, last] : extras[^1];
        int layer = 0;
        while (layer <= last && _column[id, layer] != ordinal) layer++;
        if (layer <= last) _column[id, layer] = moved;
        else if (extras?.IndexOf(ordinal) is >= 0 and int at) extras[at] = moved;
        if (extras is null) _column[id, last] = -1;
        else extras.RemoveAt(extras.Count - 1);
        if (extras is { Count: 0 })
        {
            _extras.Remove(id);
            _withExtras.Remove(id);
        }
        if (_column[id, 0] < 0)
        {
            if (_documents.IsFrozen) _documents = _documents.Clone();
            _documents.Remove(id);
        }
        return true;
    }

    // Puts a document into the set of a value; false when it is there. An opened set is copied before its first change.
    private bool TryPut(uint id, int ordinal)
    {
        IdSet set = _sets[ordinal];
        if (set.IsFrozen && !set.Contains(id)) _sets[ordinal] = set = set.Clone();
        if (set.IsFrozen || !set.Add(id)) return false;
        _version++;
        _totals[ordinal]++;
        return true;
    }

    // Takes it out; false when it is not there.
    private bool TryTake(uint id, int ordinal)
    {
        IdSet set = _sets[ordinal];
        if (set.IsFrozen && set.Contains(id)) _sets[ordinal] = set = set.Clone();
        if (set.IsFrozen || !set.Remove(id)) return false;
        _version++;
        _totals[ordinal]--;
        return true;
    }

    // A query of most documents: all counts, less those of the documents that it lacks.
    private bool TryCountMissing(IdSet query, Span<int> counts)
    {
        long lacks = _documents.Count - _documents.CountIntersection(query);
        if (lacks > _documents.Count / 2) return false;
        if (lacks > 0) AddHits(_documents.AndNot(query), counts);
        for (int i = 0; i < counts.Length; i++) counts[i] = _totals[i] - counts[i];
        return true;
    }

    private long CostOfSets()
    {
        // A set with up to MaxArray documents in each container is made of arrays alone, however many documents it has in all.
        long containers = 1 + _documents.Count / FacetColumn.ChunkDocuments, cost = 0;
        foreach (int total in CollectionsMarshal.AsSpan(_totals))
            cost += total <= containers * Container.MaxArray ? total * CostOfSetDocument : containers * CostOfBitmap;
        return cost;
    }

    private void AddHits(IdSet query, Span<int> counts)
    {
        if (query.Count <= FewIds)
        {
            Span<uint> few = stackalloc uint[FewIds];
            _column.Add(few[..query.Decode(few, 0u)], counts);
        }
        else
        {
            uint[] block = ArrayPool<uint>.Shared.Rent(BlockIds);
            IdSetReader reader = query.GetReader();
            for (int count; (count = reader.ReadMany(block.AsSpan(0, BlockIds))) > 0;) _column.Add(block.AsSpan(0, count), counts);
            ArrayPool<uint>.Shared.Return(block);
        }
        if (_extras.Count == 0) return;
        foreach (uint id in query.And(_withExtras)) AddExtras(id, counts);
    }

    // Out of line: the JIT would compile the search of a set into each first count of a process.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AddExtras(ReadOnlySpan<uint> hits, Span<int> counts)
    {
        foreach (uint id in hits)
            if (_withExtras.Contains(id)) AddExtras(id, counts);
    }

    private void AddExtras(uint id, Span<int> counts)
    {
        if (!_extras.TryGetValue(id, out List<int>? extras)) return;
        foreach (int ordinal in extras)
            if ((uint)ordinal < (uint)counts.Length) counts[ordinal]++;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Span<int> Cleared(Span<int> counts)
    {
        if (counts.Length < ValueCount) ThrowRoom(counts.Length);
        counts = counts[..ValueCount];
        Clear(counts);
        return counts;
    }

    // For some hundred counts: Span.Clear takes as long as ten hits (Sets/facet field, 10 hits).
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Clear(Span<int> counts)
    {
        int at = 0, last = counts.Length - Vector256<int>.Count;
        if (last < 0 || !Vector256.IsHardwareAccelerated) counts.Clear();
        else
        {
            ref int first = ref MemoryMarshal.GetReference(counts);
            for (; at < last; at += Vector256<int>.Count) Vector256<int>.Zero.StoreUnsafe(ref first, (nuint)at);
            Vector256<int>.Zero.StoreUnsafe(ref first, (nuint)last);
        }
    }

    [DoesNotReturn]
    private static void ThrowDisagree(uint id, int ordinal, long offset = -1) => throw new DamagedDataException(
        $"The column says that document {id} has the value {ordinal}, and the sets do not. Build the field again.", offset);

    private void ThrowIfFull(int ordinal)
    {
        if (_totals[ordinal] == int.MaxValue) throw new InvalidOperationException(
            $"{int.MaxValue} documents have the value \"{Name(ordinal)}\" already; no count can be higher.");
    }

    [DoesNotReturn]
    private void ThrowRoom(int room) => throw new ArgumentException(
        $"The field has {ValueCount} values, but the span takes {room} counts. Give one of ValueCount.", "counts");
}
