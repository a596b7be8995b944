using System.Buffers;
using System.Text;
using Google.Protobuf;
using MemPrims.Benchmarks.Wire.Generated;
using MemPrims.Buffers;
using MemPrims.Wire;

namespace MemPrims.Benchmarks.Wire;

/// <summary>Sets 25 fields of a reused message, then encodes it: the values are at hand as .NET strings or as UTF-8.</summary>
internal sealed class MixedSetter
{
    private static readonly MixedHandles s_handles = new();

    private readonly Mixed[] _values = Samples.Mixed();
    private readonly byte[][] _digests;
    private readonly byte[][][] _utf8;
    private readonly Mixed _generated = new();
    private readonly Message _message = Samples.Schema["memprims.bench.Mixed"].New();
    private readonly SegmentList _list = new();
    private readonly ArrayBufferWriter<byte> _writer = new(1 << 16);

    public MixedSetter()
    {
        _digests = [.. _values.Select(v => v.Digest.ToByteArray())];
        _utf8 = [.. _values.Select(Utf8Of)];
    }

    public long Generated()
    {
        long sum = 0;
        Mixed m = _generated;
        foreach (int i in Samples.NextOrder())
        {
            Mixed v = _values[i];
            m.Id = v.Id;
            m.Name = v.Name;
            m.Email = v.Email;
            m.Active = v.Active;
            m.Created = v.Created;
            m.Score = v.Score;
            m.City = v.City;
            m.Street = v.Street;
            m.Visits = v.Visits;
            m.Balance = v.Balance;
            m.Token = v.Token;
            m.Rating = v.Rating;
            m.Phone = v.Phone;
            m.Color = v.Color;
            m.Verified = v.Verified;
            m.Company = v.Company;
            m.Updated = v.Updated;
            m.Quota = v.Quota;
            m.Title = v.Title;
            m.Digest = v.Digest;
            m.Country = v.Country;
            m.Latitude = v.Latitude;
            m.Longitude = v.Longitude;
            m.Level = v.Level;
            m.Note = v.Note;
            _writer.ResetWrittenCount();
            m.WriteTo(_writer);
            sum += _writer.WrittenCount;
        }
        return sum;
    }

    public long Strings()
    {
        long sum = 0;
        Message m = _message;
        MixedHandles h = s_handles;
        foreach (int i in Samples.NextOrder())
        {
            Mixed v = _values[i];
            m.Set(h.Id, v.Id);
            m.Set(h.Name, v.Name);
            m.Set(h.Email, v.Email);
            m.Set(h.Active, v.Active);
            m.Set(h.Created, v.Created);
            m.Set(h.Score, v.Score);
            m.Set(h.City, v.City);
            m.Set(h.Street, v.Street);
            m.Set(h.Visits, v.Visits);
            m.Set(h.Balance, v.Balance);
            m.Set(h.Token, v.Token);
            m.Set(h.Rating, v.Rating);
            m.Set(h.Phone, v.Phone);
            m.Set(h.Color, (int)v.Color);
            m.Set(h.Verified, v.Verified);
            m.Set(h.Company, v.Company);
            m.Set(h.Updated, v.Updated);
            m.Set(h.Quota, v.Quota);
            m.Set(h.Title, v.Title);
            m.Set(h.Digest, _digests[i]);
            m.Set(h.Country, v.Country);
            m.Set(h.Latitude, v.Latitude);
            m.Set(h.Longitude, v.Longitude);
            m.Set(h.Level, v.Level);
            m.Set(h.Note, v.Note);
            _list.Clear();
            m.WriteTo(_list);
            sum += _list.Length;
        }
        return sum;
    }

    public long Utf8()
    {
        long sum = 0;
        Message m = _message;
        MixedHandles h = s_handles;
        foreach (int i in Samples.NextOrder())
        {
            Mixed v = _values[i];
            byte[][] text = _utf8[i];
            m.Set(h.Id, v.Id);
            m.Set(h.NameUtf8, text[0]);
            m.Set(h.EmailUtf8, text[1]);
            m.Set(h.Active, v.Active);
            m.Set(h.Created, v.Created);
            m.Set(h.Score, v.Score);
            m.Set(h.CityUtf8, text[2]);
            m.Set(h.StreetUtf8, text[3]);
            m.Set(h.Visits, v.Visits);
            m.Set(h.Balance, v.Balance);
            m.Set(h.Token, v.Token);
            m.Set(h.Rating, v.Rating);
            m.Set(h.PhoneUtf8, text[4]);
            m.Set(h.Color, (int)v.Color);
            m.Set(h.Verified, v.Verified);
            m.Set(h.CompanyUtf8, text[5]);
            m.Set(h.Updated, v.Updated);
            m.Set(h.Quota, v.Quota);
            m.Set(h.TitleUtf8, text[6]);
            m.Set(h.Digest, _digests[i]);
            m.Set(h.CountryUtf8, text[7]);
            m.Set(h.Latitude, v.Latitude);
            m.Set(h.Longitude, v.Longitude);
            m.Set(h.Level, v.Level);
            m.Set(h.NoteUtf8, text[8]);
            _list.Clear();
            m.WriteTo(_list);
            sum += _list.Length;
        }
        return sum;
    }

    private static byte[][] Utf8Of(Mixed v) =>
        [.. new[] { v.Name, v.Email, v.City, v.Street, v.Phone, v.Company, v.Title, v.Country, v.Note }.Select(Encoding.UTF8.GetBytes)];
}
