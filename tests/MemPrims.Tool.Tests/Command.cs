using System.Diagnostics;

namespace MemPrims.Tool.Tests;

// What the command wrote, and what it ended with.
internal sealed record Ended(int Code, string Output, string Error)
{
    public string[] Lines => Output.Split('\n', StringSplitOptions.RemoveEmptyEntries);

    // One line on standard error, without a stack trace and without anything that moves a terminal.
    public Ended Fails(int code, string because)
    {
        Assert.True(code == Code, $"ended with {Code}, not {code}\n{Output}\n{Error}");
        string line = Assert.Single(Error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.StartsWith("memprims: ", line);
        Assert.Contains(because, line);
        Assert.DoesNotContain("   at ", line);
        return Plain();
    }

    public Ended Succeeds()
    {
        Assert.True(Code == 0 && Error == "", $"ended with {Code}\n{Output}\n{Error}");
        return Plain();
    }

    public Ended Plain()
    {
        Assert.DoesNotContain(Output + Error, c => char.IsControl(c) && c is not ('\n' or '\t'));
        return this;
    }
}

// Runs memprims as its user does: in a process of its own, its output redirected.
internal static class Command
{
    public const string Terminal = "/usr/bin/script";

    public static string Assembly { get; } = typeof(Files.MappedBytes).Assembly.Location;

    private static string Host => Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";

    public static Ended Run(params string[] arguments) => Run(arguments, []);

    public static Ended Run(string[] arguments, (string Name, string? Value)[] environment, byte[]? input = null, string folder = "")
    {
        using Process process = Start(arguments, folder, environment);
        return EndOf(process, input);
    }

    // Runs a line of a shell, in which `memprims` is the command.
    public static Ended InShell(string line, string folder = "")
    {
        using Process process =
            Start("bash", ["-c", $"memprims() {{ timeout 30 '{Host}' '{Assembly}' \"$@\"; }}\n{line}"], folder, []);
        return EndOf(process, null);
    }

    // Runs it in a terminal that a program plays; what is shown there.
    public static string InTerminal(string arguments, string? noColor = null)
    {
        using Process process = Start(Terminal, ["-qec", $"stty cols 150; '{Host}' '{Assembly}' {arguments}", "/dev/null"], "",
            [("TERM", "xterm-256color"), ("NO_COLOR", noColor)]);
        Ended ended = EndOf(process, null);
        Assert.Equal(0, ended.Code);
        return ended.Output;
    }

    private static Ended EndOf(Process process, byte[]? input)
    {
        Task<string> error = process.StandardError.ReadToEndAsync(), output = process.StandardOutput.ReadToEndAsync();
        process.StandardInput.BaseStream.Write(input ?? []);
        process.StandardInput.Close();
        Assert.True(process.WaitForExit(TimeSpan.FromMinutes(2)), "memprims does not end.");
        return new(process.ExitCode, output.Result, error.Result);
    }

    // Starts it and leaves it running.
    public static Process Start(string[] arguments, string folder = "", params (string Name, string? Value)[] environment) =>
        Start(Host, [Assembly, .. arguments], folder, environment);

    private static Process Start(string program, string[] arguments, string folder, (string Name, string? Value)[] environment)
    {
        ProcessStartInfo start = new(program, arguments)
        {
            RedirectStandardOutput = true, RedirectStandardError = true, RedirectStandardInput = true, WorkingDirectory = folder,
        };
        foreach ((string name, string? value) in environment) start.Environment[name] = value;
        return Process.Start(start)!;
    }
}
