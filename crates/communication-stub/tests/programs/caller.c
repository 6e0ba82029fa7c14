/* Calls BAQCSTUB as a C program does; what it does is its first argument, what came of it goes to standard output. */
#include "baqcstub.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert(sizeof(baq_api_info) == 780, "API information");
_Static_assert(offsetof(baq_api_info, name_len) == 256, "name length");
_Static_assert(offsetof(baq_api_info, path) == 260, "path");
_Static_assert(offsetof(baq_api_info, path_len) == 516, "path length");
_Static_assert(offsetof(baq_api_info, method) == 520, "method");
_Static_assert(offsetof(baq_api_info, method_len) == 776, "method length");
_Static_assert(sizeof(baq_request_info) == 1832, "request information");
_Static_assert(offsetof(baq_request_info, oauth_username) == 4, "user");
_Static_assert(offsetof(baq_request_info, oauth_password) == 264, "password");
_Static_assert(offsetof(baq_request_info, oauth_clientid) == 524, "client");
_Static_assert(offsetof(baq_request_info, oauth_client_secret) == 784, "secret");
_Static_assert(offsetof(baq_request_info, oauth_scope_ptr) == 1044, "scope");
_Static_assert(offsetof(baq_request_info, oauth_scope_len) == 1052, "scope length");
_Static_assert(offsetof(baq_request_info, token_username) == 1056, "token user");
_Static_assert(offsetof(baq_request_info, token_password) == 1316, "token password");
_Static_assert(offsetof(baq_request_info, zcon_server_uri) == 1576, "server");
_Static_assert(sizeof(baq_response_info) == 1048, "response information");
_Static_assert(offsetof(baq_response_info, return_code) == 12, "return code");
_Static_assert(offsetof(baq_response_info, status_message_len) == 1044, "message length");

static baq_api_info api;

static void set(char *text, int32_t *len, const char *value) {
    *len = (int32_t)strlen(value);
    memcpy(text, value, (size_t)*len);
}

/* One call with a record of `size` bytes, all of them `fill`: 1 when the response is the same. */
static int echoes(baq_response_info *info, char fill, int32_t size) {
    baq_request_info request_info = {0};
    char *record = malloc((size_t)size + 1), *area = malloc((size_t)size + 1);
    memset(record, fill, (size_t)size);
    memset(area, '?', (size_t)size);
    const void *request = record;
    void *response = area;
    int returned = BAQCSTUB(&api, &request_info, &request, &size, info, &response, &size);
    int same = returned == 0 && memcmp(record, area, (size_t)size) == 0;
    free(record);
    free(area);
    return same;
}

static int tell(const char *who, char fill, int32_t size) {
    baq_response_info info = {0};
    int same = echoes(&info, fill, size);
    printf("%s%d %d ", who, info.return_code, info.status_code);
    if (info.return_code == 0)
        puts(same ? "echoed" : "changed");
    else
        printf("%.*s\n", info.status_message_len, info.status_message);
    fflush(stdout);
    return same && info.return_code == 0;
}

