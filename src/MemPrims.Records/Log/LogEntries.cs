namespace MemPrims.Records;

/// <summary>The frames from a place to the end that the log had when the loop began.</summary>
public readonly ref struct LogEntries
{
    private readonly LogFile? _log;
    private readonly long _from;
    private readonly bool _onlySynced;

    internal LogEntries(LogFile log, long from, bool onlySynced) => (_log, _from, _onlySynced) = (log, from, onlySynced);

    /// <summary>For <c>foreach</c>.</summary>
    public Enumerator GetEnumerator()
    {
        // A default value has no frames.
        if (_log is null) return default;
        long end = _log.Reach(_onlySynced, out LogWaiting? waiting);
        return new(_log.Segments, _from, end, waiting);
    }

    /// <summary>Goes from frame to frame. A damaged one ends the loop by a <see cref="DamagedDataException"/>.</summary>
    public ref struct Enumerator
    {
        private readonly LogSegments _log;
        private readonly long _end;
        private readonly LogWaiting? _waiting;
        private LogSegment _segment;
        private long _next;

        internal Enumerator(LogSegments log, long from, long end, LogWaiting? waiting = null)
        {
            (_log, _end, _waiting) = (log, end, waiting);
            _segment = log.Find(from);
            _next = Math.Max(from, _segment.FirstFrame);
        }

        /// <summary>The frame.</summary>
        public LogEntry Current { get; private set; }

        /// <summary>Steps to the next one; false at the end.</summary>
        public bool MoveNext()
        {
            while (_next < _end)
            {
                if (_next >= _segment.End)
                {
                    _segment = _log.Find(_next);
                    _next = Math.Max(_next, _segment.FirstFrame);
                    continue;
                }
                long at = _next;
                if (!_log.TryRead(_segment, at, _end, out LogFrame frame, out ReadOnlySpan<byte> payload))
                {
                    // A cut has overtaken the loop, which goes on where the log begins now.
                    _segment = _log.Find(at);
                    if (at >= _segment.FirstFrame) LogErrors.ThrowNoFrame(_log, at);
                    _next = _segment.FirstFrame;
                    continue;
                }
                _next += frame.Size;
                if (frame.Length < 0) continue;
                Current = new(at, _next, payload);
                return true;
            }
            return _waiting is not null && StepToWaiting(_waiting);
        }

        // Out of line: its locals would be cleared at every step.
        [MethodImpl(MethodImplOptions.NoInlining)]
        private bool StepToWaiting(LogWaiting waiting)
        {
            while (_next < waiting.End)
            {
                long at = _next;
                if (!waiting.TryRead(at, out LogFrame frame, out ReadOnlySpan<byte> payload)) LogErrors.ThrowNoFrame(_log, at);
                _next += frame.Size;
                if (frame.Length < 0) continue;
                Current = new(at, _next, payload);
                return true;
            }
            return false;
        }
    }
}
