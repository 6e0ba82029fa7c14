// A CHLAUTH record: what it matches, what it does, and the command that adds or removes it. Pure.

import { t, textOf } from '../../text.ts';

export const RULE_TYPES = ['ADDRESSMAP', 'USERMAP', 'SSLPEERMAP', 'QMGRMAP', 'BLOCKUSER', 'BLOCKADDR'] as const;
export type RuleType = (typeof RULE_TYPES)[number];
export const USER_SOURCES = ['CHANNEL', 'MAP', 'NOACCESS'] as const;

/** As DISPLAY CHLAUTH shows it. */
export interface Displayed {
  chlauth: string;
  type: RuleType;
  descr?: string;
  address?: string;
  clntuser?: string;
  sslpeer?: string;
  qmname?: string;
  userlist?: string[];
  addrlist?: string[];
  usersrc?: string;
  mcauser?: string;
  chckclnt?: string;
  warn?: string;
}

export interface Rule {
  key: string;
  profile: string;
  type: RuleType;
  /** What is matched: an address, a user, a certificate, a list. */
  who: string;
  /** The address that is asked for beside it. */
  from: string | null;
  effect: string;
  isRefusal: boolean;
  check: string | null;
  description: string;
  values: Displayed;
}

export function ruleOf(values: Displayed): Rule {
  const { chlauth, type, descr = '', address, usersrc, mcauser, chckclnt, warn } = values;
  const isRefusal = usersrc === 'NOACCESS' || usersrc === undefined;
  const effect = usersrc === 'MAP' ? t('channels.as', { user: mcauser ?? '' }) : isRefusal ? t(warn === 'YES' ? 'channels.warned' : 'userSource.NOACCESS') : t('userSource.CHANNEL');
  return {
    key: [chlauth, type, whoOf(values), type === 'ADDRESSMAP' ? '' : (address ?? '')].filter(Boolean).join(' '), profile: chlauth, type, who: whoOf(values), from: type === 'ADDRESSMAP' ? null : (address ?? '') || null, effect, isRefusal,
    check: chckclnt && !isRefusal ? (textOf(`channels.${chckclnt}`) ?? chckclnt) : null, description: descr, values,
  };
}

function whoOf({ type, address, clntuser, sslpeer, qmname, userlist, addrlist }: Displayed): string {
  switch (type) {
    case 'ADDRESSMAP':
      return address ?? '';
    case 'USERMAP':
      return clntuser ?? '';
    case 'SSLPEERMAP':
      return sslpeer ?? '';
    case 'QMGRMAP':
      return qmname ?? '';
    case 'BLOCKUSER':
      return (userlist ?? []).join(', ');
    case 'BLOCKADDR':
      return (addrlist ?? []).join(', ');
  }
}

/** The keywords by which a record of the type is found. */
function keysOf({ type, address, clntuser, sslpeer, qmname, userlist, addrlist }: Displayed, quoted: (text: string) => string): string[] {
  const key = (keyword: string, value: string | undefined) => (value ? [`${keyword}(${quoted(value)})`] : []);
  const list = (keyword: string, values: string[] = []) => [`${keyword}(${values.filter(Boolean).map(quoted).join(',')})`];
  switch (type) {
    case 'ADDRESSMAP':
      return key('ADDRESS', address);
    case 'USERMAP':
      return [...key('CLNTUSER', clntuser), ...key('ADDRESS', address)];
    case 'SSLPEERMAP':
      return [...key('SSLPEER', sslpeer), ...key('ADDRESS', address)];
    case 'QMGRMAP':
      return [...key('QMNAME', qmname), ...key('ADDRESS', address)];
    case 'BLOCKUSER':
      return list('USERLIST', userlist);
    case 'BLOCKADDR':
      return list('ADDRLIST', addrlist);
  }
}

export function commandOf(values: Displayed, action: 'ADD' | 'REMOVE', quoted: (text: string) => string): string {
  const { chlauth, type, usersrc, mcauser, chckclnt, descr } = values;
  const profile = type === 'BLOCKADDR' ? '*' : chlauth;
  const effect =
    action === 'REMOVE' ? [] : [
      ...(usersrc ? [`USERSRC(${usersrc})`] : []), ...(mcauser ? [`MCAUSER(${quoted(mcauser)})`] : []), ...(chckclnt && chckclnt !== 'ASQMGR' ? [`CHCKCLNT(${chckclnt})`] : []),
      ...(descr ? [`DESCR(${quoted(descr)})`] : []),
    ];
  return [`SET CHLAUTH(${quoted(profile)}) TYPE(${type})`, ...keysOf(values, quoted), ...effect, `ACTION(${action})`].join(' ');
}

/** Whether a profile, which may end with `*`, stands for a channel. */
export function matches(profile: string, channel: string): boolean {
  const pattern = profile.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*');
  return new RegExp(`^${pattern}$`).test(channel);
}
