using System.Security.Cryptography;
using MemPrims.Records.Format;
using MemPrims.Records.Storage;

namespace MemPrims.Records.Maintenance;

/// <summary>Writes the two metas of a file without records: transaction 1 into slot 1, 2 into slot 0.</summary>
internal static class EmptyFile
{
    public static void Write(IStorage storage, RecordLayout layout, uint slotBytes)
    {
        MetaHeader header = new()
        {
            Magic = MetaHeader.RightMagic,
            Format = MetaHeader.RightFormat,
            SlotBytes = slotBytes,
            RecordId = layout.Id,
            RecordVersion = (ushort)layout.Version,
            ReadableFrom = (ushort)layout.ReadableFrom,
            RecordBytes = (ushort)layout.RecordBytes,
            FixedBytes = (ushort)layout.FixedBytes,
            PageBytes = PageHeader.PageBytes,
            LayoutHash = layout.Newest.Hash,
            ReadableHash = layout.Versions[layout.ReadableFrom - 1].Hash,
            FileId = BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(sizeof(ulong))),
        };
        byte[] slots = new byte[2 * slotBytes];
        foreach (ulong transaction in (ReadOnlySpan<ulong>)[1, 2])
        {
            header.Transaction = transaction;
            new Meta(header, [], default).WriteTo(slots.AsSpan((int)((transaction & 1) * slotBytes), (int)slotBytes));
        }
        storage.Write(0, slots);
        storage.Sync();
    }
}
