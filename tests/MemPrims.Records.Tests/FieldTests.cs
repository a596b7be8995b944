using System.Text;

namespace MemPrims.Records.Tests;

// Every kind of field through its setter, its getter, its view, and the format page.
public class FieldTests
{
    private static readonly Guid s_guid = new("00112233-4455-6677-8899-aabbccddeeff");
    private static readonly DateTime s_date = new(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc);

    [Fact]
    public void Every_kind_of_field_is_read_back_in_the_transaction_and_in_the_view()
    {
        using TempFolder folder = new();
        using var file = MappedFile<Everything>.Create(folder.File("all"));
        using (var tx = file.BeginWrite())
        {
            tx.Append();
            Everything e = tx.Append();
            Fill(e);
            Assert.Equal(-5, e.I8);
            Assert.Equal(Phase.Done, e.Phase);
            Assert.True(e.Flag);
            Assert.Equal(s_date, e.Changed);
            Assert.Equal("grüß", Encoding.UTF8.GetString(e.Name));
            Assert.Equal([1, -2, 3], e.Counts.ToArray());
            tx.Commit();
        }
        file.Verify();
        Assert.True(file.Read(1, static e =>
        {
            Assert.Equal(-5, e.I8);
            Assert.Equal(250, e.U8);
            Assert.Equal(short.MinValue, e.I16);
            Assert.Equal(ushort.MaxValue, e.U16);
            Assert.Equal(int.MinValue, e.I32);
            Assert.Equal(uint.MaxValue, e.U32);
            Assert.Equal(long.MinValue, e.I64);
            Assert.Equal(ulong.MaxValue, e.U64);
            Assert.Equal(1.5f, e.F32);
            Assert.Equal(double.Epsilon, e.F64);
            Assert.True(e.Flag);
            Assert.Equal(Phase.Done, e.Phase);
            Assert.Equal(s_guid, e.Guid);
            Assert.Equal((s_date, DateTimeKind.Utc), (e.Changed, e.Changed.Kind));
            Assert.Equal(Int128.MinValue, e.I128);
            Assert.Equal("grüß", Encoding.UTF8.GetString(e.Name));
            Assert.Equal([1, -2, 3], e.Counts.ToArray());
            Assert.Equal([true, false, true, true, false], e.Flags.ToArray());
            Assert.Equal([9, 8, 7], e.Blob.ToArray());
            Assert.Equal([s_date, default], e.Dates.ToArray());
            Assert.Equal([Phase.Running, Phase.New], e.Phases.ToArray());
            Assert.Equal("note", Encoding.UTF8.GetString(e.Note));
            Assert.Equal(UInt128.MaxValue, e.U128);
            return true;
        }));
        Assert.True(file.Read(0, static e => e is { I64: 0, Flag: false, F64: 0 } && e.Name.IsEmpty && e.Changed == default
            && e.Guid == default && e.Counts.SequenceEqual([0, 0, 0])));
    }

    [Fact]
    public void The_bytes_are_those_of_the_format_page()
    {
        using TempFolder folder = TempFolder.With("all", out string path);
        using (var file = MappedFile<Everything>.Create(path))
        {
            using var tx = file.BeginWrite();
            for (int i = 0; i < 40; i++) Fill(tx.Append());
            Everything seventeenth = tx[17];
            seventeenth.Name = "seventeen"u8;
            tx.Commit();
        }
        IndependentReader reader = new(File.ReadAllBytes(path));
        Assert.Equal(40, reader.Records);
        Assert.Equal(Everything.Layout.RecordBytes, reader.RecordBytes);
        ReadOnlySpan<byte> record = reader.Record(3);
        // 0 i8, 1 u8, 2 i16, 4 u16, 8 i32, 12 u32, 16 i64, 24 u64, 32 f32, 40 f64, 48 bool, 50 enum, 56 guid, 72 date, 80 i128, 96 name,
        // 100 counts
        Assert.Equal(unchecked((byte)-5), record[0]);
        Assert.Equal(long.MinValue, BitConverter.ToInt64(record[16..]));
        Assert.Equal(double.Epsilon, BitConverter.ToDouble(record[40..]));
        Assert.Equal((short)-1, BitConverter.ToInt16(record[50..]));
        Assert.Equal(s_guid.ToByteArray(), record.Slice(56, 16).ToArray());
        Assert.Equal((ulong)s_date.Ticks | 1UL << 62, BitConverter.ToUInt64(record[72..]));
        Assert.Equal(-2, BitConverter.ToInt32(record[104..]));
        Assert.Equal("grüß", Encoding.UTF8.GetString(reader.Variable(3, 96)));
        Assert.Equal("seventeen", Encoding.UTF8.GetString(reader.Variable(17, 96)));
    }

