using System.Runtime.InteropServices;
using MemPrims.Benchmarks.Workloads;

namespace MemPrims.Benchmarks.Codecs;

/// <summary>
/// FastPFor by P/Invoke, the peer in C++: SIMDFastPFor with 8 × 32 gaps a block, and SIMDBinaryPacking, each with its own vectorised gaps.
/// The library's path stands in the environment variable MEMPRIMS_FASTPFOR; without it the peer is left out, and the commands that build
/// it are told. It checks nothing of what it decodes, and has ids of 32 bits alone.
/// </summary>
internal static unsafe partial class FastPFor
{
    private const string Variable = "MEMPRIMS_FASTPFOR", Library = "fastpfor";

    /// <summary>Whether the library is here. Asked first, it tells how to build it where it isn't.</summary>
    public static bool IsAvailable { get; } = PeerLibraries.Load(Library, Variable, $"""
        To build it, from the root of this repository:
          git clone https://github.com/fast-pack/FastPFor
          g++ -O3 -march=native -std=c++17 -fPIC -shared -IFastPFor/headers -o libfastpfor.so \
            benchmarks/MemPrims.Benchmarks/Codecs/fastpfor.cpp \
            FastPFor/src/bitpacking*.cpp FastPFor/src/simd*bitpacking.cpp FastPFor/src/horizontalbitpacking.cpp
          export {Variable}=$PWD/libfastpfor.so
        """) != 0;

    /// <summary>Writes the ids to `to`, which has room for 2 × count + 1024 words; the number of words is the answer.</summary>
    [LibraryImport(Library, EntryPoint = "fastpfor_encode"), SuppressGCTransition]
    public static partial nuint Encode(int packs, uint* ids, nuint count, uint* room, uint* to);

    [LibraryImport(Library, EntryPoint = "fastpfor_decode"), SuppressGCTransition]
    public static partial nuint Decode(int packs, uint* from, nuint words, uint* ids, nuint count);
}
