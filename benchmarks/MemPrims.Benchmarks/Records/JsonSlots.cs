using System.Buffers;
using System.IO.MemoryMappedFiles;
using System.Text.Json;

namespace MemPrims.Benchmarks.Records;

/// <summary>JSON documents where the records would be: in slots of fixed size in a mapped file, each with its length.</summary>
internal sealed unsafe class JsonSlots
{
    private const int SlotBytes = 512;

    private readonly byte* _start;
    private readonly ArrayBufferWriter<byte> _buffer = new(SlotBytes);
    private readonly Utf8JsonWriter _writer;

    public JsonSlots(string path, int records)
    {
        MemoryMappedFile file = MemoryMappedFile.CreateFromFile(path, FileMode.Create, null, (long)records * SlotBytes);
        file.CreateViewAccessor().SafeMemoryMappedViewHandle.AcquirePointer(ref _start);
        _writer = new(_buffer);
        for (int id = 0; id < records; id++) Write(id, StatsDocument.Number(id));
    }

    public StatsDocument Read(int id)
    {
        byte* slot = _start + (nint)id * SlotBytes;
        return JsonSerializer.Deserialize(new ReadOnlySpan<byte>(slot + sizeof(int), *(int*)slot), StatsJson.Default.StatsDocument)!;
    }

    public void Write(int id, StatsDocument document)
    {
        ReadOnlySpan<byte> json = Serialize(document);
        byte* slot = _start + (nint)id * SlotBytes;
        *(int*)slot = json.Length;
        json.CopyTo(new(slot + sizeof(int), SlotBytes - sizeof(int)));
    }

    /// <summary>Valid until the next call.</summary>
    public ReadOnlySpan<byte> Serialize(StatsDocument document)
    {
        _buffer.ResetWrittenCount();
        _writer.Reset();
        JsonSerializer.Serialize(_writer, document, StatsJson.Default.StatsDocument);
        return _buffer.WrittenSpan;
    }
}
