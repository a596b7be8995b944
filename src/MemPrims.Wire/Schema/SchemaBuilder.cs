using System.Diagnostics.CodeAnalysis;

namespace MemPrims.Wire;

// Makes a schema of what the files say: orders the files, declares every type under its full name, then resolves the fields, and last
// compiles each message into its table. FieldResolver does the fields.
internal sealed class SchemaBuilder(List<RawFile> files)
{
    private readonly Dictionary<string, object> _types = new(StringComparer.Ordinal);
    private readonly List<MessageType> _messages = [];
    private readonly List<EnumType> _enums = [];
    private readonly List<MessageField> _extensions = [];
    private readonly List<Action> _fields = [];
    private readonly List<(FieldResolver Scope, RawField Raw)> _rawExtensions = [];

    public MessageSchema Build()
    {
        CheckImports();
        foreach (RawFile file in files) Declare(file);
        foreach (Action resolve in _fields) resolve();
        foreach ((FieldResolver scope, RawField raw) in _rawExtensions) _extensions.Add(scope.Extension(raw));
        MessageType[] compiled = [.. _types.Values.OfType<MessageType>()];
        foreach (MessageType message in compiled) message.Compile();
        RequiredFields.Mark(compiled);
        foreach (MessageType message in compiled) message.WellKnown = WellKnownTypes.Recognize(message);
        return new(_types, _messages, _enums, _extensions);
    }

    public object? Find(string name) => _types.GetValueOrDefault(name);

    [DoesNotReturn]
    public static void Fail(string file, string what, string reason) =>
        throw new WireException(reason, -1,
            what.Length == 0 ? PathText.Shown(file, 200) : $"{PathText.Shown(file, 200)}: {PathText.Shown(what, 400)}");

    private void CheckImports()
    {
        Dictionary<string, RawFile> byName = new(StringComparer.Ordinal);
        foreach (RawFile file in files)
        {
            if (file.Name.Length == 0) Fail("(a file without a name)", "",
                "every file of a descriptor set has a name. Was this written by protoc --descriptor_set_out?");
            if (!byName.TryAdd(file.Name, file)) Fail(file.Name, "", "the file is in the set twice");
        }
        // 0 not seen, 1 open, 2 done. A stack of its own: a chain of imports may be as long as the set.
        Dictionary<string, int> state = new(StringComparer.Ordinal);
        Stack<(RawFile File, int Next)> open = new();
        foreach (RawFile root in files)
        {
            if (state.GetValueOrDefault(root.Name) == 0) Open(root);
            while (open.TryPop(out (RawFile File, int Next) at))
            {
                if (at.Next == at.File.Imports.Count)
                {
                    state[at.File.Name] = 2;
                    continue;
                }
                string import = at.File.Imports[at.Next];
                open.Push((at.File, at.Next + 1));
                if (!byName.TryGetValue(import, out RawFile? file))
                    Fail(at.File.Name, "",
                        $"imports {PathText.Shown(import, 200)}, which is not in the set: write it by protoc --include_imports");
                int seen = state.GetValueOrDefault(import);
                if (seen == 1) Fail(at.File.Name, "",
                        $"imports {PathText.Shown(import, 200)}, which imports it in turn");
                if (seen == 0) Open(file!);
            }
        }

        void Open(RawFile file)
        {
            state[file.Name] = 1;
            open.Push((file, 0));
        }
    }

    private void Declare(RawFile file)
    {
        Features features = file.Syntax switch
        {
            "" or "proto2" => Features.Proto2,
            "proto3" => Features.Proto3,
            "editions" => file.Features.Over(Features.Edition),
            _ => throw new WireException(
                $"the syntax {PathText.Shown(file.Syntax)} is not known; proto2, proto3 and editions are", -1, file.Name),
        };
        FieldResolver top = new(this, file, file.Package, null, features);
        foreach (RawMessage message in file.Messages) Declare(file, message, file.Package, features);
        foreach (RawEnum @enum in file.Enums) Declare(file, @enum, file.Package, features);
        foreach (RawField extension in file.Extensions) _rawExtensions.Add((top, extension));
    }

    private void Declare(RawFile file, RawMessage raw, string scope, Features above)
    {
        Features features = raw.Features.Over(above);
        string name = Join(scope, raw.Name);
        MessageType message = new(raw.Name, name, file.Name, raw.IsMapEntry, raw.IsMessageSet, raw.ExtensionRanges);
        Add(file, raw.Name, name, message);
        if (!raw.IsMapEntry) _messages.Add(message);
        FieldResolver resolver = new(this, file, name, message, features);
        _fields.Add(() => resolver.Fields(raw));
        foreach (RawMessage inner in raw.Messages) Declare(file, inner, name, features);
        foreach (RawEnum inner in raw.Enums) Declare(file, inner, name, features);
        foreach (RawField extension in raw.Extensions) _rawExtensions.Add((resolver, extension));
    }

    private void Declare(RawFile file, RawEnum raw, string scope, Features above)
    {
        string name = Join(scope, raw.Name);
        bool isClosed = raw.Features.Over(above).EnumType == Features.Closed;
        if (raw.Values.Count == 0) Fail(file.Name, name, "an enum has at least one value");
        if (!isClosed && raw.Values[0].Number != 0)
            Fail(file.Name, $"{name}.{raw.Values[0].Name}", "the first value of an open enum is 0");
        HashSet<string> names = new(StringComparer.Ordinal);
        HashSet<int> numbers = [];
        foreach ((string value, int number) in raw.Values)
        {
            if (!names.Add(value)) Fail(file.Name, $"{name}.{value}", "the name is declared twice");
            if (!numbers.Add(number) && !raw.AllowsAlias)
                Fail(file.Name, $"{name}.{value}", $"the number {number} is declared twice, without allow_alias");
        }
        EnumType type = new(name, file.Name, isClosed, raw.Values);
        Add(file, raw.Name, name, type);
        _enums.Add(type);
    }

    private void Add(RawFile file, string simple, string name, object type)
    {
        if (!IsIdentifier(simple)) Fail(file.Name, name, $"'{PathText.Shown(simple)}' is no name of a type");
        if (!_types.TryAdd(name, type)) Fail(file.Name, name, "the name is declared twice");
    }

    public static bool IsIdentifier(string name)
    {
        if (name.Length == 0 || char.IsAsciiDigit(name[0])) return false;
        foreach (char c in name)
            if (!char.IsAsciiLetterOrDigit(c) && c != '_') return false;
        return true;
    }

    public static string Join(string scope, string name) => scope.Length == 0 ? name : $"{scope}.{name}";
}
