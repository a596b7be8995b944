namespace MemPrims.Systems;

// Whose a file is and who may do what with it: owner, mode, POSIX ACL. A file of another one's content gets them before its first byte.
internal sealed unsafe partial class FileRights
{
    private const uint Unchanged = uint.MaxValue;
    private const int AllBits = 0xFFF, Permissions = 0x1FF, OfOwner = 0x1C0, OfOthers = 0x7, BitsOfClass = 3;
    private const int MostAclBytes = 1 << 16;
    private const string AclName = "system.posix_acl_access";

    private readonly FileIdentity _owner;
    private readonly byte[]? _acl;

    private FileRights(FileIdentity owner, byte[]? acl) => (_owner, _acl) = (owner, acl);

    public static FileRights? Of(SafeFileHandle file)
    {
        if (FileIdentity.Of(file) is not { } owner) return null;
        byte[] acl = new byte[MostAclBytes];
        nint length;
        fixed (byte* start = acl) length = Fgetxattr(file, AclName, start, acl.Length);
        return new(owner, acl[..(int)Math.Max(length, 0)]);
    }

    public static FileRights WithoutAcl(FileIdentity owner) => new(owner, null);

    // Gives them to a file. Where they must come `wholly`, it is false when the system forbids that. Otherwise the file gets what the
    // system allows, and no other user may do with it what he may not do with the one that these are of: with another group, group and
    // others may do what both may, and without the ACL nothing.
    public bool TryGive(SafeFileHandle file, bool wholly)
    {
        bool owned = TryOwn(file, _owner.User, _owner.Group), ruled = (owned || TryOwn(file, Unchanged, _owner.Group)) && TryPutAcl(file);
        if (wholly) return owned && ruled && TryPutMode(file, AllBits);
        int both = _owner.Mode & OfOthers & (_owner.Mode >> BitsOfClass);
        // A file system without modes leaves the file as it was made.
        _ = TryPutMode(file, ruled ? Permissions : _acl is { Length: > 0 } ? OfOwner : OfOwner | both << BitsOfClass | both);
        return true;
    }

    private bool TryOwn(SafeFileHandle file, uint user, uint group) =>
        SystemFile.Here.IdentityOf(file) is { } made
            && ((made.Group == group && (user == Unchanged || made.User == user)) || Fchown(file, user, group) == 0);

    // A new file may have an ACL of its folder's.
    private bool TryPutAcl(SafeFileHandle file)
    {
        if (_acl is null) return true;
        if (_acl.Length == 0) return Fremovexattr(file, AclName) == 0 || Fgetxattr(file, AclName, null, 0) <= 0;
        fixed (byte* start = _acl) return Fsetxattr(file, AclName, start, _acl.Length, 0) == 0;
    }

    private bool TryPutMode(SafeFileHandle file, int bits) => Fchmod(file, (uint)(_owner.Mode & bits)) == 0;

    [LibraryImport("libc", EntryPoint = "fchown")]
    private static partial int Fchown(SafeFileHandle file, uint user, uint group);
    [LibraryImport("libc", EntryPoint = "fchmod")]
    private static partial int Fchmod(SafeFileHandle file, uint mode);
    [LibraryImport("libc", EntryPoint = "fgetxattr", StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint Fgetxattr(SafeFileHandle file, string name, byte* value, nint length);
    [LibraryImport("libc", EntryPoint = "fsetxattr", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Fsetxattr(SafeFileHandle file, string name, byte* value, nint length, int flags);
    [LibraryImport("libc", EntryPoint = "fremovexattr", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Fremovexattr(SafeFileHandle file, string name);
}
