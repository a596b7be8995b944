using System.Collections;

namespace MemPrims.Records.Generator
{
    // An array that is equal by its elements: what lets the compiler see that nothing changed, and skip the work.
    internal readonly struct EquatableArray<T>(T[] items) : IEquatable<EquatableArray<T>>, IEnumerable<T> where T : IEquatable<T>
    {
        private readonly T[]? _items = items;

        public int Count => _items?.Length ?? 0;

        public bool Equals(EquatableArray<T> other) => this.SequenceEqual(other);

        public override bool Equals(object? obj) => obj is EquatableArray<T> other && Equals(other);

        public override int GetHashCode() => this.Aggregate(17, (hash, item) => unchecked(hash * 31 + item.GetHashCode()));

        public IEnumerator<T> GetEnumerator() => ((IEnumerable<T>)(_items ?? [])).GetEnumerator();

        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
    }

    // A place in the source, without the syntax tree that it is in.
    internal sealed record Place(string Path, TextSpan Span, LinePositionSpan Lines)
    {
        public static Place? Of(Location? location) =>
            location?.SourceTree is { } tree ? new(tree.FilePath, location.SourceSpan, location.GetLineSpan().Span) : null;

        public Location ToLocation() => Location.Create(Path, Span, Lines);
    }

    internal sealed record Problem(DiagnosticDescriptor What, Place? Where, EquatableArray<string> Arguments)
    {
        public Diagnostic ToDiagnostic() =>
            Diagnostic.Create(What, Where?.ToLocation() ?? Location.None, [.. Arguments]);
    }
}

namespace System.Runtime.CompilerServices
{
    // What records compile to; netstandard2.0 lacks it.
    internal static class IsExternalInit;
}
