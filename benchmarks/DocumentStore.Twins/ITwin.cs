namespace DocumentStore.Twins;

/// <summary>One of the stores that are compared. Threads: one.</summary>
internal interface ITwin : IDisposable
{
    /// <summary>Documents as UTF-8 JSON; on the disk when it returns.</summary>
    void Commit(List<(string Key, ReadOnlyMemory<byte> Content)> batch);

    /// <summary>Waits until all is indexed.</summary>
    void WaitForIndex();

    /// <summary>The bytes of a document; 0 where there is none.</summary>
    int Get(string key);

    /// <summary>100 documents in the order of their total, from one on: their bytes.</summary>
    long Range(double total);

    /// <summary>Paid orders of a city: the top 10 of cities, states and skus among them. The sum of all counts told.</summary>
    long Facets(string city);

    /// <summary>Another process that works for it.</summary>
    int? Helper => null;
}
