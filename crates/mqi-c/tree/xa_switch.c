/* The XA switch: X/Open's table of functions, in front of what libmqm_r.so has for transaction managers.
   XA_LONG is what the transaction manager's C takes for `long`: int in libmqcxa_r.so, long in libmqcxa64_r.so. */
#include <string.h>

enum { XIDDATASIZE = 128, RMNAMESZ = 32, RECOVERED_AT_ONCE = 64 };
enum { TMNOMIGRATE = 2 };
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
int quaymaster_xa_close(int resource_manager, unsigned flags);
int quaymaster_xa_branch(int verb, const struct plain_xid *xid, int resource_manager, unsigned flags);
int quaymaster_xa_recover(struct plain_xid *xids, int count, int resource_manager, unsigned flags);

static int open_entry(char *text, int resource_manager, XA_LONG flags)
{
  return quaymaster_xa_open(text, resource_manager, (unsigned)flags);
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

static int branch(int verb, XID *xid, int resource_manager, XA_LONG flags)
{
  struct plain_xid plain;

  if (xid == NULL)
    return XAER_INVAL;
  plain.format = narrow(xid->formatID);
  plain.global_length = narrow(xid->gtrid_length);
  plain.branch_length = narrow(xid->bqual_length);
  memcpy(plain.data, xid->data, sizeof plain.data);
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
