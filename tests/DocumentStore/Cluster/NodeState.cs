using System.Text;
using static DocumentStore.Cluster.Message;

namespace DocumentStore.Cluster;

/// <summary>What a node knows of itself and the others. Threads: immutable.</summary>
/// <param name="Leader">The member that leads, from 1 on; 0 for none.</param>
/// <param name="Applied">The position that its replica has.</param>
/// <param name="Leads">Whether it leads itself.</param>
/// <param name="Setup">A checksum of its members, indexes and facets: nodes of one cluster have the same.</param>
public readonly record struct NodeState(int Leader, long Applied, bool Leads, uint Setup)
{
    internal static uint SetupOf(NodeOptions options, Collection collection) => Checksum.Crc32C(
        Checksum.Crc32C(Encoding.UTF8.GetBytes(options.MembersText)), collection.Definition.ToJson());

    internal static NodeState Read((Answer, long Leader, byte[] More) answer)
    {
        SpanReader from = new(answer.More);
        return new((int)answer.Leader, (long)from.ReadVarint(), from.Read<bool>(), from.Read<uint>());
    }

    internal byte[] Answered()
    {
        (int leader, long applied, bool leads, uint setup) = this;
        return Of(Answer.Done, (ref to) =>
        {
            to.WriteVarint(leader);
            to.WriteVarint(applied);
            to.Write(leads);
            to.Write(setup);
        });
    }
}
