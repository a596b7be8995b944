using System.Buffers;
using MemPrims.Sets;

namespace MemPrims.Tests.Sets;

// An IBufferWriter of a caller may return a span that is shorter than the size hint, or change the set while the set is written. The
// exception says which.
public sealed class HostileWriterTests
{
    [Theory]
    [InlineData(0), InlineData(1), InlineData(7)]
    public void A_writer_that_gives_less_than_it_was_asked_for_is_named(int most)
    {
        foreach (Action<IBufferWriter<byte>> write in (Action<IBufferWriter<byte>>[])[
            IdSet.From([1, 2]).Serialize, IdSet.OpenFrozen(IdSet.From([1, 2]).ToByteArray()).Serialize,
            new IdSet64().Serialize, IdSet64.From([1, 1ul << 40]).Serialize])
            Refused(write, most);
        // The parts of a field may lie in pieces of any size.
        FacetField field = Field();
        if (most == 0) Refused(field.Serialize, most);
        else
        {
            Writer writer = new() { Most = most };
            field.Serialize(writer);
            Assert.Equal(field.ToByteArray(), writer.Written);
        }

        static void Refused(Action<IBufferWriter<byte>> write, int most)
        {
            InvalidOperationException told = Assert.Throws<InvalidOperationException>(() => write(new Writer { Most = most }));
            Assert.Contains(nameof(HostileWriterTests), told.Message);
            Assert.Contains($"gave {most} bytes", told.Message);
        }
    }

    [Fact]
    public void A_set_that_its_writer_changes_is_told_at_every_call()
    {
        foreach (Action<IdSet> change in (Action<IdSet>[])[set => set.Add(7), set => set.Remove(1), set => set.Clear(),
            set => set.AddInterval(0, 100_000), set => set.Optimize()])
            Told(() => IdSet.From([1, 2, 70_000]), set => set.Serialize, change);
        foreach (Action<IdSet64> change in (Action<IdSet64>[])[set => set.Add(7), set => set.Remove(1ul << 40), set => set.Clear(),
            set => set.AddInterval(0, 100_000), set => set.RemoveInterval(0, ulong.MaxValue), set => set.Optimize()])
            Told(() => IdSet64.From([1, 2, 1ul << 33, 1ul << 40]), set => set.Serialize, change);
    }

    [Fact]
    public void A_field_that_its_writer_changes_is_told_at_every_call()
    {
        foreach (Action<FacetField> change in (Action<FacetField>[])[field => field.Add(3, "new"), field => field.Add(3, "b"),
            field => field.Remove(1, "a"), field => field.Remove(1), field => field.Set(2, "a"), field => field.Set(200_000, "c")])
            Told(Field, field => field.Serialize, change);
    }

    [Fact]
    public void A_writer_may_read_what_it_is_given_and_its_errors_pass()
    {
        FacetField field = Field();
        IdSet64 set = IdSet64.From([1, 1ul << 40]);
        Writer reads = new() { Called = _ => field.ToByteArray() }, wide = new() { Called = _ => set.ToByteArray() };
        field.Serialize(reads);
        set.Serialize(wide);
        Assert.Equal(field.ToByteArray(), reads.Written);
        Assert.Equal(set.ToByteArray(), wide.Written);
        for (int call = 0; call < 6; call++)
        {
            int at = call;
            Writer throws = new() { Called = calls => { if (calls == at) throw new TimeoutException(); } };
            Assert.Throws<TimeoutException>(() => set.Serialize(throws));
            Assert.Throws<TimeoutException>(() => field.Serialize(throws with { Calls = 0 }));
        }
        field.Verify();
        Assert.Equal([1ul, 1ul << 40], set.ToArray());
    }

    private static FacetField Field()
    {
        FacetField field = new();
        field.Add(1, "a");
        field.Add(2, "b");
        field.Add(100_000, "a");
        return field;
    }

    private static void Told<T>(Func<T> make, Func<T, Action<IBufferWriter<byte>>> serialize, Action<T> change)
    {
        Writer whole = new();
        serialize(make())(whole);
        Assert.True(whole.Calls >= 2);
        for (int call = 0; call < whole.Calls; call++)
        {
            T one = make();
            int at = call;
            Writer changes = new() { Called = calls => { if (calls == at) change(one); } };
            Assert.Contains("during Serialize", Assert.Throws<InvalidOperationException>(() => serialize(one)(changes)).Message);
        }
    }

    private sealed record Writer : IBufferWriter<byte>
    {
        private readonly ArrayBufferWriter<byte> _bytes = new();

        public int Most { get; init; } = int.MaxValue;

        public Action<int> Called { get; init; } = static _ => { };

        public int Calls { get; set; }

        public byte[] Written => _bytes.WrittenSpan.ToArray();

        public void Advance(int count)
        {
            _bytes.Advance(count);
            Called(Calls++);
        }

        public Span<byte> GetSpan(int sizeHint = 0)
        {
            Called(Calls++);
            Span<byte> room = _bytes.GetSpan(sizeHint);
            return room[..Math.Min(Most, room.Length)];
        }

        public Memory<byte> GetMemory(int sizeHint = 0) => throw new NotSupportedException();
    }
}
