using System.Diagnostics;
using System.Reflection;

namespace MemPrims.TestKit;

// What a child process left behind. LastCase is what it had noted by CaseNote when it ended.
public sealed record ChildResult(int ExitCode, string Output, string Error, string LastCase)
{
    public void AssertSucceeded()
    {
        if (ExitCode != 0)
            throw new InvalidOperationException($"The child process ended with {ExitCode} in the case: {LastCase}\n{Output}\n{Error}");
    }
}

// Runs a static method of a test project in a process of its own, for tests that may end the process: guard pages, kill -9, other
// settings. The method gets the arguments as strings; an exception makes the exit code 1.
public static class Child
{
    public static ChildResult Run(Action<string[]> scenario, string[]? arguments = null, params (string Name, string? Value)[] environment)
    {
        using TempFolder folder = new();
        string note = folder.File("case");
        using Process process = Start(scenario, arguments, [.. environment, (CaseNote.PathVariable, note)]);
        Task<string> error = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return new(process.ExitCode, output, error.Result, CaseNote.Read(note));
    }

    // Starts it and leaves it running; standard output and error are redirected.
    public static Process Start(Action<string[]> scenario, string[]? arguments = null,
        params (string Name, string? Value)[] environment) => StartBy([], scenario, arguments, environment);

    // The same by another program: its name and arguments come before the child's own.
    public static Process StartBy(string[] by, Action<string[]> scenario, string[]? arguments = null,
        params (string Name, string? Value)[] environment)
    {
        MethodInfo method = scenario.Method;
        if (!method.IsStatic || method.DeclaringType is null || method.Name.Contains('<'))
            throw new ArgumentException("A child runs a static method that has a name.", nameof(scenario));
        string[] command = [.. by, .. Program(method.DeclaringType.Assembly), method.DeclaringType.FullName!, method.Name,
            .. arguments ?? []];
        ProcessStartInfo start = new(command[0], command[1..])
        {
            RedirectStandardOutput = true, RedirectStandardError = true, RedirectStandardInput = true,
        };
        foreach ((string name, string? value) in environment) start.Environment[name] = value;
        return Process.Start(start)!;
    }

    // The entry of a test project that is started as a program.
    public static int Main(Assembly tests, string[] arguments)
    {
        const BindingFlags statics = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
        if (arguments.Length < 2 || tests.GetType(arguments[0])?.GetMethod(arguments[1], statics) is not { } method)
        {
            Console.Error.WriteLine(
                "This program holds tests: run them by `dotnet test`. As a child it takes a type, a static method, and its arguments.");
            return 2;
        }
        try
        {
            method.CreateDelegate<Action<string[]>>()(arguments[2..]);
            return 0;
        }
        catch (Exception e)
        {
            Console.Error.WriteLine(e);
            return 1;
        }
    }

    // The program that runs, where it is the test project's own, with a runtime beside it.
    private static string[] Program(Assembly tests)
    {
        if (Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") is { } host) return [host, tests.Location];
        string program = Environment.ProcessPath!, name = Path.GetFileNameWithoutExtension(program);
        return name == tests.GetName().Name ? [program] : [name == "dotnet" ? program : "dotnet", tests.Location];
    }
}
