using System.Runtime.Intrinsics;

namespace MemPrims.Sets;

/// <summary>One of the four ways to make a set of two.</summary>
internal interface IIdOperation
{
    /// <summary>Whether ids of the left side alone are kept.</summary>
    static abstract bool KeepsLeft { get; }

    /// <summary>Whether ids of the right side alone are kept.</summary>
    static abstract bool KeepsRight { get; }

    /// <summary>Whether ids of both sides are kept.</summary>
    static abstract bool KeepsBoth { get; }

    static abstract ulong Apply(ulong left, ulong right);

    static abstract Vector256<ulong> Apply(Vector256<ulong> left, Vector256<ulong> right);

    static abstract Vector512<ulong> Apply(Vector512<ulong> left, Vector512<ulong> right);
}

internal readonly struct AndIds : IIdOperation
{
    public static bool KeepsLeft => false;
    public static bool KeepsRight => false;
    public static bool KeepsBoth => true;
    public static ulong Apply(ulong left, ulong right) => left & right;
    public static Vector256<ulong> Apply(Vector256<ulong> left, Vector256<ulong> right) => left & right;
    public static Vector512<ulong> Apply(Vector512<ulong> left, Vector512<ulong> right) => left & right;
}

internal readonly struct OrIds : IIdOperation
{
    public static bool KeepsLeft => true;
    public static bool KeepsRight => true;
    public static bool KeepsBoth => true;
    public static ulong Apply(ulong left, ulong right) => left | right;
    public static Vector256<ulong> Apply(Vector256<ulong> left, Vector256<ulong> right) => left | right;
    public static Vector512<ulong> Apply(Vector512<ulong> left, Vector512<ulong> right) => left | right;
}

internal readonly struct XorIds : IIdOperation
{
    public static bool KeepsLeft => true;
    public static bool KeepsRight => true;
    public static bool KeepsBoth => false;
    public static ulong Apply(ulong left, ulong right) => left ^ right;
    public static Vector256<ulong> Apply(Vector256<ulong> left, Vector256<ulong> right) => left ^ right;
    public static Vector512<ulong> Apply(Vector512<ulong> left, Vector512<ulong> right) => left ^ right;
}

internal readonly struct AndNotIds : IIdOperation
{
    public static bool KeepsLeft => true;
    public static bool KeepsRight => false;
    public static bool KeepsBoth => false;
    public static ulong Apply(ulong left, ulong right) => left & ~right;
    public static Vector256<ulong> Apply(Vector256<ulong> left, Vector256<ulong> right) => Vector256.AndNot(left, right);
    public static Vector512<ulong> Apply(Vector512<ulong> left, Vector512<ulong> right) => Vector512.AndNot(left, right);
}

/// <summary>The same operation with its sides exchanged.</summary>
internal readonly struct Exchanged<TOperation> : IIdOperation where TOperation : struct, IIdOperation
{
    public static bool KeepsLeft => TOperation.KeepsRight;
    public static bool KeepsRight => TOperation.KeepsLeft;
    public static bool KeepsBoth => TOperation.KeepsBoth;
    public static ulong Apply(ulong left, ulong right) => TOperation.Apply(right, left);
    public static Vector256<ulong> Apply(Vector256<ulong> left, Vector256<ulong> right) => TOperation.Apply(right, left);
    public static Vector512<ulong> Apply(Vector512<ulong> left, Vector512<ulong> right) => TOperation.Apply(right, left);
}
