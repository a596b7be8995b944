using Spectre.Console;

namespace MemPrims.Tool.Output;

// A bar on standard error for what lasts; nothing where that is no terminal.
internal static class Progress
{
    // Does the work, which tells how much of how much is done.
    public static void Show(string what, Action<Action<long, long>> work)
    {
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(Console.Error) });
        if (Console.IsErrorRedirected || !console.Profile.Capabilities.Ansi)
        {
            work((_, _) => { });
            return;
        }
        console.Progress().AutoClear(true).Start(context =>
        {
            ProgressTask task = context.AddTask(Markup.Escape(what));
            // Until something is told, nobody knows how long it takes.
            task.IsIndeterminate = true;
            work((done, all) =>
            {
                task.IsIndeterminate = all == 0;
                (task.MaxValue, task.Value) = (Math.Max(all, 1), done);
            });
        });
    }
}
