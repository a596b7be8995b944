using System.Text;

namespace MemPrims.Records.Generator;

/// <summary>
/// Declarations with [MappedRecord] into accessors. Each declaration becomes a model that is compared by value, so that an edit elsewhere
/// costs nothing; the layouts that were checked in are compared apart from that.
/// </summary>
[Generator(LanguageNames.CSharp)]
public sealed class RecordGenerator : IIncrementalGenerator
{
    internal const string Models = "Models", Locks = "Locks";

    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        IncrementalValuesProvider<RecordModel> models = context.SyntaxProvider
            .ForAttributeWithMetadataName("MemPrims.Records.MappedRecordAttribute", static (node, _) => node is TypeDeclarationSyntax,
                RecordParser.Parse)
            .WithTrackingName(Models);
        IncrementalValueProvider<EquatableArray<string>> locked = context.AdditionalTextsProvider
            .Where(static file => file.Path.EndsWith(LayoutLock.Extension, StringComparison.OrdinalIgnoreCase))
            .Select(LayoutLock.Read)
            .Collect()
            .Select(static (files, _) => new EquatableArray<string>([.. files.SelectMany(lines => lines)]))
            .WithTrackingName(Locks);
        context.RegisterSourceOutput(models, static (output, model) =>
        {
            Report(output, model.Problems);
            if (model.IsSound) output.AddSource(model.FileName, SourceText.From(RecordWriter.Write(model), Encoding.UTF8));
        });
        context.RegisterSourceOutput(locked, static (output, lines) => Report(output, LayoutLock.Damage(lines)));
        context.RegisterSourceOutput(models.Collect(), static (output, all) =>
        {
            Report(output, Repeated(all, static model => (model.Id, model.Version), static (first, other) =>
                new(Diagnostics.SameId, other.Where,
                    new([first.Name, other.Name, other.Id.ToString("X8"), other.Version.ToString()]))));
            Report(output, Repeated(all, static model => $"{model.Namespace}.{model.ExtensionsName}", static (_, other) =>
                new(Diagnostics.TakenName, other.Where, new([other.Name, other.ExtensionsName]))));
        });
        context.RegisterSourceOutput(models.Combine(locked), static (output, pair) =>
        {
            if (pair.Left.IsSound) Report(output, LayoutLock.Check(pair.Left, pair.Right));
        });
    }

    private static void Report(SourceProductionContext output, IEnumerable<Problem> problems)
    {
        foreach (Problem problem in problems) output.ReportDiagnostic(problem.ToDiagnostic());
    }

    // All but the first of those with one key.
    private static IEnumerable<Problem> Repeated<TKey>(IEnumerable<RecordModel> all, Func<RecordModel, TKey> key,
        Func<RecordModel, RecordModel, Problem> told) =>
        all.GroupBy(key).SelectMany(same => same.Skip(1).Select(other => told(same.First(), other)));
}
