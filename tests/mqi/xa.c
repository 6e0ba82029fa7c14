/* Branches of global transactions, driven through the XA switch as a transaction manager does it: xa STEP. */
#include "common.h"
#include <pthread.h>
#include <signal.h>

enum { XIDDATASIZE = 128, MANAGER = 7 };
enum { XA_OK = 0, XA_RDONLY = 3, XAER_NOTA = -4 };
#define TMNOFLAGS 0x00000000L
#define TMSUCCESS 0x04000000L
#define TMRESUME 0x08000000L
#define TMSUSPEND 0x02000000L
#define TMFAIL 0x20000000L
#define TMONEPHASE 0x40000000L
#define TMSTARTRSCAN 0x01000000L
#define TMENDRSCAN 0x00800000L
#define TMASYNC 0x80000000L

typedef struct xid_t { XA_LONG formatID, gtrid_length, bqual_length; char data[XIDDATASIZE]; } XID;

struct xa_switch_t {
  char name[32];
  XA_LONG flags;
  XA_LONG version;
  int (*xa_open)(char *, int, XA_LONG);
  int (*xa_close)(char *, int, XA_LONG);
  int (*xa_start)(XID *, int, XA_LONG);
  int (*xa_end)(XID *, int, XA_LONG);
  int (*xa_rollback)(XID *, int, XA_LONG);
  int (*xa_prepare)(XID *, int, XA_LONG);
  int (*xa_commit)(XID *, int, XA_LONG);
  int (*xa_recover)(XID *, XA_LONG, int, XA_LONG);
  int (*xa_forget)(XID *, int, XA_LONG);
  int (*xa_complete)(int *, int *, int, XA_LONG);
};
extern struct xa_switch_t MQRMIXASwitch, MQRMIXASwitchDynamic;
#define XA MQRMIXASwitch
#define DYNAMIC MQRMIXASwitchDynamic

static XID xid(const char *global)
{
  XID made = {4711, (XA_LONG)strlen(global), 1, {0}};

  memcpy(made.data, global, strlen(global));
  made.data[strlen(global)] = 'b';
  return made;
}

static void xa(const char *what, int code)
{
  printf("%s %d\n", what, code);
  fflush(stdout);
}

static MQHCONN connection;

static void open_all(void)
{
  xa("xa_open", XA.xa_open(getenv("XA_OPEN"), MANAGER, TMNOFLAGS));
  MQCONN("QM1", &connection, &completion, &reason);
  say("MQCONN");
}

static void close_all(void)
{
  MQDISC(&connection, &completion, &reason);
  say("MQDISC");
  xa("xa_close", XA.xa_close("", MANAGER, TMNOFLAGS));
}

static void put(const char *text)
{
  MQOD object = {MQOD_DEFAULT};
  MQMD descriptor = {MQMD_DEFAULT};
  MQPMO options = {MQPMO_DEFAULT};

  memcpy(object.ObjectName, "DEV.QUEUE.1", 11);
  descriptor.Persistence = MQPER_PERSISTENT;
  options.Options = MQPMO_SYNCPOINT;
  MQPUT1(connection, &object, &descriptor, &options, (MQLONG)strlen(text), (PMQVOID)text, &completion, &reason);
  say("MQPUT1");
}

static void get(MQLONG options)
{
  MQHOBJ queue = open_named(connection, "DEV.QUEUE.1", MQOO_INPUT_SHARED);
  MQMD descriptor = {MQMD_DEFAULT};
  MQGMO get = {MQGMO_DEFAULT};
  char body[100];
  MQLONG length = 0;

  get.Options = options;
  MQGET(connection, queue, &descriptor, &get, (MQLONG)sizeof body, body, &length, &completion, &reason);
  printf("MQGET %d %d <%.*s>\n", (int)completion, (int)reason, completion == MQCC_FAILED ? 0 : (int)length, body);
  MQCLOSE(connection, &queue, MQCO_NONE, &completion, &reason);
}

static void recover(void)
{
  XID found[10];
  int count = XA.xa_recover(found, 10, MANAGER, TMSTARTRSCAN | TMENDRSCAN), at;

  printf("xa_recover %d", count);
  for (at = 0; at < count; at++)
    printf(" %d:%.*s", (int)found[at].formatID, (int)(found[at].gtrid_length + found[at].bqual_length), found[at].data);
  printf("\n");
}

static void *elsewhere(void *branch)
{
  xa("xa_end of another thread", XA.xa_end(branch, MANAGER, TMSUCCESS));
  return NULL;
}