    [Fact]
    public void Setting_one_text_keeps_the_others_and_leaves_no_rest_of_the_longer_one()
    {
        using TempFolder folder = TempFolder.With("all", out string path);
        using var file = MappedFile<Everything>.Create(path, new() { Durability = Durability.ProcessCrash });
        Random random = Seeds.Random();
        byte[] name = [], blob = [], note = [];
        for (int round = 0; round <= 2000; round++)
        {
            using var tx = file.BeginWrite();
            Everything e = round == 0 ? tx.Append() : tx[0];
            switch (random.Next(4))
            {
                case 0: e.Name = name = Text(random, 20); break;
                case 1: e.Blob = blob = Text(random, 9); break;
                case 2: e.Note = note = Text(random, 12); break;
                // A value from within the very tail that is rebuilt.
                case 3: e.Note = e.Blob; note = blob; break;
            }
            Assert.True(e.Name.SequenceEqual(name) && e.Blob.SequenceEqual(blob) && e.Note.SequenceEqual(note));
            tx.Commit();
            if (round % 50 != 0) continue;
            // In the file: the fields in their order without gaps, and zeros behind them.
            IndependentReader reader = new(File.ReadAllBytes(path));
            byte[] tail = [.. name, .. blob, .. note], found = reader.Record(0)[reader.FixedBytes..].ToArray();
            Assert.Equal(tail, found[..tail.Length]);
            Assert.Equal(-1, found.AsSpan(tail.Length).IndexOfAnyExcept((byte)0));
        }
    }

    [Fact]
    public void What_a_field_cannot_hold_is_refused_and_nothing_changes()
    {
        using TempFolder folder = new();
        using var file = MappedFile<Everything>.Create(folder.File("all"));
        using var tx = file.BeginWrite();
        Everything e = tx.Append();
        e.Name = "fits"u8;
        ArgumentException tooLong = Assert.Throws<ArgumentException>(() => { Everything r = tx[0]; r.Name = new byte[21]; });
        Assert.Contains("21", tooLong.Message);
        Assert.Throws<ArgumentException>(() => { Everything r = tx[0]; r.Name = [0xC3]; });
        e.Blob = [0xC3];
        Assert.Equal("fits"u8, e.Name);
        Assert.Throws<OverflowException>(() =>
            tx.Increment(0, Everything.Fields.U8, (byte)200) + tx.Increment(0, Everything.Fields.U8, (byte)200));
        Assert.Equal(200, tx[0].U8);
    }

    private static void Fill(Everything e)
    {
        e.I8 = -5;
        e.U8 = 250;
        e.I16 = short.MinValue;
        e.U16 = ushort.MaxValue;
        e.I32 = int.MinValue;
        e.U32 = uint.MaxValue;
        e.I64 = long.MinValue;
        e.U64 = ulong.MaxValue;
        e.F32 = 1.5f;
        e.F64 = double.Epsilon;
        e.Flag = true;
        e.Phase = Phase.Done;
        e.Guid = s_guid;
        e.Changed = s_date;
        e.I128 = Int128.MinValue;
        e.Name = "grüß"u8;
        ((ReadOnlySpan<int>)[1, -2, 3]).CopyTo(e.Counts);
        ((ReadOnlySpan<bool>)[true, false, true, true, false]).CopyTo(e.Flags);
        e.Blob = [9, 8, 7];
        e.Dates[0] = s_date;
        e.Phases[0] = Phase.Running;
        e.Note = "note"u8;
        e.U128 = UInt128.MaxValue;
    }

    private static byte[] Text(Random random, int max) =>
        [.. Enumerable.Range(0, random.Next(max + 1)).Select(_ => (byte)random.Next('a', 'z'))];
}
