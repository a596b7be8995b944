using System.Runtime.CompilerServices;

namespace MemPrims.Wire;

// What tools ask.
public sealed partial class Message
{
    /// <summary>The fields that are set, in the order of their numbers.</summary>
    public IEnumerable<MessageField> SetFields
    {
        get
        {
            for (int index = NextSet(0); index >= 0; index = NextSet(index + 1)) yield return _type.Fields[index];
        }
    }

    /// <summary>The fields that the schema does not know, encoded, in the order in which they came.</summary>
    public ReadOnlySpan<byte> UnknownFields => Unknown is { } unknown ? unknown.Span : default;

    /// <summary>Drops the fields that the schema does not know, here and in all sub-messages.</summary>
    public void DiscardUnknownFields()
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        if (Unknown is { } unknown) unknown.Length = 0;
        foreach (MessageField field in SetFields)
        {
            if (!field.IsMessage) continue;
            if (!field.IsRepeated) Inner(ref SlotOf(field.Index), field.MessageType!).DiscardUnknownFields();
            else
            {
                foreach (ref Slot slot in Slots(field)!.Span) Inner(ref slot, field.MessageType!).DiscardUnknownFields();
            }
        }
    }

    /// <summary>Which field of a oneof is set; null if none is.</summary>
    /// <exception cref="ArgumentException">There is no such oneof.</exception>
    public MessageField? WhichOf(string oneof)
    {
        foreach (Oneof candidate in _type.Oneofs)
            if (candidate.Name == oneof) return WhichOf(candidate);
        string names = string.Join(", ", _type.Oneofs.Select(o => o.Name));
        throw new ArgumentException($"{_type.FullName} has no oneof '{PathText.Shown(oneof)}'. It has: {names}.", nameof(oneof));
    }

    /// <summary>Which field of a oneof is set; null if none is.</summary>
    public MessageField? WhichOf(Oneof oneof)
    {
        ArgumentNullException.ThrowIfNull(oneof);
        if (oneof.Type != _type)
            throw new ArgumentException($"{oneof} is a oneof of another message; this is a {_type.FullName}"
                + $"{MessageErrors.OfAnother(oneof.Type.FullName == _type.FullName)}.", nameof(oneof));
        foreach (MessageField field in oneof.Members)
            if (IsSet(field.Index)) return field;
        return null;
    }

    /// <summary>
    /// The path of the first required field that is missing, here or in a sub-message; null if none is missing. Writing does not check
    /// this; decoding and ParseJson do, unless AllowPartial is set.
    /// </summary>
    public string? FindMissingRequired() => _type.MayMissRequired ? RequiredCheck.Missing(this) : null;
}
