// The peer of the channel benchmarks: round trips by blocking sendmsg and recvmsg, as a C program would do them. Two processes, a socket
// pair, a header of 32 bytes in its own iovec.
// Built with: gcc -O3 -march=native -o blocking blocking.c
// Reads lines "kind size count cpu cpu spin" from standard input. Kind: p seqpacket, s stream. A cpu of -1: as placed. Spin 1: recvmsg
// with MSG_DONTWAIT in a loop, for a millisecond; then it blocks, so that it takes no processor from the contender that comes next.
// Answers each by one line: the nanoseconds of every round trip, then the nanoseconds of processor time of both processes together.
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char header[32], *payload;

static void fail(const char *what) { perror(what); exit(1); }

static void pin(int cpu) {
    if (cpu < 0) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set)) fail("sched_setaffinity");
}

static int64_t now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void put(int socket, size_t size) {
    size_t done = 0, all = size + sizeof header;
    while (done < all) {
        struct iovec v[2] = { { header, sizeof header }, { payload, size } };
        struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };
        if (done >= sizeof header) {
            v[1].iov_base = payload + (done - sizeof header); v[1].iov_len = all - done; m.msg_iov = v + 1; m.msg_iovlen = 1; }
        ssize_t n = sendmsg(socket, &m, MSG_NOSIGNAL);
        if (n < 0) fail("sendmsg");
        done += n;
    }
}

static int get(int socket, size_t size, int spin) {
    size_t done = 0, all = size + sizeof header;
    int64_t until = spin ? now(CLOCK_MONOTONIC) + 1000000 : 0;
    while (done < all) {
        struct iovec v[2] = { { header, sizeof header }, { payload, size } };
        struct msghdr m = { .msg_iov = v, .msg_iovlen = 2 };
        if (done >= sizeof header) {
            v[1].iov_base = payload + (done - sizeof header); v[1].iov_len = all - done; m.msg_iov = v + 1; m.msg_iovlen = 1; }
        ssize_t n = recvmsg(socket, &m, until ? MSG_DONTWAIT : 0);
        if (n < 0 && until && errno == EAGAIN) {
            if (now(CLOCK_MONOTONIC) > until) until = 0;
            continue;
        }
        if (n == 0) return 0;
        if (n < 0) fail("recvmsg");
        done += n;
    }
    return 1;
}

int main(void) {
    char kind, line[256], last[256] = "";
    size_t size, count;
    int cpu, other, spin, pair[2] = { -1, -1 };
    pid_t child = 0;
    cpu_set_t before;
    sched_getaffinity(0, sizeof before, &before);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%c %zu %zu %d %d %d", &kind, &size, &count, &cpu, &other, &spin) != 6) return 2;
        if (strcmp(line, last)) {
            // The child of the last setting ends with its socket; one setting asked again goes on with its child.
            close(pair[0]);
            if (child) waitpid(child, NULL, 0);
            strcpy(last, line);
            free(payload);
            payload = malloc(size);
            memset(payload, 1, size);
            if (socketpair(AF_UNIX, kind == 'p' ? SOCK_SEQPACKET : SOCK_STREAM, 0, pair)) fail("socketpair");
            fflush(stdout);
            child = fork();
            if (child < 0) fail("fork");
            if (child == 0) {
                close(pair[0]);
                pin(other);
                while (get(pair[1], size, spin)) put(pair[1], size);
                _exit(0);
            }
            close(pair[1]);
        }
        pin(cpu);
        for (int i = 0; i < 50; i++) { put(pair[0], size); get(pair[0], size, spin); }
        clockid_t theirs;
        clock_getcpuclockid(child, &theirs);
        int64_t *times = malloc(count * sizeof *times), began = now(CLOCK_PROCESS_CPUTIME_ID) + now(theirs);
        for (size_t i = 0; i < count; i++) {
            int64_t start = now(CLOCK_MONOTONIC);
            put(pair[0], size);
            get(pair[0], size, spin);
            times[i] = now(CLOCK_MONOTONIC) - start;
        }
        int64_t used = now(CLOCK_PROCESS_CPUTIME_ID) + now(theirs) - began;
        for (size_t i = 0; i < count; i++) printf("%lld ", (long long)times[i]);
        printf("%lld\n", (long long)used);
        fflush(stdout);
        free(times);
        sched_setaffinity(0, sizeof before, &before);
    }
    return 0;
}
