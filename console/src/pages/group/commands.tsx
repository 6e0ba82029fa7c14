// The same by other means: the commands that show and mend a group from a terminal, from a program, and by MQSC.

import type { Group } from '../../api/operations.ts';
import { Code } from '../../parts/copy.tsx';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';

export function Commands({ qmgr, group }: { qmgr: string; group: Group }) {
  const at = encodeURIComponent(qmgr);
  const entries: [string, string, string][] = [
    [t('qsg.statusHelp'), t('change.command'), 'quaymaster group status'],
    [t('qsg.doctorHelp'), t('change.command'), 'quaymaster doctor'],
    [t('qsg.stuckHelp'), t('change.command'), 'quaymaster group repair'],
    [t('qsg.curlHelp'), t('change.curl'), `curl -sS --cacert tls/ca.crt -u admin '${location.origin}/api/v1/qmgr/${at}/group'`],
    [t('qsg.mqscHelp'), t('change.mqsc'), group.structures.length > 0 ? 'DISPLAY GROUP\nDISPLAY CFSTATUS(*) TYPE(SUMMARY)' : 'DISPLAY GROUP'],
  ];
  return (
    <section aria-labelledby="group-commands">
      <h2 id="group-commands">{t('change.same')} <a class="aside" href={link.mqsc({ qmgr })}>{t('pages.mqsc')}</a></h2>
      <div class="group-commands">
        {entries.filter(([,, text]) => group.hasDatabase || !text.startsWith('quaymaster')).map(([help, label, text]) => (
          <div key={text}>
            <p class="quiet">{help}</p>
            <Code text={text} label={label} />
          </div>
        ))}
      </div>
    </section>
  );
}
