using System.CommandLine;
using System.Net;
using DocumentStore.Cluster;

namespace Docstore;

/// <summary>Tells who leads. Exit codes: 0 where all members answer, know a leader, and have the same setup; else 1.</summary>
internal static class StateCommand
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(2);

    public static Command State()
    {
        Command command = new("state", "tells who leads, and how far each member is") { ClusterCommands.s_cluster };
        command.SetAction(async (parsed, _) =>
        {
            bool isWell = true;
            foreach (IPEndPoint[] members in ClusterCommands.Shards(parsed)) isWell &= await TellAsync(members);
            return isWell ? 0 : 1;
        });
        return command;
    }

    private static async Task<bool> TellAsync(IPEndPoint[] members)
    {
        using ClusterClient client = new(members, s_patience);
        bool isWell = true;
        uint? setup = null;
        for (int member = 1; member <= members.Length; member++)
        {
            string says;
            try
            {
                NodeState state = await client.StateAsync(member);
                bool isAlike = state.Setup == (setup ??= state.Setup);
                isWell &= isAlike && state.Leader > 0;
                says = (state.Leads ? "leads" : state.Leader > 0 ? $"follows {state.Leader}" : "knows no leader")
                    + $", is at {state.Applied}"
                    + (isAlike ? "" : ". Its members, their order, its indexes or facets are not those of the first that answered");
            }
            catch (TimeoutException e)
            {
                (says, isWell) = (e.Message, false);
            }
            Console.WriteLine($"{member} {members[member - 1]} {says}");
        }
        return isWell;
    }
}
