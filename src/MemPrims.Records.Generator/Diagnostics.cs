namespace MemPrims.Records.Generator;

// Every message that the generator can give. Each says what is wrong and what to write instead.
internal static class Diagnostics
{
    public static readonly DiagnosticDescriptor NotRefStruct = Error("MPR001", "The record is not a readonly ref partial struct",
        "Declare '{0}' as 'readonly ref partial struct': a record is a view over bytes, which it must not outlive, and the generator "
            + "writes its properties");

    public static readonly DiagnosticDescriptor NotPartial = Error("MPR002", "A field is not a partial property",
        "Declare the field '{0}' as a 'partial' property without bodies");

    public static readonly DiagnosticDescriptor UnsupportedType = Error("MPR003", "A field's type has no fixed layout",
        "The field '{0}' cannot be of type '{1}': [Field] takes integers, Half, float, double, decimal, bool, enums, Guid, DateTime, "
            + "DateTimeOffset, DateOnly, TimeOnly, TimeSpan, Int128, UInt128, structs of numbers, and nullables of all these; with Length "
            + "it takes a Span of them, but not of nullables, decimal, DateTimeOffset, DateOnly or TimeOnly; [Utf8] takes string or "
            + "ReadOnlySpan<byte>, [Bytes] takes ReadOnlySpan<byte>");

    public static readonly DiagnosticDescriptor DuplicateId = Error("MPR004", "Two fields have the same id",
        "The fields '{0}' and '{1}' both have the id {2}: give every field a number of its own");

    public static readonly DiagnosticDescriptor GappedIds = Error("MPR005", "Field ids have a gap",
        "The field '{0}' has the id {1} where {2} is the next: ids are 0, 1, 2 …, and a released field is never taken away");

    public static readonly DiagnosticDescriptor NoMaximum = Error("MPR006", "A text or block has no maximum",
        "The field '{0}' needs a Max between 1 and 4064 bytes: every record has room for it");

    public static readonly DiagnosticDescriptor TooLarge = Error("MPR007", "The record is larger than a page",
        "A record of '{0}' takes {1} bytes in version {2}, and a page has room for 4064: lower a Max or a Length");

    public static readonly DiagnosticDescriptor SinceOutOfOrder = Error("MPR008", "Since is out of order",
        "The field '{0}' has Since = {1}, which must be from {2} to {3}: fields are appended, each with the version that brought it");

    public static readonly DiagnosticDescriptor LayoutChanged = Error("MPR009", "The layout differs from the checked-in one",
        "Version {1} of '{0}' was released as '{2}' and would now be '{3}': files of that version could not be read. Undo the change, "
            + "and append fields in a new version");

    public static readonly DiagnosticDescriptor LayoutNotLocked = new("MPR010", "The layout is not checked in yet",
        "When '{0}' is released, add this line to a .recordlayout file among the AdditionalFiles: {1}", Category, DiagnosticSeverity.Info,
            isEnabledByDefault: true);

    public static readonly DiagnosticDescriptor WrongPlace = Error("MPR011", "The record is nested where no code can be added",
        "'{0}' is within '{1}', which must be partial, not generic, and at least internal");

    public static readonly DiagnosticDescriptor WrongAccessors = Error("MPR012", "A field has the wrong accessors",
        "The field '{0}' must be declared with '{1}'");

    public static readonly DiagnosticDescriptor WrongAttribute = Error("MPR013", "The record's attribute makes no sense",
        "'{0}': {1}");

    public static readonly DiagnosticDescriptor ReservedName = Error("MPR014",
        "A record or a member of it has the name of a generated member",
        "'{0}' must have another name: the generator gives every record a '{0}' of its own");

    public static readonly DiagnosticDescriptor Generic = Error("MPR015", "A record is generic",
        "'{0}' cannot be generic: its layout is computed at compile time. Write one record for each type argument");

    public static readonly DiagnosticDescriptor SameId = Error("MPR016", "Two records have the same id and version",
        "'{0}' and '{1}' both have the id 0x{2} and version {3}, so that a file of one may be opened as the other: give each an id of "
            + "its own");

    public static readonly DiagnosticDescriptor DamagedLayoutFile = Error("MPR017", "A .recordlayout file is damaged",
        "The line '{0}' of a .recordlayout file is no layout: restore the file. A layout looks like '0x00001D57 v1 = 0:i64@0', and a "
            + "comment begins with #");

    public static readonly DiagnosticDescriptor UnsettledStruct = Error("MPR018", "A struct cannot be a field",
        "The field '{0}' cannot be of the struct '{1}': {2}");

    public static readonly DiagnosticDescriptor TakenName = Error("MPR019", "The name of a generated class is taken",
        "For '{0}' the generator writes a class '{1}', and something else in the namespace has that name: rename one of them");

    private const string Category = "MemPrims.Records";

    private static DiagnosticDescriptor Error(string id, string title, string message) =>
        new(id, title, message, Category, DiagnosticSeverity.Error, isEnabledByDefault: true);
}
