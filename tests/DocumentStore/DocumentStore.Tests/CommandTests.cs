using System.Diagnostics;

namespace DocumentStore.Tests;

public class CommandTests
{
    [Fact]
    public void The_command_loads_and_answers_by_exit_codes()
    {
        using TempFolder folder = new();
        string collection = Path.Combine(folder.Path, "c"), lines = Path.Combine(folder.Path, "lines");
        File.WriteAllText(lines, """
            {"id": "1", "city": "Rome", "size": 3}
            {"id": "2", "city": "Oslo", "size": 1}
            """);
        Assert.Equal((0, true), Run("2 documents", "load", collection, "--from", lines, "--index", "size", "--facet", "city"));
        Assert.Equal((0, true), Run("\"Rome\"", "get", collection, "1"));
        Assert.Equal((1, true), Run("no such document", "get", collection, "3"));
        Assert.Equal((0, true), Run("2 {", "range", collection, "size", "--limit", "1"));
        Assert.Equal((1, true), Run("", "range", collection, "size", "--from", "9"));
        Assert.Equal((2, true), Run("no index city", "range", collection, "city"));
        Assert.Equal((0, true), Run("city\tOslo\t1", "facets", collection, "city", "--where", "city=Oslo"));
        Assert.Equal((0, true), Run("all is well", "verify", collection));
        Assert.Equal((0, true), Run("index size", "stats", collection));
        Assert.Equal((0, true), Run("bytes of the log", "compact", collection));
        Assert.Equal((2, true), Run("'got'", "got", collection));
        Assert.Equal((2, true), Run("--limit is 0 at least", "range", collection, "size", "--limit", "-1"));
        Assert.Equal((2, true), Run("--sample is 1 at least", "load", collection, "--sample", "-4"));
        Assert.Equal((2, true), Run("'one'", "range", collection, "size", "--limit", "one"));
        Assert.Equal((2, true), Run("xyz is nothing for --after", "range", collection, "size", "--after", "xyz"));
        Assert.Equal((2, true), Run("--help", "got", collection));
        Assert.Equal((3, true), Run("has no collection", "get", folder.Path, "1"));
        File.WriteAllText(lines, "{\"id\": \"3\"}\n{\"name\": 1}");
        Assert.Equal((2, true), Run("Line 2 has no property id", "load", collection, "--from", lines));
        File.WriteAllText(lines, "{\"id\": \"3\"}\n{\"id\": [4]}");
        Assert.Equal((2, true), Run("Line 2 has no property id", "load", collection, "--from", lines));
        File.WriteAllText(lines, "{\"id\": \"3\"}\n{\"id\": 4");
        Assert.Equal((2, true), Run("Line 2 is no JSON, at byte 8", "load", collection, "--from", lines));
        File.WriteAllText(lines, "{\"id\": \"3\"}\n{\"id\": \"\\ud800\"}");
        Assert.Equal((2, true), Run("The id of line 2 has half of a surrogate pair", "load", collection, "--from", lines));
        File.WriteAllText(lines, "{\"id\": \"3\"}\n\n{\"id\": \"\"}");
        Assert.Equal((2, true), Run("Document 2: A key has from 1", "load", collection, "--from", lines));
        Assert.Equal((2, true), Run("--from or --sample", "load", collection, "--from", lines, "--sample", "2"));
    }

    private static (int, bool) Run(string says, params string[] arguments)
    {
        (int code, string all) = Ended(arguments);
        return (code, all.Contains(says) ? true : throw new Xunit.Sdk.XunitException($"{string.Join(' ', arguments)}: {all}"));
    }

    /// <returns>The exit code, and all that was printed.</returns>
    internal static (int Code, string Said) Ended(params string[] arguments)
    {
        using Process command = Process.Start(new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, "docstore.dll"),
            .. arguments])
        {
            RedirectStandardOutput = true, RedirectStandardError = true,
        })!;
        Task<string> errors = command.StandardError.ReadToEndAsync(), output = command.StandardOutput.ReadToEndAsync();
        Assert.True(Task.WaitAll([errors, output], TimeSpan.FromMinutes(5)), $"{string.Join(' ', arguments)} does not end.");
        string all = output.Result + errors.Result;
        command.WaitForExit();
        Assert.DoesNotContain("   at ", all);
        return (command.ExitCode, all);
    }
}
