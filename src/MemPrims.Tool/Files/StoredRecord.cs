namespace MemPrims.Tool.Files;

// Whatever record a file holds, for the readers that take a record type: its layout is read off the file. The type has one layout, so a
// process of the command opens one file.
internal readonly struct StoredRecord : IMappedRecord<StoredRecord>
{
    public static RecordLayout Layout
    {
        get => field ?? throw new InvalidOperationException("No file was looked at.");
        set;
    }

    // Records are read only.
    public static StoredRecord Over(RecordSlot slot) => default;

    public readonly ref struct View : IRecordView<View>
    {
        private readonly RecordBytes _bytes;

        private View(RecordBytes bytes) => _bytes = bytes;

        public ReadOnlySpan<byte> Raw => _bytes.Raw;

        public static View Over(RecordBytes bytes) => new(bytes);
    }
}
