/* Puts and gets messages in a closed loop, each thread on a connection and a queue of its own, as the measuring program says on
   standard input. Each line is answered by one, with a count: `run PERSISTENT|NONPERSISTENT THREADS`, `count` of pairs,
   `stop`, `connect TIMES`, `hold` one connection. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmqc.h>
#include <cmqxc.h>

enum { BODY = 1024, MOST_THREADS = 64 };

static unsigned long long done;
static int stopping, ready;
static MQLONG persistence;

static void failed(const char *verb, MQLONG reason)
{
  printf("failed %s %d\n", verb, (int)reason);
  fflush(stdout);
  exit(1);
}

static MQHCONN connected(void)
{
  char *user = getenv("LOAD_USER"), *password = getenv("LOAD_PASSWORD");
  MQCNO options = {MQCNO_DEFAULT};
  MQCSP security = {MQCSP_DEFAULT};
  MQHCONN connection = MQHC_UNUSABLE_HCONN;
  MQLONG completion, reason;

  security.AuthenticationType = MQCSP_AUTH_USER_ID_AND_PWD;
  security.CSPUserIdPtr = user;
  security.CSPUserIdLength = (MQLONG)strlen(user);
  security.CSPPasswordPtr = password;
  security.CSPPasswordLength = (MQLONG)strlen(password);
  options.Version = MQCNO_VERSION_5;
  options.SecurityParmsPtr = &security;
  MQCONNX("QM1", &options, &connection, &completion, &reason);
  if (completion != MQCC_OK)
    failed("MQCONNX", reason);
  return connection;
}

static void disconnect(MQHCONN connection)
{
  MQLONG completion, reason;

  MQDISC(&connection, &completion, &reason);
  if (completion != MQCC_OK)
    failed("MQDISC", reason);
}

static void *pairs(void *number)
{
  MQHCONN connection = connected();
  MQOD object = {MQOD_DEFAULT};
  MQMD initial = {MQMD_DEFAULT};
  MQPMO put = {MQPMO_DEFAULT};
  MQGMO get = {MQGMO_DEFAULT};
  MQHOBJ queue;
  MQLONG completion, reason, length;
  char body[BODY], name[MQ_Q_NAME_LENGTH + 1];
  int is_first = 1;

  snprintf(name, sizeof name, "%s%d", getenv("LOAD_QUEUES"), (int)(size_t)number);
  memcpy(object.ObjectName, name, strlen(name));
  MQOPEN(connection, &object, MQOO_INPUT_SHARED | MQOO_OUTPUT, &queue, &completion, &reason);
  if (completion != MQCC_OK)
    failed("MQOPEN", reason);
  memset(body, 'x', sizeof body);
  initial.Persistence = persistence;
  put.Options = MQPMO_NO_SYNCPOINT;
  get.Options = MQGMO_NO_SYNCPOINT;
  while (!__atomic_load_n(&stopping, __ATOMIC_RELAXED))
  {
    MQMD descriptor = initial;

    MQPUT(connection, queue, &descriptor, &put, BODY, body, &completion, &reason);
    if (completion != MQCC_OK)
      failed("MQPUT", reason);
    descriptor = initial;
    MQGET(connection, queue, &descriptor, &get, BODY, body, &length, &completion, &reason);
    if (completion != MQCC_OK || length != BODY)
      failed("MQGET", reason);
    __atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
    if (is_first)
      __atomic_add_fetch(&ready, 1, __ATOMIC_RELEASE);
    is_first = 0;
  }
  disconnect(connection);
  return NULL;
}

int main(void)
{
  pthread_t threads[MOST_THREADS];
  char line[100], kind[20];
  int running = 0, wanted, at;

  while (fgets(line, sizeof line, stdin) != NULL)
  {
    unsigned long long told = __atomic_load_n(&done, __ATOMIC_RELAXED);

    if (sscanf(line, "run %19s %d", kind, &wanted) == 2 && wanted > 0 && wanted <= MOST_THREADS && running == 0)
    {
      persistence = strcmp(kind, "PERSISTENT") == 0 ? MQPER_PERSISTENT : MQPER_NOT_PERSISTENT;
      stopping = ready = 0;
      for (running = 0; running < wanted; running++)
        pthread_create(&threads[running], NULL, pairs, (void *)(size_t)running);
      while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) < wanted)
        usleep(1000);
    }
    else if (strncmp(line, "stop", 4) == 0)
    {
      __atomic_store_n(&stopping, 1, __ATOMIC_RELAXED);
      for (at = 0; at < running; at++)
        pthread_join(threads[at], NULL);
      running = 0;
    }
    else if (sscanf(line, "connect %d", &wanted) == 1)
    {
      for (at = 0; at < wanted; at++)
        disconnect(connected());
      told = (unsigned long long)wanted;
    }
    else if (strncmp(line, "hold", 4) == 0)
      connected();
    else if (strncmp(line, "count", 5) != 0)
      failed(line, 0);
    line[strcspn(line, " \n")] = '\0';
    printf("%s %llu\n", line, told);
    fflush(stdout);
  }
  return 0;
}
