using Spectre.Console;

namespace MemPrims.Tool.Measure;

// Tables that go to a file: as wide as they need, and without the escape codes that color a terminal.
public static class PlainTables
{
    // Does nothing when the console is a terminal.
    public static void Prepare(IAnsiConsole console, int width)
    {
        if (console.Profile.Out.IsTerminal) return;
        console.Profile.Width = width;
        console.Profile.Capabilities.Ansi = false;
        console.Profile.Capabilities.ColorSystem = ColorSystem.NoColors;
    }
}
