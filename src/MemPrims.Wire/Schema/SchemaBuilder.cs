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
    private readonly List<MessageType> _compiled = [];
    private readonly List<FieldResolver> _scopes = [], _extending = [];

    public MessageSchema Build()
    {
        CheckImports();
        foreach (RawFile file in files) Declare(file);
        foreach (FieldResolver scope in _scopes) scope.ResolveFields();
        foreach (FieldResolver scope in _extending) scope.ResolveExtensions(_extensions);
        foreach (MessageType message in _compiled) message.Compile();
        RequiredFields.Mark(_compiled);
        foreach (MessageType message in _compiled) message.WellKnown = WellKnownTypes.Recognize(message);
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
        // A stack of its own: a chain of imports may be as long as the set.
        List<RawFile> open = [];
        foreach (RawFile root in files)
        {
            if (!root.IsChecked) open.Add(root);
            while (open.Count > 0)
            {
                RawFile at = open[^1];
                at.IsOpen = true;
                if (at.Followed == at.Imports.Count)
                {
                    at.IsChecked = true;
                    open.RemoveAt(open.Count - 1);
                    continue;
                }
                string import = at.Imports[at.Followed++];
                if (!byName.TryGetValue(import, out RawFile? file))
                    Fail(at.Name, "",
                        $"imports {PathText.Shown(import, 200)}, which is not in the set: write it by protoc --include_imports");
                if (file!.IsChecked) continue;
                if (file.IsOpen) Fail(at.Name, "",
                        $"imports {PathText.Shown(import, 200)}, which imports it in turn");
                open.Add(file);
            }
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
        foreach (RawMessage message in file.Messages) Declare(file, message, file.Package, features);
        foreach (RawEnum @enum in file.Enums) Declare(file, @enum, file.Package, features);
        if (file.Extensions.Count > 0) _extending.Add(new(this, file, file.Package, features) { Extensions = file.Extensions });
    }

    private void Declare(RawFile file, RawMessage raw, string outer, Features above)
    {
        Features features = raw.Features.Over(above);
        string name = Join(outer, raw.Name);
        MessageType message = new(raw.Name, name, file.Name, raw.IsMapEntry, raw.IsMessageSet, raw.ExtensionRanges);
        Add(file, raw.Name, name, message);
        _compiled.Add(message);
        if (!raw.IsMapEntry) _messages.Add(message);
        FieldResolver scope = new(this, file, name, features) { Owner = message, Raw = raw, Extensions = raw.Extensions };
        _scopes.Add(scope);
        foreach (RawMessage inner in raw.Messages) Declare(file, inner, name, features);
        foreach (RawEnum inner in raw.Enums) Declare(file, inner, name, features);
        if (raw.Extensions.Count > 0) _extending.Add(scope);
    }

    private void Declare(RawFile file, RawEnum raw, string scope, Features above)
    {
        string name = Join(scope, raw.Name);
        bool isClosed = raw.Features.Over(above).EnumType == Features.Closed;
        if (raw.Names.Count == 0) Fail(file.Name, name, "an enum has at least one value");
        if (!isClosed && raw.Numbers[0] != 0)
            Fail(file.Name, $"{name}.{raw.Names[0]}", "the first value of an open enum is 0");
        EnumType type = new(name, file.Name, isClosed, raw.Names, raw.Numbers);
        for (int i = 0; i < raw.Names.Count; i++)
        {
            string value = raw.Names[i];
            int number = raw.Numbers[i];
            if (!type.TryAddName(value, number)) Fail(file.Name, $"{name}.{value}", "the name is declared twice");
            if (!type.TryAddNumber(number, value) && !raw.AllowsAlias)
                Fail(file.Name, $"{name}.{value}", $"the number {number} is declared twice, without allow_alias");
        }
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
