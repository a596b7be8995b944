namespace DocumentStore.Tests;

public class DiskTests
{
    /// <summary>
    /// The disk of a machine that lost power has each file as it was at some sync, with any of the later pages. Copies of the folder are
    /// such
    /// disks: the log up to an acknowledged end and nothing or garbage behind it, beside pages of another moment.
    /// </summary>
    [Fact]
    public void What_was_acknowledged_survives_the_loss_of_what_was_not_synced()
    {
        using TempFolder folder = new(), disks = new();
        Random random = new(11);
        Model model = new();
        List<(string Path, long End, Model Model)> saved = [];
        using (Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options))
            for (int number = 0; number < 60; number++)
            {
                Batch batch = Model.BatchOf(4, number);
                model = model.With(batch);
                collection.Commit(batch);
                if (number % 12 != 5) continue;
                string copy = Path.Combine(disks.Path, $"{number}");
                Copy(folder.Path, copy);
                saved.Add((copy, collection.End, model));
            }
        foreach ((string path, long end, Model at) in saved)
        {
            CutLog(path, end, random);
            foreach (string pages in Pages(path)) LosePages(pages, random);
            using (Collection collection = Collection.Open(path, null, Engine.Options)) at.Check(collection);
        }
        // The newest pages beside each of the older logs, as where a folder was put together of two.
        (string first, long firstEnd, Model firstModel) = saved[0];
        foreach (string pages in Pages(folder.Path)) File.Copy(pages, Path.Combine(first, Path.GetFileName(pages)),
            true);
        using Collection mixed = Collection.Open(first, null, Engine.Options);
        firstModel.Check(mixed);
    }

    /// <summary>A file of the worker that is none is told by the next question, and once it is gone the worker goes on.</summary>
    [Theory, InlineData("statistics"), InlineData("index-*")]
    public void What_the_worker_cannot_open_is_told(string file)
    {
        using TempFolder folder = new();
        using (Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.Options))
        {
            collection.Commit(Model.BatchOf(4, 0));
            Assert.Null(collection.Verify());
        }
        string path = Assert.Single(Directory.GetFiles(folder.Path, file));
        File.Delete(path);
        Directory.CreateDirectory(Path.Combine(path, "in it"));
        using (Collection collection = Collection.Open(folder.Path, null, Engine.Options))
        {
            Assert.Contains(path, Assert.Throws<IOException>(() => collection.Verify()).Message);
            Directory.Delete(path, true);
            Assert.Null(collection.Verify());
        }
    }

    /// <summary>
    /// Where a file of the log may not get as long as it would, changes end with an error, what was acknowledged stays, and more
    /// room lets it go on.
    /// </summary>
    [Fact]
    public void A_full_disk_is_told_and_loses_nothing()
    {
        using TempFolder folder = new();
        Model model = new();
        int next = 0;
        foreach (int most in (int[])[20 << 20, 0])
        {
            using Engine engine = new(folder.Path, Model.LargeDocuments, next, most);
            if (most > 0)
            {
                Assert.Equal(3, engine.Wait());
                Assert.NotNull(engine.Error);
            }
            else
            {
                while (engine.Acknowledged < next + 20) Thread.Sleep(1);
                engine.Kill();
            }
            Assert.True(engine.Acknowledged > next);
            using Collection collection = Collection.Open(folder.Path, null, Engine.Options);
            model = model.After(Model.LargeDocuments, ref next, engine.Acknowledged, engine.Tried, collection);
            model.Check(collection);
        }
    }

    /// <summary>A file system without room, under the log and the indexes, beside compactions and without.</summary>
    [RootTheory]
    [InlineData(false, 5)]
    [InlineData(true, 5)]
    [InlineData(true, 9)]
    public void A_file_system_without_room_is_told_and_loses_nothing(bool compacts, int megabytes)
    {
        using TempFolder folder = new();
        Mount("-t", "tmpfs", "-o", $"size={megabytes}m", "tmpfs", folder.Path);
        try
        {
            Model model = new();
            int next = 0;
            foreach (int more in (int[])[2 * megabytes, 4 * megabytes, 200])
            {
                using Engine engine = new(folder.Path, Model.LargeDocuments, next, compacts: compacts);
                if (more < 200) Assert.Equal(3, engine.Wait());
                else
                {
                    while (!engine.HasExited && engine.Acknowledged < next + 20) Thread.Sleep(1);
                    engine.Kill();
                }
                Assert.True(engine.Acknowledged > next);
                // Without room it opens, or tells why not; nothing more is asked of it.
                try
                {
                    using Collection full = Collection.Open(folder.Path, null, Engine.SmallFiles);
                    foreach (string key in model.Documents.Keys) full.TryGet(key, out _);
                }
                catch (IOException)
                {
                }
                Mount("-o", $"remount,size={more}m", folder.Path);
                using Collection collection = Collection.Open(folder.Path, Model.Definition, Engine.SmallFiles);
                model = model.After(Model.LargeDocuments, ref next, engine.Acknowledged, engine.Tried, collection);
                model.Check(collection);
            }
        }
        finally
        {
            using System.Diagnostics.Process umount = System.Diagnostics.Process.Start("umount", ["-l", folder.Path]);
            umount.WaitForExit();
        }

        static void Mount(params string[] words)
        {
            using System.Diagnostics.Process mount = System.Diagnostics.Process.Start("mount", words);
            mount.WaitForExit();
            Assert.Equal(0, mount.ExitCode);
        }
    }

    private static string[] Pages(string folder) => [Path.Combine(folder, "keys.pages"), .. Directory.GetFiles(folder, "index-*")];

    private static void Copy(string from, string to)
    {
        Directory.CreateDirectory(to);
        foreach (string file in Directory.GetFiles(from))
        {
            // The pages are locked; another program reads them all the same.
            using System.Diagnostics.Process copy = System.Diagnostics.Process.Start("cp", [file, Path.Combine(to,
                Path.GetFileName(file))]);
            copy.WaitForExit();
        }
    }

    /// <summary>Positions count from the first file on, so that an end is a place in the last.</summary>
    private static void CutLog(string path, long end, Random random)
    {
        string log = Directory.GetFiles(path, "*.log").Order(StringComparer.Ordinal).Last();
        using FileStream file = new(log, FileMode.Open);
        if (random.Next(2) == 0) file.SetLength(Math.Max(end, 64));
        else
        {
            byte[] garbage = new byte[random.Next(1, 300)];
            random.NextBytes(garbage);
            file.Position = end;
            file.Write(garbage);
        }
    }

    private static void LosePages(string path, Random random)
    {
        byte[] bytes = File.ReadAllBytes(path);
        for (int page = 1; page < bytes.Length / 8192; page++)
            if (random.Next(3) == 0) bytes.AsSpan(page * 8192, 8192).Clear();
        File.WriteAllBytes(path, bytes);
    }
}

/// <summary>A test that mounts a file system, and may need a program.</summary>
internal sealed class RootTheoryAttribute : TheoryAttribute
{
    public RootTheoryAttribute(string? program = null)
    {
        if (!Environment.IsPrivilegedProcess) Skip = "It needs the rights to mount a file system.";
        else if (program is not null && !File.Exists(program)) Skip = $"It needs {program}, which is not here.";
    }
}
