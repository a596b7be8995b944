namespace MemPrims.Sets;

/// <summary>
/// Runs the parts of a count on one thread or several. Each thread has its own counts, which are added at the end. Cancellation is
/// checked before each part, and progress is reported after it.
/// </summary>
internal sealed class FacetWork(FacetOptions options, int parts)
{
    private readonly Lock _telling = new();
    private int _next = -1, _done;

    public void Run(Action<int, long[]> part, Span<long> counts)
    {
        int threads = Math.Min(options.Threads, parts);
        options.Cancellation.ThrowIfCancellationRequested();
        int length = counts.Length;
        long[][] sums = [.. Enumerable.Range(0, Math.Max(1, threads)).Select(_ => new long[length])];
        if (threads <= 1) Work(0);
        else RunOnThreads();
        counts.Clear();
        foreach (long[] sum in sums)
            for (int i = 0; i < sum.Length; i++) counts[i] += sum[i];

        void RunOnThreads()
        {
            try
            {
                Parallel.For(0, threads, new ParallelOptions { MaxDegreeOfParallelism = threads }, Work);
            }
            catch (AggregateException e) when (e.InnerException is not null)
            {
                System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(e.InnerException);
            }
        }

        void Work(int thread)
        {
            for (int index = Interlocked.Increment(ref _next); index < parts; index = Interlocked.Increment(ref _next))
            {
                options.Cancellation.ThrowIfCancellationRequested();
                part(index, sums[thread]);
                if (options.Progress is { } progress) Tell(progress);
            }
        }
    }

    // Under a lock, so that the progress reported only rises.
    private void Tell(IProgress<double> progress)
    {
        lock (_telling) progress.Report((double)++_done / parts);
    }
}
