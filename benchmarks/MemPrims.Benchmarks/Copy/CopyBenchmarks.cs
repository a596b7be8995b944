using BenchmarkDotNet.Attributes;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Copy;

/// <summary>Copies whose lengths and offsets vary: what a database does.</summary>
public class CopyBenchmarks : BlockBenchmarks
{
    private const int Calls = BlockPairs.ManyCalls;

    private ArrayBlockCopy _arrays = null!;

    [Params(Shape.UpTo16, Shape.UpTo64, Shape.UpTo128, Shape.UpTo256, Shape.Measured, Shape.IndexInsertKeys)]
    public Shape Shape { get; set; }

    public override void Setup()
    {
        base.Setup();
        _arrays = new(Pairs);
    }

    protected override BlockPairs Prepare() => Shapes.Prepare(Shape);

    [Benchmark(Description = "Block.Copy", OperationsPerInvoke = Calls)]
    public long Block() => Batch.Of<BlockCopy>(Pairs);

    [Benchmark(Description = "Buffer.MemoryCopy", OperationsPerInvoke = Calls, Baseline = true)]
    public long MemoryCopy() => Batch.Of<BufferMemoryCopy>(Pairs);

    [Benchmark(Description = "Span.CopyTo", OperationsPerInvoke = Calls)]
    public long CopyTo() => Batch.Of<SpanCopyTo>(Pairs);

    [Benchmark(Description = "Buffer.BlockCopy", OperationsPerInvoke = Calls)]
    public long BlockCopy() => _arrays.Batch();

    [Benchmark(Description = "Unsafe.CopyBlockUnaligned", OperationsPerInvoke = Calls)]
    public long CopyBlock() => Batch.Of<UnsafeCopyBlock>(Pairs);

    [Benchmark(Description = "libc", OperationsPerInvoke = Calls)]
    public long Libc() => Batch.Of<LibcCopy>(Pairs);

    [Benchmark(Description = "libc with transition", OperationsPerInvoke = Calls)]
    public long LibcWithTransition() => Batch.Of<LibcCopyWithTransition>(Pairs);

    [Benchmark(Description = "for-loop", OperationsPerInvoke = Calls)]
    public long Bytes() => Batch.Of<CopyBytes>(Pairs);

    [Benchmark(Description = "4-byte words", OperationsPerInvoke = Calls)]
    public long Words4() => Batch.Of<CopyWords<uint>>(Pairs);

    [Benchmark(Description = "8-byte words", OperationsPerInvoke = Calls)]
    public long Words8() => Batch.Of<CopyWords<ulong>>(Pairs);

    [Benchmark(Description = "branch table, then words", OperationsPerInvoke = Calls)]
    public long TableBeforeWords() => Batch.Of<CopyTableBeforeWords>(Pairs);

    [Benchmark(Description = "words, then branch table", OperationsPerInvoke = Calls)]
    public long TableAfterWords() => Batch.Of<CopyTableAfterWords>(Pairs);
}
