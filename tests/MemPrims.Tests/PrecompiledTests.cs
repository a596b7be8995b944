using System.Reflection.PortableExecutable;
using System.Runtime;
using System.Runtime.CompilerServices;

namespace MemPrims.Tests;

// CI runs this suite once on the precompiled assemblies of the packages, and says so by MEMPRIMS_PRECOMPILED. A run on plain ones must not
// count, nor one in which the runtime throws the precompiled code away.
public class PrecompiledTests
{
    private static bool IsClaimed => Environment.GetEnvironmentVariable("MEMPRIMS_PRECOMPILED") == "1";

    [Fact]
    public void The_assembly_has_the_code_that_the_run_claims()
    {
        using PEReader assembly = new(File.OpenRead(typeof(Block).Assembly.Location));
        Assert.Equal(IsClaimed, assembly.PEHeaders.CorHeader!.ManagedNativeHeaderDirectory.Size > 0);
    }

    [Fact]
    public void The_first_calls_wait_for_the_compiler_only_without_that_code() => Child.Run(CountWhatIsCompiled).AssertSucceeded();

    private static void CountWhatIsCompiled(string[] _)
    {
        byte[] bytes = new byte[1000];
        Assert.True(Enum.IsDefined(Hardware.Tier)); // What it asks the processor is never precompiled.
        Action<byte[]> calls = FirstCalls;
        RuntimeHelpers.PrepareMethod(calls.Method.MethodHandle);
        long before = JitInfo.GetCompiledMethodCount(currentThread: true);
        FirstCalls(bytes);
        long compiled = JitInfo.GetCompiledMethodCount(currentThread: true) - before;
        Assert.True(IsClaimed ? compiled == 0 : compiled > 0, $"{compiled} methods were compiled");
    }

    // Up to the longest of the loops that are not left to the JIT. Equality of more than 64 bytes is left to it: the precompiler puts its
    // loop in line, and has no other copy for a caller that the JIT compiles. So is, where vectors of 64 bytes are whole, order of more
    // than 64 bytes, and copies and prefixes of more than 128: no 512-bit code is precompiled.
    private static void FirstCalls(byte[] bytes)
    {
        _ = Checksum.Crc32C(bytes);
        _ = Block.Equal(bytes.AsSpan(24, 24), bytes.AsSpan(0, 24));
        for (int length = 24; length < 129; length += 76)
        {
            Span<byte> from = bytes.AsSpan(0, length), to = bytes.AsSpan(500, length);
            Block.Copy(to, from);
            if (length <= 64 || !Hardware.IsWhole512) _ = Block.Compare(to, from);
            _ = Block.CommonPrefix(to, from);
        }
        if (Hardware.IsWhole512) return;
        Block.Copy(bytes.AsSpan(500, 300), bytes.AsSpan(0, 300));
        _ = Block.Compare(bytes.AsSpan(500, 300), bytes.AsSpan(0, 300));
        _ = Block.CommonPrefix(bytes.AsSpan(500, 300), bytes.AsSpan(0, 300));
    }
}
