using System.Diagnostics;

namespace MemPrims.Records.Tests.Generator;

// A project of a user's, outside this repository: the code of the package's page, with the package's assemblies and its generator. What is
// built there is built as it is anywhere, by a `dotnet` of its own.
internal sealed class SampleProject : IDisposable
{
    private readonly TempFolder _folder = new();

    public SampleProject(string properties, string? layouts = null)
    {
        string assemblies = AppContext.BaseDirectory;
        string[] code = [.. PageSamples.Samples(Repository.Read("src/MemPrims.Records/README.md"))];
        // All of them are built: a fourth one needs its place below.
        Assert.Equal(3, code.Length);
        const string import = "using MemPrims.Records;\n";
        Assert.StartsWith(import, code[0]);
        System.IO.File.WriteAllText(_folder.File("Program.cs"),
            $"{import}string path = args[0];\n{code[1]}\nConsole.WriteLine($\"{{attempts}} "
                + $"{{file.Count}}\");\n{code[2]}\n{code[0][import.Length..]}");
        if (layouts is not null) System.IO.File.WriteAllText(_folder.File("Released.recordlayout"), layouts);
        System.IO.File.WriteAllText(_folder.File("Sample.csproj"), $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <OutputType>Exe</OutputType>
                <TargetFramework>net10.0</TargetFramework>
                <ImplicitUsings>enable</ImplicitUsings>
                <Nullable>enable</Nullable>
                <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
                <InvariantGlobalization>true</InvariantGlobalization>
                {properties}
              </PropertyGroup>
              <ItemGroup>
                <Reference Include="{assemblies}/MemPrims.dll" />
                <Reference Include="{assemblies}/MemPrims.Records.dll" />
                <Analyzer Include="{assemblies}/MemPrims.Records.Generator.dll" />
                <AdditionalFiles Include="*.recordlayout" />
              </ItemGroup>
            </Project>
            """);
    }

    public static string DotnetHost => Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet";

    public string File(string name) => _folder.File(name);

    // `dotnet command …` in the project's folder, and all that it said. No server of it stays behind.
    public (bool Succeeded, string Output) Dotnet(string command, params string[] arguments) =>
        Run(DotnetHost, [command, .. arguments, "-nologo", "-nodeReuse:false", "-p:UseSharedCompilation=false"]);

    public (bool Succeeded, string Output) Run(string program, params string[] arguments)
    {
        ProcessStartInfo start = new(program, arguments)
        {
            RedirectStandardOutput = true, RedirectStandardError = true,
            WorkingDirectory = _folder.Path
        };
        using Process process = Process.Start(start)!;
        Task<string> error = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return (process.ExitCode == 0, output + error.Result);
    }

    public void Dispose() => _folder.Dispose();
}
