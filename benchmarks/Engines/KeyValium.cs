using KeyValium;

// Usage: <keys>. Inserts of 100 bytes, 50,000 a transaction, and gets.
const int ValueBytes = 100, Together = 50_000;
int count = int.Parse(args[0]);
Rounds.InFolder(folder =>
{
    int opened = 0;
    Database? database = null;
    byte[] value = new byte[ValueBytes];
    foreach (string prefix in (string[])["orders/", "customers/europe/france/orders/2026/"])
    {
        byte[][] keys = Rounds.Keys(count, prefix), queries = Rounds.Shuffled(keys, 2);
        string name = $"{prefix.Length + 12} B keys";
        Rounds.Time($"{name}: insert", count, 3, () => Insert(keys), count, () =>
        {
            database?.Dispose();
            database = Database.Open(Path.Combine(folder, $"{opened++}"));
        });
        Rounds.Time($"{name}: get", count, 5, () => Get(queries), (long)count * ValueBytes);
    }
    database!.Dispose();

    long Insert(byte[][] keys)
    {
        foreach (byte[][] together in keys.Chunk(Together))
        {
            using var transaction = database!.BeginWriteTransaction();
            foreach (byte[] key in together) transaction.Insert(null, key, value);
            transaction.Commit();
        }
        return keys.Length;
    }

    long Get(byte[][] keys)
    {
        long sum = 0;
        using var transaction = database!.BeginReadTransaction();
        foreach (byte[] key in keys) sum += transaction.Get(null, key).Value.Length;
        return sum;
    }
});
