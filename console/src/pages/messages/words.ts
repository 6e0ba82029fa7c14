// Numbers of MQ in words: reasons, feedback, types, encodings, character sets, kinds of programs.
//
// Source: MQ constants, 9.3. What is not here is shown as its number.

const REASONS: Record<number, string> = {
  2013: 'MQRC_EXPIRY_ERROR', 2016: 'MQRC_GET_INHIBITED', 2017: 'MQRC_HANDLE_NOT_AVAILABLE', 2024: 'MQRC_SYNCPOINT_LIMIT_REACHED', 2029: 'MQRC_MSG_TYPE_ERROR',
  2030: 'MQRC_MSG_TOO_BIG_FOR_Q', 2031: 'MQRC_MSG_TOO_BIG_FOR_Q_MGR', 2033: 'MQRC_NO_MSG_AVAILABLE', 2035: 'MQRC_NOT_AUTHORIZED', 2048: 'MQRC_PERSISTENT_NOT_ALLOWED',
  2050: 'MQRC_PRIORITY_ERROR', 2051: 'MQRC_PUT_INHIBITED', 2052: 'MQRC_Q_DELETED', 2053: 'MQRC_Q_FULL', 2056: 'MQRC_Q_SPACE_NOT_AVAILABLE', 2057: 'MQRC_Q_TYPE_ERROR',
  2059: 'MQRC_Q_MGR_NOT_AVAILABLE', 2071: 'MQRC_STORAGE_NOT_AVAILABLE', 2079: 'MQRC_TRUNCATED_MSG_ACCEPTED', 2080: 'MQRC_TRUNCATED_MSG_FAILED',
  2082: 'MQRC_UNKNOWN_ALIAS_BASE_Q', 2085: 'MQRC_UNKNOWN_OBJECT_NAME', 2087: 'MQRC_UNKNOWN_REMOTE_Q_MGR', 2101: 'MQRC_OBJECT_DAMAGED', 2102: 'MQRC_RESOURCE_PROBLEM',
  2110: 'MQRC_FORMAT_ERROR', 2111: 'MQRC_SOURCE_CCSID_ERROR', 2119: 'MQRC_NOT_CONVERTED', 2141: 'MQRC_DLH_ERROR', 2142: 'MQRC_HEADER_ERROR',
  2192: 'MQRC_STORAGE_MEDIUM_FULL', 2196: 'MQRC_UNKNOWN_XMIT_Q', 2197: 'MQRC_UNKNOWN_DEF_XMIT_Q', 2334: 'MQRC_RFH_ERROR',
  256: 'MQFB_QUIT', 258: 'MQFB_EXPIRATION', 259: 'MQFB_COA', 260: 'MQFB_COD', 265: 'MQFB_APPL_CANNOT_BE_STARTED', 266: 'MQFB_TM_ERROR', 267: 'MQFB_APPL_TYPE_ERROR',
  268: 'MQFB_STOPPED_BY_MSG_EXIT', 271: 'MQFB_XMIT_Q_MSG_ERROR', 275: 'MQFB_PAN', 276: 'MQFB_NAN',
};

/** First number that applications use as they like. */
const FIRST_OF_APPLICATIONS = 65_536;

export function reasonName(number: number): string | undefined {
  return REASONS[number] ?? (number >= FIRST_OF_APPLICATIONS ? 'MQFB_APPL' : undefined);
}

export const TYPES: Record<string, string> = { datagram: 'MQMT_DATAGRAM 8', request: 'MQMT_REQUEST 1', reply: 'MQMT_REPLY 2', report: 'MQMT_REPORT 4' };

const APPLICATIONS: Record<number, string> = {
  0: 'MQAT_NO_CONTEXT', 1: 'MQAT_CICS', 2: 'MQAT_ZOS', 3: 'MQAT_IMS', 5: 'MQAT_DOS', 6: 'MQAT_UNIX', 7: 'MQAT_QMGR', 8: 'MQAT_OS400', 9: 'MQAT_WINDOWS', 10: 'MQAT_CICS_VSE',
  11: 'MQAT_WINDOWS_NT', 12: 'MQAT_VMS', 13: 'MQAT_NSK', 19: 'MQAT_IMS_BRIDGE', 20: 'MQAT_XCF', 21: 'MQAT_CICS_BRIDGE', 22: 'MQAT_NOTES_AGENT', 26: 'MQAT_BROKER', 28: 'MQAT_JAVA',
  29: 'MQAT_DQM', 30: 'MQAT_CHANNEL_INITIATOR', 33: 'MQAT_SIB', 37: 'MQAT_SYSTEM_EXTENSION',
};

export function applicationType(number: number): string {
  return `${APPLICATIONS[number] ?? 'MQAT'} ${number}`;
}

const SETS: Record<number, string> = {
  37: 'EBCDIC, US', 273: 'EBCDIC, Germany', 277: 'EBCDIC, Denmark', 278: 'EBCDIC, Sweden', 280: 'EBCDIC, Italy', 284: 'EBCDIC, Spain', 285: 'EBCDIC, UK', 297: 'EBCDIC, France',
  437: 'PC, US', 500: 'EBCDIC, international', 819: 'ISO 8859-1', 850: 'PC, Latin 1', 858: 'PC, Latin 1 with euro', 870: 'EBCDIC, Latin 2', 912: 'ISO 8859-2', 923: 'ISO 8859-15',
  1047: 'EBCDIC, open systems', 1140: 'EBCDIC, US with euro', 1141: 'EBCDIC, Germany with euro', 1146: 'EBCDIC, UK with euro', 1148: 'EBCDIC, international with euro',
  1200: 'UTF-16', 1208: 'UTF-8', 1250: 'Windows, Latin 2', 1252: 'Windows, Latin 1', 932: 'Shift-JIS', 943: 'Shift-JIS', 939: 'EBCDIC, Japan', 930: 'EBCDIC, Japan',
};

/** Character sets that are offered to read a text in. */
export const OFFERED_SETS = [1208, 819, 1252, 850, 37, 500, 1047, 273, 1140, 1141, 1148, 1200, 943];

export function isEbcdic(ccsid: number | undefined): boolean {
  return SETS[ccsid ?? 0]?.startsWith('EBCDIC') ?? false;
}

export function characterSet(ccsid: number): string {
  return SETS[ccsid] ?? '';
}

/** MQENC: the three parts of an encoding. */
export function encodingWords(encoding: number): string {
  const integers = { 1: 'big-endian', 2: 'little-endian' }[encoding & 0xf] ?? '';
  const packed = { 0x10: 'packed normal', 0x20: 'packed reversed' }[encoding & 0xf0] ?? '';
  const floats = { 0x100: 'IEEE floats', 0x200: 'IEEE floats reversed', 0x300: 'S/390 floats' }[encoding & 0xf00] ?? '';
  return [integers, packed, floats].filter(Boolean).join(', ');
}
