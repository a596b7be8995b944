using System.Diagnostics;

namespace MemPrims.Records.Tests.Faults;

// Programs of the system.
internal static class Programs
{
    // What one wrote, and what it complained of: null when all went well.
    public static (string Output, string? Error) Run(string program, params string[] arguments)
    {
        try
        {
            using Process process = Process.Start(new ProcessStartInfo(program, arguments)
            {
                RedirectStandardOutput = true, RedirectStandardError = true,
            })!;
            Task<string> error = process.StandardError.ReadToEndAsync();
            string output = process.StandardOutput.ReadToEnd().Trim();
            process.WaitForExit();
            return (output, process.ExitCode == 0 ? null : $"{error.Result.Trim()} (exit code {process.ExitCode})");
        }
        catch (System.ComponentModel.Win32Exception e)
        {
            return ("", e.Message);
        }
    }
}
