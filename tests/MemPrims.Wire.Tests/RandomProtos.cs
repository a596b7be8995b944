using System.Text;

namespace MemPrims.Wire.Tests;

// Makes a .proto file from a seed: every kind of field, alone, optional, required, repeated, packed and not, in oneofs, maps and groups,
// with small and large numbers, in messages that lie in each other. Protos/Random has the files of the first seeds, from which protoc
// makes the oracle's code.
internal sealed class RandomProtos
{
    private static readonly string[] s_scalars =
    [
        "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "bytes", "uint32", "sfixed32", "sfixed64",
            "sint32", "sint64",
    ];

    // One small generator written out: .NET's own may draw other numbers in another version.
    private ulong _state;
    private readonly bool _isProto3;
    private readonly StringBuilder _text = new();
    private readonly List<string> _enums = [], _messages = [];

    private RandomProtos(int seed)
    {
        _state = (ulong)seed * 0x9E37_79B9_7F4A_7C15 + 1;
        _isProto3 = seed % 2 == 0;
    }

    // How many files there are in Protos/Random.
    public const int Files = 12;

    public static string Name(int seed) => $"random{seed:D2}.proto";

    public static string Make(int seed) => new RandomProtos(seed).File(seed);

    private string File(int seed)
    {
        _text.Append($"// Made by RandomProtos from the seed {seed}.\nsyntax = \"proto{(_isProto3 ? 3 : 2)}\";\n");
        _text.Append($"package memprims.random{seed:D2};\n");
        _text.Append($"option csharp_namespace = \"MemPrims.Wire.Tests.Generated.Random{seed:D2}\";\n");
        for (int i = 1 + Next(3); i > 0; i--) Enum($"E{i}", "");
        int messages = 3 + Next(3);
        for (int i = 0; i < messages; i++) _messages.Add($"M{i}");
        for (int i = 0; i < messages; i++) Message($"M{i}", "", 2);
        return _text.ToString();
    }

    private void Enum(string name, string indent)
    {
        _text.Append($"{indent}enum {name} {{ {name}_A = {(_isProto3 ? 0 : Next(3))};");
        for (int i = 1 + Next(5); i > 0; i--) _text.Append($" {name}_V{i} = {(Next(3) == 0 ? -100 * i : 10 * i + Next(1 << 20) * 100)};");
        _text.Append(" }\n");
        if (indent.Length == 0) _enums.Add(name);
    }

    private void Message(string name, string indent, int depth)
    {
        _text.Append($"{indent}message {name} {{\n");
        string inside = indent + "  ";
        List<string> enums = [.. _enums], messages = [.. _messages];
        if (depth > 0 && Next(3) == 0)
        {
            Message($"{name}Inner", inside, depth - 1);
            messages.AddRange([$"{name}Inner", $"{name}Inner"]);
        }
        if (Next(4) == 0)
        {
            Enum($"{name}Level", inside);
            enums.Add($"{name}Level");
        }
        Fields(inside, enums, messages, depth, Next(5) == 0 ? 33 + Next(20) : 1 + Next(14));
        _text.Append($"{indent}}}\n");
    }

    private void Fields(string indent, List<string> enums, List<string> messages, int depth, int count)
    {
        int number = 0;
        for (int i = 0; i < count; i++)
        {
            number = NextNumber(number);
            switch (Next(12))
            {
                case 0:
                    string value = Next(3) == 0 ? Pick([.. messages]) : _isProto3 ? Type(enums, messages) : Pick(s_scalars);
                    _text.Append($"{indent}map<{Pick(s_scalars[2..9])}, {value}> f{number} = {number};\n");
                    break;
                case 1:
                    _text.Append($"{indent}oneof o{number} {{");
                    for (int members = 1 + Next(4); members > 0; members--)
                    {
                        _text.Append($" {Type(enums, messages)} f{number} = {number};");
                        number = NextNumber(number);
                    }
                    _text.Append(" }\n");
                    break;
                case 2 when !_isProto3 && depth > 0:
                    _text.Append($"{indent}{Pick("optional", "repeated")} group G{number} = {number} {{\n");
                    Fields(indent + "  ", enums, messages, depth - 1, 1 + Next(4));
                    _text.Append($"{indent}}}\n");
                    break;
                default:
                    Field(indent, Type(enums, messages), number, enums);
                    break;
            }
        }
    }

    private void Field(string indent, string type, int number, List<string> enums)
    {
        bool isNumber = (s_scalars.Contains(type) && type is not ("string" or "bytes")) || enums.Contains(type), isMessage = !isNumber
            && type is not ("string" or "bytes");
        string label = Next(3) == 0 ? "repeated " : _isProto3 ? Pick("", "", "optional ") : !isMessage && Next(8) == 0 ? "required "
            : "optional ";
        string options = label == "repeated " && isNumber ? Pick("", " [packed = true]", " [packed = false]") : "";
        if (!_isProto3 && label == "optional " && type is "int32" or "sint64" or "string" && Next(3) == 0)
            options = type == "string" ? " [default = \"d\"]" : $" [default = {Next(1000) - 500}]";
        if (_isProto3 || label != "optional ") options = options.Contains("default") ? "" : options;
        _text.Append($"{indent}{label}{type} f{number} = {number}{options};\n");
    }

    // Mostly the next one; now and then far away, past one and two bytes of a tag, and past the numbers that nobody may use.
    private int NextNumber(int number)
    {
        int next = number + 1 + (Next(6) == 0 ? Next(40) : 0) + (Next(40) == 0 ? Next(100_000) : 0);
        return next is >= 19_000 and <= 19_999 ? 20_000 : next;
    }

    private string Type(List<string> enums, List<string> messages) => Next(6) switch
    {
        0 => Pick([.. messages]),
        1 => Pick([.. enums]),
        _ => Pick(s_scalars),
    };

    private string Pick(params ReadOnlySpan<string> choices) => choices[Next(choices.Length)];

    private int Next(int below)
    {
        _state = _state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407;
        return (int)((_state >> 33) % (ulong)below);
    }
}
