namespace MemPrims.Pages;

/// <summary>
/// Pages in native memory. Threads: any number of readers, or one writer; no call may run beside <see cref="Dispose"/>. Pages stay where
/// they are until the store is disposed of, or until the garbage collector finalises it. A tree and its cursors keep the store from being
/// collected; a span does not. So dispose of the store yourself, by a `using` that outlives all spans.
/// </summary>
public sealed unsafe class MemoryPages : IPageStore, IDisposable
{
    // Memory is taken in pieces, so that pages never move. From the second piece on, Linux is asked to use one page of 2 MiB for each:
    // random inserts into a million entries then no longer miss the processor's table of addresses (TLB). Other systems use their usual
    // pages.
    private const int PieceBytes = 2 << 20;

    private readonly int _perPieceBits;
    private readonly Stack<uint> _free = new();
    private readonly HashSet<uint> _isFree = [];
    private nint[] _pieces = [];
    private uint _root;

    /// <summary>An empty store.</summary>
    /// <param name="pageSize">The bytes of a page, a multiple of 64 from 512 to 65,536; 8,192 unless told.</param>
    /// <exception cref="ArgumentException">No page has that size.</exception>
    public MemoryPages(int pageSize = 8192)
    {
        PageLayout.CheckSize(pageSize, nameof(pageSize));
        PageSize = pageSize;
        _perPieceBits = BitOperations.Log2((uint)(PieceBytes / pageSize));
    }

    /// <summary>Frees what was not disposed of.</summary>
    ~MemoryPages() => Release();

    /// <inheritdoc/>
    public int PageSize { get; }

    /// <inheritdoc/>
    public uint PageCount { get; private set; } = 1;

    /// <inheritdoc/>
    public uint Root
    {
        get
        {
            ObjectDisposedException.ThrowIf(Use.IsDisposed, this);
            return _root;
        }
        // The tree behind it is written before.
        set => Volatile.Write(ref _root, value);
    }

    internal StoreUse Use { get; } = new();

    /// <inheritdoc/>
    /// <exception cref="ObjectDisposedException">The store was disposed of.</exception>
    public uint Allocate()
    {
        ObjectDisposedException.ThrowIf(Use.IsDisposed, this);
        if (_free.TryPop(out uint again))
        {
            _isFree.Remove(again);
            return again;
        }
        if (PageCount == uint.MaxValue)
            throw new IOException("The store has given out all of its 4,294,967,294 page numbers: use larger pages.");
        uint page = PageCount;
        if (page >> _perPieceBits >= (uint)_pieces.Length) AddPiece();
        PageCount++;
        return page;
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException">The page is not given out.</exception>
    public void Free(uint page)
    {
        ObjectDisposedException.ThrowIf(Use.IsDisposed, this);
        if (page == 0 || page >= PageCount) PageErrors.ThrowNotGivenOut(page, PageCount);
        if (!_isFree.Add(page)) PageErrors.ThrowFreeAlready(page);
        _free.Push(page);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public byte* Page(uint page)
    {
        // The first piece has no page 0: its place stays empty. A store that was disposed of has no pages.
        nint[] pieces = _pieces;
        uint piece = page >> _perPieceBits;
        if (page - 1 >= PageCount - 1 || piece >= (uint)pieces.Length) return null;
        return (byte*)pieces[piece] + (nint)(page & ((1u << _perPieceBits) - 1)) * PageSize;
    }

    /// <summary>
    /// Frees the memory. No call may run beside it, and no span may be used after it. Calls that begin afterwards, but
    /// <see cref="PageCount"/> and <see cref="Page"/>, which gives null, throw an <see cref="ObjectDisposedException"/>.
    /// </summary>
    public void Dispose()
    {
        if (Use.Close()) Release();
        GC.SuppressFinalize(this);
    }

    private void AddPiece()
    {
        nuint bytes = (nuint)PageSize << _perPieceBits;
        byte* piece = (byte*)NativeMemory.AlignedAlloc(bytes, PieceBytes);
        if (_pieces.Length > 0) SystemFile.Here.AdviseHugePages(piece, bytes);
        Array.Resize(ref _pieces, _pieces.Length + 1);
        _pieces[^1] = (nint)piece;
    }

    private void Release()
    {
        PageCount = 1;
        foreach (nint piece in _pieces) NativeMemory.AlignedFree((void*)piece);
        _pieces = [];
    }
}
