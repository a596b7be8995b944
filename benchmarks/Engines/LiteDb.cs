using LiteDB;

// Usage: <documents>. Inserts of documents of 2 KB with a binary id, gets by it.
const int BodyBytes = 2000;
int count = int.Parse(args[0]);
Rounds.InFolder(folder =>
{
    int opened = 0;
    LiteDatabase? database = null;
    ILiteCollection<BsonDocument>? orders = null;
    byte[] body = new byte[BodyBytes];
    foreach (string prefix in (string[])["orders/", "customers/europe/france/orders/2026/"])
    {
        byte[][] keys = Rounds.Keys(count, prefix), queries = Rounds.Shuffled(keys, 2);
        string name = $"{prefix.Length + 12} B ids";
        Rounds.Time($"{name}: insert", count, 3, () => Insert(keys), count, () =>
        {
            database?.Dispose();
            database = new(Path.Combine(folder, $"{opened++}"));
            orders = database.GetCollection<BsonDocument>("orders");
        });
        Rounds.Time($"{name}: get", count, 3, () => Get(queries), (long)count * BodyBytes);
    }
    database!.Dispose();

    long Insert(byte[][] ids) => orders!.Insert(ids.Select(id => new BsonDocument { ["_id"] = id, ["body"] = body }));

    long Get(byte[][] ids) => ids.Sum(id => (long)orders!.FindById(id)["body"].AsBinary.Length);
});
