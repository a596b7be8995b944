namespace MemPrims.Wire;

// Makes a schema of what the files say: orders the files, declares every type under its full name, then resolves the fields, and last
// compiles each message into its table. FieldResolver does the fields.
internal sealed class SchemaBuilder(List<RawFile> files, SchemaLimits limits)
{
    private readonly List<MessageType> _messages = [];
    private readonly List<EnumType> _enums = [];
    private readonly List<MessageField> _extensions = [];
    private readonly List<MessageType> _compiled = [];
    private readonly List<FieldResolver> _scopes = [], _extending = [];
    private readonly Dictionary<string, RawFile> _byName = new(StringComparer.Ordinal);

    // Public imports may lead from each file to all others. No sound set comes near this.
    private const int MostFollowed = 20_000_000;
    private int _followed;
    private RawFile? _seer;

    public MessageSchema Build()
    {
        CheckImports();
        foreach (RawFile file in files) Declare(file);
        foreach (FieldResolver scope in _scopes) scope.ResolveFields();
        foreach (FieldResolver scope in _extending) scope.ResolveExtensions(_extensions);
        foreach (MessageType message in _compiled) message.Compile();
        RequiredFields.Mark(_compiled);
        if (Root.Find(WellKnownTypes.Package) is NameScope package)
        {
            foreach (MessageType message in _compiled)
                if (ReferenceEquals(message.Scope.Outer, package)) message.WellKnown = WellKnownTypes.Recognize(message);
        }
        MessageSchema schema = new(Root, _messages, _enums, _extensions);
        foreach (MessageType message in _compiled) message.Schema = schema;
        return schema;
    }

    // What has no package, and the outermost packages.
    public NameScope Root { get; } = new(null, "");

    public void CheckLength(NameScope scope, string name, RawFile file)
    {
        if (scope.LengthOf(name) > limits.MaxNameLength) throw SchemaLimits.Above($"the full name has {scope.LengthOf(name)} characters",
            limits.MaxNameLength, nameof(limits.MaxNameLength), Place(file.Name, scope.FullNameOf(name)));
    }

    public static WireException Fault(string file, string what, string reason) => new(reason, -1, Place(file, what));

    private static string Place(string file, string what) =>
        PathText.Shown(file, 200) + (what.Length == 0 ? "" : $": {PathText.Shown(what, 400)}");

    private void CheckImports()
    {
        foreach (RawFile file in files)
        {
            if (file.Name.Length == 0) throw Fault("(a file without a name)", "",
                "every file of a descriptor set has a name. Was this written by protoc --descriptor_set_out?");
            if (!_byName.TryAdd(file.Name, file)) throw Fault(file.Name, "", "the file is in the set twice");
        }
        // A stack of its own: a chain of imports may be as long as the set.
        Stack<(RawFile File, int Import)> open = new();
        foreach (RawFile root in files)
        {
            if (!root.IsChecked) open.Push((root, 0));
            while (open.TryPop(out (RawFile File, int Import) at))
            {
                at.File.IsOpen = true;
                if (at.Import == at.File.Imports.Count)
                {
                    at.File.IsChecked = true;
                    continue;
                }
                open.Push((at.File, at.Import + 1));
                string import = at.File.Imports[at.Import];
                if (!_byName.TryGetValue(import, out RawFile? imported))
                    throw Fault(at.File.Name, "",
                        $"imports {PathText.Shown(import, 200)}, which is not in the set: write it by protoc --include_imports");
                if (imported.IsChecked) continue;
                if (imported.IsOpen)
                    throw Fault(at.File.Name, "", $"imports {PathText.Shown(import, 200)}, which imports it in turn");
                open.Push((imported, 0));
            }
        }
    }

    // Whether a file may use what another one declares: its own, what it imports, and what that imports publicly.
    public bool Sees(RawFile file, string declaring)
    {
        if (ReferenceEquals(file.Name, declaring)) return true;
        if (_seer != file) Follow(_seer = file);
        return _byName[declaring].SeenBy == file;
    }

    // The fields of one file are resolved one after the other, so the files that it sees are marked once.
    private void Follow(RawFile file)
    {
        Stack<RawFile> found = new();
        foreach (string import in file.Imports) Find(import);
        while (found.TryPop(out RawFile? at))
            foreach (int index in at.PublicImports ?? [])
            {
                if ((uint)index >= (uint)at.Imports.Count)
                    throw Fault(at.Name, "", $"the public import {index} is none of its {at.Imports.Count} imports");
                if (++_followed > MostFollowed)
                    throw Fault(file.Name, "", $"more than {MostFollowed:N0} public imports are to be followed");
                Find(at.Imports[index]);
            }

        void Find(string import)
        {
            RawFile imported = _byName[import];
            if (imported.SeenBy == file) return;
            imported.SeenBy = file;
            found.Push(imported);
        }
    }

