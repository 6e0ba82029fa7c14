/* The XA switch: X/Open's table of functions, in front of what libmqm_r.so has for transaction managers.
   XA_LONG is what the transaction manager's C takes for `long`: int in libmqcxa_r.so, long in libmqcxa64_r.so. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <strings.h>

enum { XIDDATASIZE = 128, RMNAMESZ = 32, RECOVERED_AT_ONCE = 64 };
enum { TMREGISTER = 1, TMNOMIGRATE = 2 };
enum { TM_OK = 0, TMER_TMERR = -1 };
#define TMENDRSCAN 0x00800000u
enum { XAER_INVAL = -5, XAER_PROTO = -6 };
enum { START, END, ROLLBACK, PREPARE, COMMIT, FORGET };

struct xid_t {
  XA_LONG formatID;
  XA_LONG gtrid_length;
  XA_LONG bqual_length;
  char data[XIDDATASIZE];
};
typedef struct xid_t XID;

struct xa_switch_t {
  char name[RMNAMESZ];
  XA_LONG flags;
  XA_LONG version;
  int (*xa_open_entry)(char *, int, XA_LONG);
  int (*xa_close_entry)(char *, int, XA_LONG);
  int (*xa_start_entry)(XID *, int, XA_LONG);
  int (*xa_end_entry)(XID *, int, XA_LONG);
  int (*xa_rollback_entry)(XID *, int, XA_LONG);
  int (*xa_prepare_entry)(XID *, int, XA_LONG);
  int (*xa_commit_entry)(XID *, int, XA_LONG);
  int (*xa_recover_entry)(XID *, XA_LONG, int, XA_LONG);
  int (*xa_forget_entry)(XID *, int, XA_LONG);
  int (*xa_complete_entry)(int *, int *, int, XA_LONG);
};

struct plain_xid {
  int format;
  int global_length;
  int branch_length;
  char data[XIDDATASIZE];
};

int quaymaster_xa_open(const char *text, int resource_manager, unsigned flags);
int quaymaster_xa_open_dynamically(const char *text, int resource_manager, unsigned flags,
                                   int (*register_thread)(int, struct plain_xid *), void (*unregister_thread)(int));
int quaymaster_xa_close(int resource_manager, unsigned flags);
int quaymaster_xa_branch(int verb, const struct plain_xid *xid, int resource_manager, unsigned flags);
int quaymaster_xa_recover(struct plain_xid *xids, int count, int resource_manager, unsigned flags);

static int open_entry(char *text, int resource_manager, XA_LONG flags)
{
  return quaymaster_xa_open(text, resource_manager, (unsigned)flags);
}

/* The library that AXLIB of the xa_open string names, for transaction managers whose functions are not in the program. */
static void *ax_library;

static void load_ax_library(const char *text)
{
  char name[256];
  size_t length;

  for (; text != NULL && ax_library == NULL; text = strchr(text, ','))
  {
    text += strspn(text, ", ");
    if (strncasecmp(text, "AXLIB=", 6) != 0)
      continue;
    length = strcspn(text + 6, ", ");
    if (length < sizeof name)
    {
      memcpy(name, text + 6, length);
      name[length] = '\0';
      ax_library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    }
  }
}

static void *of_transaction_manager(const char *name)
{
  void *found = dlsym(RTLD_DEFAULT, name);

  return found != NULL || ax_library == NULL ? found : dlsym(ax_library, name);
}

static void to_plain(struct plain_xid *plain, const XID *xid);

static int register_thread(int resource_manager, struct plain_xid *plain)
{
  int (*ax_reg)(int, XID *, XA_LONG) = (int (*)(int, XID *, XA_LONG))of_transaction_manager("ax_reg");
  XID xid;
  int code;

  if (ax_reg == NULL)
    return TMER_TMERR;
  memset(&xid, 0, sizeof xid);
  xid.formatID = -1;
  code = ax_reg(resource_manager, &xid, 0);
  if (code >= TM_OK)
    to_plain(plain, &xid);
  return code;
}

