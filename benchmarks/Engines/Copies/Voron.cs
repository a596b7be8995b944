using System;
using System.Collections.Generic;
using Sparrow;
using Voron;
using Voron.Data.BTrees;
using Voron.Impl;

/// <summary>
/// Reads and inserts of values of 100 bytes in a tree in memory, and commits of 100 changed values into its journal.
/// </summary>
public static class Engine
{
    private const int ValueBytes = 100;

    // Keeps the memory of all keys: its finalizer gives it back.
    private static readonly ByteStringContext s_allocator = new(Sparrow.Threading.SharedMultipleUseFlag.None);

    public static IEnumerable<(string, int, long, Func<long>, Action)> Rows(string folder, int count)
    {
        foreach (string prefix in Keys.Prefixes)
        {
            byte[][] keys = Keys.Of(count, prefix);
            Slice[] all = Slices(keys), queries = Keys.Shuffled(all, 2)[..(count / 5)];
            Slice[] absent = Slices(Keys.Of(count / 10, prefix + "0")), some = queries[..100];
            string name = $"{keys[0].Length} B keys";
            byte[] value = new byte[ValueBytes];
            StorageEnvironmentOptions options = StorageEnvironmentOptions.CreateMemoryOnly();
            options.ManualFlushing = true;
            StorageEnvironment environment = new(options);
            using (Transaction tx = environment.WriteTransaction())
            {
                Add(tx.CreateTree("tree"), all, value);
                tx.Commit();
            }
            environment.FlushLogToDataFile();
            long found = (long)queries.Length * ValueBytes;
            yield return ($"{name}: read", queries.Length, found, () => Read(environment, queries), null);
            // The transaction is dropped, so each round begins with the same tree.
            yield return ($"{name}: insert", absent.Length, absent.Length, () =>
            {
                using Transaction tx = environment.WriteTransaction();
                return Add(tx.ReadTree("tree"), absent, value);
            }, null);
            yield return ($"{name}: change 100 and commit", 1, some.Length, () =>
            {
                using Transaction tx = environment.WriteTransaction();
                value[0]++;
                long added = Add(tx.ReadTree("tree"), some, value);
                tx.Commit();
                return added;
            }, environment.FlushLogToDataFile);
        }
    }

    private static Slice[] Slices(byte[][] keys) => Array.ConvertAll(keys, key =>
    {
        Slice.From(s_allocator, key, out Slice slice);
        return slice;
    });

    private static long Add(Tree tree, Slice[] keys, byte[] value)
    {
        foreach (Slice key in keys) tree.Add(key, value);
        return keys.Length;
    }

    private static long Read(StorageEnvironment environment, Slice[] keys)
    {
        using Transaction tx = environment.ReadTransaction();
        Tree tree = tx.ReadTree("tree");
        long sum = 0;
        foreach (Slice key in keys) sum += tree.Read(key).Reader.Length;
        return sum;
    }
}
