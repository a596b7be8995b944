using System.Runtime.CompilerServices;
using MemPrims.Records.Reading;

namespace MemPrims.Records;

/// <summary>All records of a snapshot in the order of their ids, for <c>foreach</c>. Pages are checked as the scan comes to them.</summary>
public unsafe ref struct RecordScan<TView> where TView : IRecordView<TView>, allows ref struct
{
    // The processor foresees neither the stride of records nor the step over the inactive copy. From memory a record takes 4.1 ns with two pages, 4.8
    // with one, 4.4 with four, and 10.8 without; in the caches it is 2 to 2.5 either way ("scan of one field, 100000 records").
    private const int PagesAhead = 2;

    private readonly FileState _state;
    private readonly int _recordBytes;
    private byte* _record, _end;
    private int _page;

    internal RecordScan(FileState state)
    {
        _state = state;
        _recordBytes = state.RecordBytes;
        _page = -1;
    }

    /// <summary>The record that the scan is at.</summary>
    public readonly TView Current => TView.Over(new(_record, _state));

    /// <summary>This scan.</summary>
    public readonly RecordScan<TView> GetEnumerator() => this;

    /// <summary>Goes to the next record; false after the last.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext()
    {
        _record += _recordBytes;
        return _record < _end || NextPage();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool NextPage()
    {
        if (_page + 1 >= _state.PageCount)
        {
            _record = _end;
            return false;
        }
        _page++;
        _state.Prefetch(_page + PagesAhead);
        _record = _state.CheckedPage(_page) + Format.PageHeader.Size;
        _end = _record + _state.RecordsIn(_page) * _recordBytes;
        return true;
    }
}
