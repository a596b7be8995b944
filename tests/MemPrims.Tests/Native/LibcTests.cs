namespace MemPrims.Tests;

public unsafe class LibcTests
{
    [Fact]
    public void Linux_and_Windows_and_macOS_have_a_libc() =>
        Assert.Equal(OperatingSystem.IsLinux() || OperatingSystem.IsWindows() || OperatingSystem.IsMacOS(), Libc.IsAvailable);

    [Fact]
    public void A_library_that_does_not_exist_is_not_available_and_no_error()
    {
        Assert.False(LibcEntryPoints.TryLoad(["no-such-library.so.9", "/no/such/folder/libc.so"], out LibcEntryPoints entries));
        Assert.Equal((0, 0), (entries.Compare, entries.Copy));
        Assert.False(LibcEntryPoints.TryLoad([], out _));
    }

    [Fact]
    public void The_names_of_the_platform_are_tried_in_their_order()
    {
        Assert.True(LibcEntryPoints.TryLoad(LibcEntryPoints.PlatformNames, out LibcEntryPoints direct));
        Assert.True(LibcEntryPoints.TryLoad(["no-such-library.so.9", .. LibcEntryPoints.PlatformNames], out LibcEntryPoints second));
        Assert.NotEqual(0, direct.Compare);
        Assert.NotEqual(0, direct.Copy);
        Assert.Equal(direct, second);
    }

    // Around the size up to which a call does without a transition.
    [Fact]
    public void Calls_with_and_without_a_transition_are_right()
    {
        byte[] left = new byte[40_000], right = new byte[40_000];
        fixed (byte* first = left, second = right)
            for (int length = 16_000; length < 33_000; length += 61)
            {
                Seeds.Random(length).NextBytes(left);
                right.AsSpan().Clear();
                Libc.Copy(second, first, length);
                Assert.Equal(length, left.AsSpan(0, length).CommonPrefixLength(right));
                Assert.Equal(-1, right.AsSpan(length).IndexOfAnyExcept((byte)0));
                Assert.Equal(0, Libc.Compare(first, second, length));
                right[length - 1] ^= 0x80;
                Assert.Equal(left[length - 1] - right[length - 1], Libc.Compare(first, second, length));
            }
    }
}