static void verbs(void)
{
  XID one = xid("one"), two = xid("two"), wrong = xid("");
  pthread_t thread;

  printf("%s\n", XA.name);
  xa("xa_open without queue manager", XA.xa_open("CHANNEL=C,CONNAME=h", MANAGER, TMNOFLAGS));
  xa("xa_start before xa_open", XA.xa_start(&one, MANAGER, TMNOFLAGS));
  open_all();
  xa("xa_open again", XA.xa_open(getenv("XA_OPEN"), MANAGER, TMNOFLAGS));
  MQCONN("QM1", &connection, &completion, &reason);
  say("MQCONN again");
  xa("wrong xid", XA.xa_start(&wrong, MANAGER, TMNOFLAGS));
  xa("asynchronous", XA.xa_start(&one, MANAGER, (XA_LONG)TMASYNC));
  xa("xa_start", XA.xa_start(&one, MANAGER, TMNOFLAGS));
  put("first");
  MQCMIT(connection, &completion, &reason);
  say("MQCMIT within");
  pthread_create(&thread, NULL, elsewhere, &one);
  pthread_join(thread, NULL);
  xa("xa_end to suspend", XA.xa_end(&one, MANAGER, TMSUSPEND));
  xa("xa_start of two", XA.xa_start(&two, MANAGER, TMNOFLAGS));
  put("never");
  xa("xa_end of two", XA.xa_end(&two, MANAGER, TMFAIL));
  xa("xa_rollback of two", XA.xa_rollback(&two, MANAGER, TMNOFLAGS));
  xa("xa_start to resume", XA.xa_start(&one, MANAGER, TMRESUME));
  xa("xa_end", XA.xa_end(&one, MANAGER, TMSUCCESS));
  get(MQGMO_NO_SYNCPOINT);
  xa("xa_commit in one phase", XA.xa_commit(&one, MANAGER, TMONEPHASE));
  get(MQGMO_NO_SYNCPOINT);
  xa("xa_start", XA.xa_start(&one, MANAGER, TMNOFLAGS));
  xa("xa_end", XA.xa_end(&one, MANAGER, TMSUCCESS));
  xa("xa_prepare of nothing", XA.xa_prepare(&one, MANAGER, TMNOFLAGS));
  xa("xa_forget", XA.xa_forget(&one, MANAGER, TMNOFLAGS));
  recover();
  xa("xa_open of another resource manager", XA.xa_open(getenv("XA_OPEN"), MANAGER + 1, TMNOFLAGS));
  xa("xa_close of it", XA.xa_close("", MANAGER + 1, TMNOFLAGS));
  xa("xa_start of the first", XA.xa_start(&one, MANAGER, TMNOFLAGS));
  xa("xa_end", XA.xa_end(&one, MANAGER, TMSUCCESS));
  xa("xa_rollback", XA.xa_rollback(&one, MANAGER, TMNOFLAGS));
  close_all();
  MQBACK(connection, &completion, &reason);
  say("MQBACK afterwards");
}

/* Two branches are prepared; then the program is killed. */
static void prepare(void)
{
  const char *names[] = {"kept", "dropped"};
  int at;

  open_all();
  for (at = 0; at < 2; at++) {
    XID branch = xid(names[at]);
    xa("xa_start", XA.xa_start(&branch, MANAGER, TMNOFLAGS));
    put(names[at]);
    xa("xa_end", XA.xa_end(&branch, MANAGER, TMSUCCESS));
    xa("xa_prepare", XA.xa_prepare(&branch, MANAGER, TMNOFLAGS));
  }
  raise(SIGKILL);
}

static void finish(void)
{
  XID kept = xid("kept"), dropped = xid("dropped");

  open_all();
  get(MQGMO_NO_SYNCPOINT);
  recover();
  xa("xa_commit", XA.xa_commit(&kept, MANAGER, TMNOFLAGS));
  xa("xa_rollback", XA.xa_rollback(&dropped, MANAGER, TMNOFLAGS));
  recover();
  get(MQGMO_NO_SYNCPOINT);
  get(MQGMO_NO_SYNCPOINT);
  close_all();
}

/* What the transaction manager answers to a thread that registers. */
static XID registered;
static int answer;

int ax_reg(int manager, XID *branch, XA_LONG flags)
{
  printf("ax_reg %d %d format %d\n", manager, (int)flags, (int)branch->formatID);
  *branch = registered;
  return answer;
}

int ax_unreg(int manager, XA_LONG flags)
{
  printf("ax_unreg %d %d\n", manager, (int)flags);
  return XA_OK;
}

/* The transaction manager starts no branch: the first call under syncpoint asks for one. */
static void dynamic(void)
{
  XID one = xid("dynamic"), two = xid("resumed");

  printf("flags %d\n", (int)DYNAMIC.flags);
  xa("xa_open", DYNAMIC.xa_open(getenv("XA_OPEN"), MANAGER, TMNOFLAGS));
  MQCONN("QM1", &connection, &completion, &reason);
  say("MQCONN");
  get(MQGMO_NO_SYNCPOINT);
  registered = one;
  put("in a branch");
  put("in the same");
  MQCMIT(connection, &completion, &reason);
  say("MQCMIT within");
  xa("xa_end", DYNAMIC.xa_end(&one, MANAGER, TMSUCCESS));
  xa("xa_prepare", DYNAMIC.xa_prepare(&one, MANAGER, TMNOFLAGS));
  xa("xa_commit", DYNAMIC.xa_commit(&one, MANAGER, TMNOFLAGS));
  registered = two;
  get(MQGMO_SYNCPOINT);
  xa("xa_end to suspend", DYNAMIC.xa_end(&two, MANAGER, TMSUSPEND));
  answer = 1;
  get(MQGMO_SYNCPOINT);
  xa("xa_end", DYNAMIC.xa_end(&two, MANAGER, TMSUCCESS));
  xa("xa_rollback", DYNAMIC.xa_rollback(&two, MANAGER, TMNOFLAGS));
  get(MQGMO_NO_SYNCPOINT);
  get(MQGMO_NO_SYNCPOINT);
  answer = -1;
  put("never");
  answer = 0;
  registered.formatID = -1;
  put("of the program");
  MQCMIT(connection, &completion, &reason);
  say("MQCMIT");
  get(MQGMO_NO_SYNCPOINT);
  get(MQGMO_NO_SYNCPOINT);
  MQDISC(&connection, &completion, &reason);
  say("MQDISC");
  xa("xa_close", DYNAMIC.xa_close("", MANAGER, TMNOFLAGS));
}

int main(int count, char **arguments)
{
  const char *step = count > 1 ? arguments[1] : "";

  if (strcmp(step, "verbs") == 0)
    verbs();
  else if (strcmp(step, "dynamic") == 0)
    dynamic();
  else if (strcmp(step, "prepare") == 0)
    prepare();
  else
    finish();
  return 0;
}
