using System.Diagnostics;

namespace MemPrims.Records.Tests.Faults;

// Children whose system calls are written down, or made to fail. Where strace can't work, the test is skipped.
internal static class Strace
{
    private static readonly Lazy<string?> s_missing = new(static () => Programs.Run("strace", "-f", "-o", "/dev/null", "true").Error);

    // Runs a child to its end.
    public static ChildResult Run(Action<string[]> scenario, string[] arguments, params string[] options)
    {
        if (s_missing.Value is { } why) throw new SkipTestException($"needs strace, and cannot run it: {why}");
        using Process process = Child.StartBy(["strace", "-f", "--seccomp-bpf", .. options], scenario, arguments);
        Task<string> error = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return new(process.ExitCode, output, error.GetAwaiter().GetResult(), "");
    }
}