static void unregister_thread(int resource_manager)
{
  int (*ax_unreg)(int, XA_LONG) = (int (*)(int, XA_LONG))of_transaction_manager("ax_unreg");

  if (ax_unreg != NULL)
    ax_unreg(resource_manager, 0);
}

static int open_dynamically(char *text, int resource_manager, XA_LONG flags)
{
  load_ax_library(text);
  return quaymaster_xa_open_dynamically(text, resource_manager, (unsigned)flags, register_thread, unregister_thread);
}

static int close_entry(char *text, int resource_manager, XA_LONG flags)
{
  (void)text;
  return quaymaster_xa_close(resource_manager, (unsigned)flags);
}

/* Lengths that an int does not hold are refused as every other wrong length is. */
static int narrow(XA_LONG number)
{
  return (XA_LONG)(int)number == number ? (int)number : -1;
}

static void to_plain(struct plain_xid *plain, const XID *xid)
{
  plain->format = narrow(xid->formatID);
  plain->global_length = narrow(xid->gtrid_length);
  plain->branch_length = narrow(xid->bqual_length);
  memcpy(plain->data, xid->data, sizeof plain->data);
}

static int branch(int verb, XID *xid, int resource_manager, XA_LONG flags)
{
  struct plain_xid plain;

  if (xid == NULL)
    return XAER_INVAL;
  to_plain(&plain, xid);
  return quaymaster_xa_branch(verb, &plain, resource_manager, (unsigned)flags);
}

#define BRANCH(name, verb) \
  static int name(XID *xid, int resource_manager, XA_LONG flags) { return branch(verb, xid, resource_manager, flags); }
BRANCH(start_entry, START)
BRANCH(end_entry, END)
BRANCH(rollback_entry, ROLLBACK)
BRANCH(prepare_entry, PREPARE)
BRANCH(commit_entry, COMMIT)
BRANCH(forget_entry, FORGET)

/* Fewer than were asked for would say that there are no more: the scan goes on until the room is full. */
static int recover_entry(XID *xids, XA_LONG count, int resource_manager, XA_LONG flags)
{
  struct plain_xid plain[RECOVERED_AT_ONCE];
  unsigned scan = (unsigned)flags & ~TMENDRSCAN;
  XA_LONG done = 0;
  int most, found, at;

  if (count < 0 || (xids == NULL && count > 0))
    return XAER_INVAL;
  do {
    most = count - done > RECOVERED_AT_ONCE ? RECOVERED_AT_ONCE : (int)(count - done);
    found = quaymaster_xa_recover(plain, most, resource_manager, scan);
    if (found < 0)
      return found;
    for (at = 0; at < found; at++, done++) {
      xids[done].formatID = plain[at].format;
      xids[done].gtrid_length = plain[at].global_length;
      xids[done].bqual_length = plain[at].branch_length;
      memcpy(xids[done].data, plain[at].data, sizeof plain[at].data);
    }
    scan = 0;
  } while (found == RECOVERED_AT_ONCE && done < count);
  if ((unsigned)flags & TMENDRSCAN)
    quaymaster_xa_recover(plain, 0, resource_manager, TMENDRSCAN);
  return (int)done;
}

/* No verb goes on by itself, so that there is none to complete. */
static int complete_entry(int *handle, int *value, int resource_manager, XA_LONG flags)
{
  (void)handle, (void)value, (void)resource_manager, (void)flags;
  return XAER_PROTO;
}

struct xa_switch_t MQRMIXASwitch = {
  "MQSeries_XA_RMI", TMNOMIGRATE, 0,
  open_entry, close_entry, start_entry, end_entry, rollback_entry, prepare_entry, commit_entry, recover_entry,
  forget_entry, complete_entry
};

struct xa_switch_t MQRMIXASwitchDynamic = {
  "MQSeries_XA_RMI", TMREGISTER | TMNOMIGRATE, 0,
  open_dynamically, close_entry, start_entry, end_entry, rollback_entry, prepare_entry, commit_entry, recover_entry,
  forget_entry, complete_entry
};
