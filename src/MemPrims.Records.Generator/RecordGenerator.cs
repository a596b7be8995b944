using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

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
            foreach (Problem problem in model.Problems) output.ReportDiagnostic(problem.ToDiagnostic());
            if (model.IsSound) output.AddSource(model.FileName,
                SourceText.From(RecordWriter.Write(model), Encoding.UTF8));
        });
        context.RegisterSourceOutput(locked, static (output, lines) =>
        {
            foreach (Problem problem in LayoutLock.Damage(lines)) output.ReportDiagnostic(problem.ToDiagnostic());
        });
        context.RegisterSourceOutput(models.Collect(), static (output, all) =>
        {
            foreach (IGrouping<(uint, int), RecordModel> same in all.GroupBy(model => (model.Id, model.Version)))
            {
                RecordModel first = same.First();
                foreach (RecordModel other in same.Skip(1))
                    output.ReportDiagnostic(new Problem(Diagnostics.SameId.Id, other.Where,
                        new([first.Name, other.Name, other.Id.ToString("X8"), other.Version.ToString()])).ToDiagnostic());
            }
        });
        context.RegisterSourceOutput(models.Collect(), static (output, all) =>
        {
            foreach (IGrouping<string, RecordModel> same in all.GroupBy(model => $"{model.Namespace}.{model.ExtensionsName}"))
                foreach (RecordModel other in same.Skip(1))
                    output.ReportDiagnostic(new Problem(Diagnostics.TakenName.Id, other.Where,
                        new([other.Name, other.ExtensionsName])).ToDiagnostic());
        });
        context.RegisterSourceOutput(models.Combine(locked), static (output, pair) =>
        {
            if (!pair.Left.IsSound) return;
            foreach (Problem problem in LayoutLock.Check(pair.Left, pair.Right)) output.ReportDiagnostic(problem.ToDiagnostic());
        });
    }
}
