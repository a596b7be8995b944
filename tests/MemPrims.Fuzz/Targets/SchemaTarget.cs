using MemPrims.Wire;

namespace MemPrims.Fuzz;

/// <summary>A set of descriptors. What was loaded is used: no schema may make the rest of the library err.</summary>
internal sealed class SchemaTarget : Target
{
    private const int MostTypes = 6;

    private static readonly DecodeOptions s_partial = new() { AllowPartial = true }, s_lazy = s_partial with { Lazy = true };

    public override string Name => "schema";

    public override int HeadBytes => 0;

    public override int Rounds => 4_000;

    public override IEnumerable<byte[]> Seeds()
    {
        yield return Schemas.Everything;
        // Each file of it alone. Some import none, and any message reads the bytes of field 1.
        MessageReader files = new(Schemas.Of(0), Schemas.Everything);
        List<byte[]> single = [];
        while (files.Read()) single.Add([0x0A, .. Length(files.Bytes.Length), .. files.Bytes]);
        foreach (byte[] file in single) yield return file;
    }

    private static byte[] Length(int length)
    {
        byte[] room = new byte[10];
        return room[..Codecs.Varint.Write(room, (ulong)length)];
    }

    public override void Run(ReadOnlySpan<byte> head, GuardedInput input)
    {
        MessageSchema schema;
        try
        {
            schema = MessageSchema.Load(input.Span);
        }
        catch (WireException)
        {
            return;
        }
        foreach (EnumType type in schema.Enums.Take(MostTypes))
            foreach ((string name, int number) in type.Values)
                WrongAnswerException.Unless(type.TryGetNumber(name, out int found) && found == number, $"{type}.{name} is not {number}");
        foreach (MessageType type in schema.Messages.Take(MostTypes))
        {
            WrongAnswerException.Unless(schema.TryGetMessage(type.FullName, out MessageType? found) && found == type,
                $"{type} is another");
            Use(type, input);
        }
    }

    private static void Use(MessageType type, GuardedInput input)
    {
        foreach (MessageField field in type.Fields)
            WrongAnswerException.Unless(type.TryGetField(field.Number, out MessageField? found) && found == field,
                $"{field.FullName} is not found by its number");
        Message empty = type.New();
        WrongAnswerException.Unless(empty.ToByteArray().Length == 0, $"an empty {type} has bytes");
        // The bytes of the set, as a message of a type that they have.
        Message? eager = Schemas.Try(() => Schemas.Visit(type.Decode(input.Span, s_partial)));
        Message? late = Schemas.Try(() => Schemas.Visit(type.Decode(input.Span, s_lazy)));
        if (eager is null) return;
        WrongAnswerException.Unless(eager.Equals(late) && eager.Equals(type.Decode(eager.ToByteArray(), s_partial)),
            $"the ways of decoding a {type} do not agree");
        _ = Schemas.Try(() => type.ParseJson(eager.ToJson(), new() { AllowPartial = true }));
    }
}
