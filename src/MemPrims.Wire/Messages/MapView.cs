using System.Collections;

namespace MemPrims.Wire;

/// <summary>
/// A map field with typed keys and values. It is a view: what is set here is in the message, and the other way round. Entries stay in the
/// order in which their keys came first. A removal puts the last entry in the place of the removed one.
/// </summary>
public sealed class MapView<TKey, TValue> : IEnumerable<KeyValuePair<TKey, TValue>>
    where TKey : notnull
{
    private readonly Message _message;
    private readonly MessageField _field, _key, _value;

    internal MapView(Message message, MessageField field)
    {
        if (!field.IsMap) throw new ArgumentException($"{field} is no map.");
        (_message, _field, _key, _value) = (message, field, field.MessageType!.Fields[0], field.MessageType.Fields[1]);
        if (!Scalars.Fits<TKey>(_key)) throw MessageErrors.WrongType(_key, typeof(TKey));
        if (!Scalars.Fits<TValue>(_value)) throw MessageErrors.WrongType(_value, typeof(TValue));
    }

    /// <summary>How many keys there are.</summary>
    public int Count => _message.Count(_field);

    /// <summary>The value of a key.</summary>
    /// <exception cref="KeyNotFoundException">On reading: the map has no such key.</exception>
    public TValue this[TKey key]
    {
        get => TryGetValue(key, out TValue? value) ? value : throw new KeyNotFoundException(
            $"{_field} has no key {PathText.Shown(key.ToString() ?? "")}.");
        set
        {
            Message entry = _field.MessageType!.New();
            entry.SetValue(_key, key);
            entry.SetValue(_value, value);
            _message.AddValue(_field, entry);
        }
    }

    /// <summary>The value of a key, if it is there.</summary>
    public bool TryGetValue(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        int position = Find(key);
        value = position < 0 ? default : Entry(position).ValueOf<TValue>(_value);
        return position >= 0;
    }

    /// <summary>Whether a key is there.</summary>
    public bool ContainsKey(TKey key) => Find(key) >= 0;

    /// <summary>Takes a key out.</summary>
    public bool Remove(TKey key)
    {
        int position = Find(key);
        if (position < 0) return false;
        SlotList list = _message.Slots(_field)!;
        MapIndex.RemoveAt(list, position);
        if (list.Count == 0) _message.Unset(_field.Index);
        return true;
    }

    /// <inheritdoc/>
    public IEnumerator<KeyValuePair<TKey, TValue>> GetEnumerator()
    {
        for (int i = 0; i < Count; i++) yield return new(Entry(i).ValueOf<TKey>(_key), Entry(i).ValueOf<TValue>(_value));
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private Message Entry(int position) => (Message)_message.Slots(_field)!.Items[position].Ref!;

    private int Find(TKey key)
    {
        if (_message.Slots(_field) is not { } list) return -1;
        // No key has half of a surrogate pair.
        if (key is string text && !Utf16.IsWhole(text)) return -1;
        Slot made = Element.Make(_key, key);
        return MapIndex.Find(list, !_key.IsText ? new(made.Bits) : made.Ref is string name ? new(name) : new(made.Span(null)));
    }
}