    private void Declare(RawFile file)
    {
        Features features = file.Syntax switch
        {
            "" or "proto2" => Features.Proto2,
            "proto3" => Features.Proto3,
            "editions" when file.Edition is Features.Edition2023 or Features.Edition2024 => file.Features.Over(Features.Edition),
            "editions" => throw new WireException($"the edition {file.Edition} is not known; 2023 ({Features.Edition2023}) and 2024 "
                + $"({Features.Edition2024}) are", -1, file.Name),
            _ => throw new WireException(
                $"the syntax {PathText.Shown(file.Syntax)} is not known; proto2, proto3 and editions are", -1, file.Name),
        };
        NameScope package = Open(file);
        foreach (RawMessage message in file.Messages) Declare(file, message, package, features);
        foreach (RawEnum @enum in file.Enums) Declare(file, @enum, package, features);
        if (file.Extensions.Count > 0) _extending.Add(new(this, file, package, features) { Extensions = file.Extensions });
    }

    private NameScope Open(RawFile file)
    {
        NameScope package = Root;
        if (file.Package.Length == 0) return package;
        string[] parts = file.Package.Split('.');
        if (parts.Length > limits.MaxNesting) throw SchemaLimits.Above($"the package has {parts.Length} parts",
            limits.MaxNesting, nameof(limits.MaxNesting), Place(file.Name, file.Package));
        foreach (string part in parts)
        {
            if (!IsIdentifier(part)) throw Fault(file.Name, file.Package, "this is no name of a package");
            package = package.Package(part)
                ?? throw Fault(file.Name, file.Package, "a part of the package is the name of a message or enum");
        }
        return package;
    }

    private void Declare(RawFile file, RawMessage raw, NameScope outer, Features above)
    {
        Features features = raw.Features.Over(above);
        NameScope inside = new(outer, raw.Name);
        MessageType message = new(inside, raw.Name, file.Name, raw.IsMapEntry, raw.IsMessageSet);
        Add(file, outer, raw.Name, message);
        message.SetExtensionRanges(raw.ExtensionRanges);
        _compiled.Add(message);
        if (!raw.IsMapEntry) _messages.Add(message);
        FieldResolver scope = new(this, file, inside, features) { Owner = message, Raw = raw, Extensions = raw.Extensions };
        _scopes.Add(scope);
        foreach (RawMessage inner in raw.Messages) Declare(file, inner, inside, features);
        foreach (RawEnum inner in raw.Enums) Declare(file, inner, inside, features);
        if (raw.Extensions.Count > 0) _extending.Add(scope);
    }

    private void Declare(RawFile file, RawEnum raw, NameScope scope, Features above)
    {
        bool isClosed = raw.Features.Over(above).EnumType == Features.Closed;
        if (raw.Names.Count == 0) throw Fault(file.Name, scope.FullNameOf(raw.Name), "an enum has at least one value");
        if (!isClosed && raw.Numbers[0] != 0) throw FaultOf(0, "the first value of an open enum is 0");
        EnumType type = new(scope, raw.Name, file.Name, isClosed, raw.Names, raw.Numbers);
        for (int i = 0; i < raw.Names.Count; i++)
            if (!type.TryAddName(raw.Names[i], raw.Numbers[i])) throw FaultOf(i, "the name is declared twice");
        if (type.FirstAlias < raw.Names.Count && !raw.AllowsAlias)
            throw FaultOf(type.FirstAlias, $"the number {raw.Numbers[type.FirstAlias]} is declared twice, without allow_alias");
        Add(file, scope, raw.Name, type);
        _enums.Add(type);

        WireException FaultOf(int value, string reason) => Fault(file.Name, $"{scope.FullNameOf(raw.Name)}.{raw.Names[value]}", reason);
    }

    private void Add(RawFile file, NameScope scope, string name, object type)
    {
        if (!IsIdentifier(name)) throw Fault(file.Name, scope.FullNameOf(name), $"'{PathText.Shown(name)}' is no name of a type");
        CheckLength(scope, name, file);
        if (!scope.TryAdd(name, type)) throw Fault(file.Name, scope.FullNameOf(name), "the name is declared twice");
    }

    public static bool IsIdentifier(string name)
    {
        if (name.Length == 0 || char.IsAsciiDigit(name[0])) return false;
        foreach (char c in name)
            if (!char.IsAsciiLetterOrDigit(c) && c != '_') return false;
        return true;
    }
}
