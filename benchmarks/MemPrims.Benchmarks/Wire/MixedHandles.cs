using MemPrims.Benchmarks.Wire.Generated;
using MemPrims.Wire;

namespace MemPrims.Benchmarks.Wire;

/// <summary>The handles of the 25 fields, and reading all of them.</summary>
internal sealed class MixedHandles
{
    private static readonly MessageType s_type = Samples.Schema["memprims.bench.Mixed"];

    public readonly FieldHandle<int> Id = s_type.Field<int>("id");
    public readonly FieldHandle<string> Name = s_type.Field<string>("name");
    public readonly FieldHandle<string> Email = s_type.Field<string>("email");
    public readonly FieldHandle<bool> Active = s_type.Field<bool>("active");
    public readonly FieldHandle<long> Created = s_type.Field<long>("created");
    public readonly FieldHandle<double> Score = s_type.Field<double>("score");
    public readonly FieldHandle<string> City = s_type.Field<string>("city");
    public readonly FieldHandle<string> Street = s_type.Field<string>("street");
    public readonly FieldHandle<uint> Visits = s_type.Field<uint>("visits");
    public readonly FieldHandle<int> Balance = s_type.Field<int>("balance");
    public readonly FieldHandle<ulong> Token = s_type.Field<ulong>("token");
    public readonly FieldHandle<float> Rating = s_type.Field<float>("rating");
    public readonly FieldHandle<string> Phone = s_type.Field<string>("phone");
    public readonly FieldHandle<int> Color = s_type.Field<int>("color");
    public readonly FieldHandle<bool> Verified = s_type.Field<bool>("verified");
    public readonly FieldHandle<string> Company = s_type.Field<string>("company");
    public readonly FieldHandle<long> Updated = s_type.Field<long>("updated");
    public readonly FieldHandle<ulong> Quota = s_type.Field<ulong>("quota");
    public readonly FieldHandle<string> Title = s_type.Field<string>("title");
    public readonly FieldHandle<ReadOnlyMemory<byte>> Digest = s_type.Field<ReadOnlyMemory<byte>>("digest");
    public readonly FieldHandle<string> Country = s_type.Field<string>("country");
    public readonly FieldHandle<double> Latitude = s_type.Field<double>("latitude");
    public readonly FieldHandle<double> Longitude = s_type.Field<double>("longitude");
    public readonly FieldHandle<int> Level = s_type.Field<int>("level");
    public readonly FieldHandle<string> Note = s_type.Field<string>("note");
    public readonly FieldHandle<ReadOnlyMemory<byte>> NameUtf8 = s_type.Field<ReadOnlyMemory<byte>>("name");
    public readonly FieldHandle<ReadOnlyMemory<byte>> EmailUtf8 = s_type.Field<ReadOnlyMemory<byte>>("email");
    public readonly FieldHandle<ReadOnlyMemory<byte>> CityUtf8 = s_type.Field<ReadOnlyMemory<byte>>("city");
    public readonly FieldHandle<ReadOnlyMemory<byte>> StreetUtf8 = s_type.Field<ReadOnlyMemory<byte>>("street");
    public readonly FieldHandle<ReadOnlyMemory<byte>> PhoneUtf8 = s_type.Field<ReadOnlyMemory<byte>>("phone");
    public readonly FieldHandle<ReadOnlyMemory<byte>> CompanyUtf8 = s_type.Field<ReadOnlyMemory<byte>>("company");
    public readonly FieldHandle<ReadOnlyMemory<byte>> TitleUtf8 = s_type.Field<ReadOnlyMemory<byte>>("title");
    public readonly FieldHandle<ReadOnlyMemory<byte>> CountryUtf8 = s_type.Field<ReadOnlyMemory<byte>>("country");
    public readonly FieldHandle<ReadOnlyMemory<byte>> NoteUtf8 = s_type.Field<ReadOnlyMemory<byte>>("note");

    public long Read(Message m) =>
        m.Get(Id)
        + m.Get(Name).Length
        + m.Get(Email).Length
        + (m.Get(Active) ? 1 : 0)
        + (long)m.Get(Created)
        + (long)m.Get(Score)
        + m.Get(City).Length
        + m.Get(Street).Length
        + (long)m.Get(Visits)
        + m.Get(Balance)
        + (long)m.Get(Token)
        + (long)m.Get(Rating)
        + m.Get(Phone).Length
        + m.Get(Color)
        + (m.Get(Verified) ? 1 : 0)
        + m.Get(Company).Length
        + (long)m.Get(Updated)
        + (long)m.Get(Quota)
        + m.Get(Title).Length
        + m.Get(Digest).Length
        + m.Get(Country).Length
        + (long)m.Get(Latitude)
        + (long)m.Get(Longitude)
        + m.Get(Level)
        + m.Get(Note).Length;

    public static long Read(Mixed m) =>
        m.Id
        + m.Name.Length
        + m.Email.Length
        + (m.Active ? 1 : 0)
        + (long)m.Created
        + (long)m.Score
        + m.City.Length
        + m.Street.Length
        + (long)m.Visits
        + m.Balance
        + (long)m.Token
        + (long)m.Rating
        + m.Phone.Length
        + (int)m.Color
        + (m.Verified ? 1 : 0)
        + m.Company.Length
        + (long)m.Updated
        + (long)m.Quota
        + m.Title.Length
        + m.Digest.Length
        + m.Country.Length
        + (long)m.Latitude
        + (long)m.Longitude
        + m.Level
        + m.Note.Length;
}