static void *thread(void *wrong) {
    for (int call = 0; call < 40; call++) {
        baq_response_info info = {0};
        if (!echoes(&info, (char)('a' + call % 26), 1 + call * 700))
            __atomic_fetch_add((int *)wrong, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static int threads(void) {
    pthread_t all[8];
    int wrong = 0;
    for (int each = 0; each < 8; each++)
        pthread_create(&all[each], NULL, thread, &wrong);
    for (int each = 0; each < 8; each++)
        pthread_join(all[each], NULL);
    printf("%d wrong\n", wrong);
    return wrong == 0;
}

/* Parent and child call by turns after a fork, while other threads of the parent call all the time. */
static int forked(void) {
    pthread_t all[4];
    int wrong = 0, fine = tell("before ", 'b', 100);
    for (int each = 0; each < 4; each++)
        pthread_create(&all[each], NULL, thread, &wrong);
    for (int round = 0; round < 5; round++) {
        pid_t child = fork();
        if (child == 0) {
            baq_response_info info = {0};
            for (int call = 0; call < 3; call++)
                if (!echoes(&info, 'C', 5000))
                    _exit(1);
            _exit(0);
        }
        baq_response_info info = {0};
        fine &= echoes(&info, 'p', 5000);
        int status = -1;
        waitpid(child, &status, 0);
        fine &= status == 0;
    }
    for (int each = 0; each < 4; each++)
        pthread_join(all[each], NULL);
    printf("%s, %d wrong\n", fine ? "fine" : "not fine", wrong);
    return fine && wrong == 0;
}

static void *once(void *fine) {
    baq_response_info info = {0};
    if (!echoes(&info, 'o', 10))
        __atomic_store_n((int *)fine, 0, __ATOMIC_RELAXED);
    return NULL;
}

/* As many threads as connections are kept call at once; then the calls of one thread go to another port, and back. */
static int full(const char *other) {
    char *port = strdup(getenv("BAQPORT"));
    pthread_t all[64];
    int fine = 1;
    for (int each = 0; each < 64; each++)
        pthread_create(&all[each], NULL, once, &fine);
    for (int each = 0; each < 64; each++)
        pthread_join(all[each], NULL);
    setenv("BAQPORT", other, 1);
    for (int call = 0; call < 3; call++)
        fine &= tell("", 'f', 10);
    setenv("BAQPORT", port, 1);
    free(port);
    return tell("", 'b', 10) && fine;
}

/* Calls as it is, then with a SIGPIPE that is held back and has to be so afterwards. */
static int held(void) {
    int fine = tell("", 'h', 10);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    fine &= tell("", 'h', 10);
    sigpending(&set);
    fine &= sigismember(&set, SIGPIPE) == 0;
    pthread_kill(pthread_self(), SIGPIPE);
    fine &= tell("", 'h', 10);
    sigpending(&set);
    return fine && sigismember(&set, SIGPIPE) == 1;
}

static void alarmed(int number) { (void)number; }

/* Calls while a timer interrupts it every millisecond, with SIGPIPE as it is by default: deadly. */
static int interrupted(void) {
    struct sigaction action = {.sa_handler = alarmed};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval timer = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &timer, NULL);
    int fine = 1;
    for (int call = 0; call < 20; call++)
        fine &= tell("", 'i', 50000);
    return fine;
}

/* Calls, changes BAQPORT, calls, closes, calls. */
static int settings(const char *other) {
    int fine = tell("", '1', 10);
    setenv("BAQPORT", other, 1);
    fine &= tell("", '2', 10);
    baq_response_info info;
    memset(&info, 'x', sizeof info);
    fine &= BAQCTERM(&info) == 0 && info.return_code == 0 && info.status_code == 0 && info.status_message_len == 0 &&
            memcmp(info.stub_name, "BAQCSTUB", 8) == 0;
    return tell("", '3', 10) && fine;
}

int main(int count, char **arguments) {
    memset(&api, ' ', sizeof api);
    set(api.name, &api.name_len, "echo_1.0");
    set(api.path, &api.path_len, "/echo");
    set(api.method, &api.method_len, "POST");
    const char *what = count > 1 ? arguments[1] : "";
    int fine = 0;
    if (strcmp(what, "echo") == 0) {
        fine = 1;
        for (int call = 0; call < atoi(arguments[2]); call++)
            fine &= tell("", 'e', atoi(arguments[3]));
    } else if (strcmp(what, "threads") == 0) {
        fine = threads();
    } else if (strcmp(what, "fork") == 0) {
        fine = forked();
    } else if (strcmp(what, "interrupted") == 0) {
        fine = interrupted();
    } else if (strcmp(what, "settings") == 0) {
        fine = settings(arguments[2]);
    } else if (strcmp(what, "full") == 0) {
        fine = full(arguments[2]);
    } else if (strcmp(what, "held") == 0) {
        fine = held();
    }
    return fine ? 0 : 1;
}
