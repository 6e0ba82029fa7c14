// Types of queues: the word of the list resource, and the qualifier of MQSC.

export function qualifier(type: string): 'QLOCAL' | 'QALIAS' | 'QREMOTE' | 'QMODEL' {
  switch (type) {
    case 'alias':
      return 'QALIAS';
    case 'remote':
      return 'QREMOTE';
    case 'model':
      return 'QMODEL';
    default:
      return 'QLOCAL';
  }
}
