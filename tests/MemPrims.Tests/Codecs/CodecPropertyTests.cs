using System.Buffers;
using FsCheck;
using FsCheck.Fluent;

namespace MemPrims.Tests.Codecs;

// Properties, each at both guard pages, in a child process: a byte read or written outside the span ends it.
public sealed unsafe class CodecPropertyTests
{
    [Fact]
    public void Whatever_is_read_or_written_is_as_the_tables_say_and_inside_the_span() => Child.Run(Scenario).AssertSucceeded();

    private static void Scenario(string[] _)
    {
        using GuardedMemory memory = new(64);
        foreach (NumberCodec of in NumberCodec.All)
        {
            Holds(Prop.ForAll(Value, v => RoundTrips(of, memory, v)));
            Holds(Prop.ForAll(Value, v => TruncationsAndChangesHaveAStatus(of, memory, v)));
            Holds(Prop.ForAll(ArbMap.Default.ArbFor<byte[]>(), source => ReadsAsTheTableSays(of, memory, source)));
        }
        NumberCodec sortable = NumberCodec.Named("SortableUInt");
        Holds(Prop.ForAll(Value, Value, (a, b) =>
            Math.Sign(sortable.Encode(a).AsSpan().SequenceCompareTo(sortable.Encode(b))) == a.CompareTo(b)));
        Holds(Prop.ForAll(Value, Value, (a, b) => a == b || !sortable.Encode(a).AsSpan().StartsWith(sortable.Encode(b))));
    }

    // Uniform in the number of bits, so that every length is as frequent as the others.
    private static Arbitrary<ulong> Value =>
        Gen.Choose(0, 64).SelectMany(bits => ArbMap.Default.GeneratorFor<ulong>().Select(v => bits == 0 ? 0
            : (v | 1UL << 63) >> (64 - bits))).ToArbitrary();

    private static void Holds(Property property) =>
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(2000 * Seeds.Scale).WithReplay((ulong)Seeds.Seed, 1), property);

    private static bool RoundTrips(NumberCodec of, GuardedMemory memory, ulong value)
    {
        int size = of.Size(value);
        foreach (nint start in new[] { (nint)memory.Start, (nint)memory.EndingAtGuard(size) })
        {
            Span<byte> place = new((byte*)start, size);
            CaseNote.Set(of.Name, (long)value, size, start);
            if (of.Write(place, value) != size || of.WriteByPointer(place, value) != size) return false;
            if (of.Read(place, out ulong read, out int consumed) != OperationStatus.Done || read != value
                || consumed != size) return false;
        }
        return true;
    }

    private static bool TruncationsAndChangesHaveAStatus(NumberCodec of, GuardedMemory memory, ulong value)
    {
        byte[] bytes = of.Encode(value);
        for (int length = 0; length < bytes.Length; length++)
        {
            if (of.EndsItself && of.Reference(bytes[..length]).Status != OperationStatus.NeedMoreData) return false;
            if (!ReadsAsTheTableSays(of, memory, bytes[..length])) return false;
        }
        for (int at = 0; at < bytes.Length; at++)
            for (int change = 1; change < 256; change++)
            {
                byte[] changed = [.. bytes];
                changed[at] ^= (byte)change;
                if (!ReadsAsTheTableSays(of, memory, changed)) return false;
            }
        return true;
    }

    private static bool ReadsAsTheTableSays(NumberCodec of, GuardedMemory memory, byte[] source)
    {
        (OperationStatus Status, ulong Value, int Consumed) expected = of.Reference(source);
        foreach (nint start in new[] { (nint)memory.Start, (nint)memory.EndingAtGuard(source.Length) })
        {
            Span<byte> place = new((byte*)start, source.Length);
            source.CopyTo(place);
            CaseNote.Set(of.Name, source.Length, start);
            OperationStatus status = of.Read(place, out ulong value, out int consumed);
            if ((status, value, consumed) != expected) return false;
        }
        return true;
    }
}
