using System.Runtime.CompilerServices;

/// <summary>
/// Marks of hot methods. Without one a method runs unoptimised until the JIT compiles it again, a tenth of a second later or more. The
/// marks differ where a package carries precompiled code (PRECOMPILED, made by src/Directory.Build.targets):
/// <code>
///                     plain build                              precompiled for linux-x64
/// Hot.Method          the JIT optimises it at its first call   it is optimised already, so its first call waits for no compiler
/// Hot.Wide            the same                                 the same as in a plain build
/// Hot.ApartOrInline   it is inlined                            as Wide, and not inlined: its precompiled callers would be Wide too
/// </code>
/// The precompiler leaves out methods with the JIT's own mark, AggressiveOptimization. Hot.Wide is for what it leaves out anyway: methods
/// that ask for 512-bit vectors or use them, since one code serves processors with and without; generic methods over vectors of the
/// runtime, and those over its numbers that have a constraint; methods that take a vector by value, or call what does and stays a call, as
/// Vector128.Store of a pointer does; and what only such methods call. The compiler's option --verbose names the reason for each. A
/// Hot.Method may not call what is left out and has no mark: it would run unoptimised. .ci/packages finds that on the way of the README's
/// program.
/// </summary>
internal static class Hot
{
    public const MethodImplOptions Wide = MethodImplOptions.AggressiveOptimization;
#if PRECOMPILED
    public const bool IsPrecompiled = true;
    public const MethodImplOptions Method = default, ApartOrInline = Wide | MethodImplOptions.NoInlining;
#else
    public const bool IsPrecompiled = false;
    public const MethodImplOptions Method = Wide, ApartOrInline = MethodImplOptions.AggressiveInlining;
#endif
}
