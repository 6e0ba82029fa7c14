// The members of a group: state, life, where they run, what they hold, and when their work was ended by a peer. What is done to a member is
// a command of `quaymaster group`, which the page shows.

import { useState } from 'preact/hooks';
import type { Group, GroupMember } from '../../api/operations.ts';
import { age, count, moment, span } from '../../format.ts';
import { Code } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { type Action, Menu } from '../../parts/menu.tsx';
import { Button } from '../../parts/button.tsx';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';
import { shellWord, toneOf } from './figures.ts';

type Hint = { title: string; text: string; command: string };

export function Members({ qmgr, group }: { qmgr: string; group: Group }) {
  const [hint, setHint] = useState<Hint>();
  return (
    <section aria-labelledby="group-members">
      <h2 id="group-members">{t('qsg.members')}</h2>
      <div class="table-box" tabIndex={0}>
        <table class="plain-table group-table">
          <thead>
            <tr>
              <th scope="col">{t('qsg.member')}</th><th scope="col">{t('qsg.state')}</th><th scope="col" class="is-end">{t('qsg.beat')}</th>
              <th scope="col">{t('qsg.host')}</th><th scope="col">{t('qsg.version')}</th><th scope="col" class="is-end">{t('qsg.epoch')}</th>
              <th scope="col" class="is-end" title={t('qsg.holdsHelp')}>{t('qsg.holds')}</th><th scope="col" class="is-end">{t('qsg.inDoubt')}</th>
              <th scope="col">{t('qsg.recovered')}</th><th scope="col"><span class="heard">{t('queue.actions')}</span></th>
            </tr>
          </thead>
          <tbody>
            {group.members.map((one) => <Member key={one.number} qmgr={qmgr} group={group} one={one} show={setHint} />)}
          </tbody>
        </table>
      </div>
      {hint && (
        <Dialog title={hint.title} onClose={() => setHint(undefined)} actions={<Button kind="primary" onClick={() => setHint(undefined)}>{t('shell.close')}</Button>}>
          <p>{hint.text}</p>
          <Code text={hint.command} label={t('change.command')} />
        </Dialog>
      )}
    </section>
  );
}

function Member({ qmgr, group, one, show }: { qmgr: string; group: Group; one: GroupMember; show(hint: Hint): void }) {
  const actions = actionsOf(qmgr, one, show);
  return (
    <tr>
      <th scope="row">
        <span class="object">{one.name}</span> <span class="quiet">{one.number}</span>
        {one.isSelf && <span class="tag">{t('qsg.self')}</span>}
      </th>
      <td>
        <span class={`tag is-${toneOf(one)}`}>{t(`qsg.${one.state}`)}</span>
        {one.state === 'ACTIVE' && !one.isHeard && <span class="tag is-warning" title={t('qsg.unheardHelp')}>{t('qsg.unheard')}</span>}
      </td>
      <td class="is-end">{one.state !== 'ACTIVE' ? <span class="quiet">–</span> : one.secondsSinceBeat === null ? <span class="is-error">{t('qsg.silent', { span: span(one.secondsWatched) })}</span> : `${one.secondsSinceBeat.toFixed(1)} s`}</td>
      <td title={one.address === '' ? undefined : t('qsg.address', { address: one.address })}>{one.host || <span class="quiet">–</span>}</td>
      <td class={group.schemaVersion !== null && one.state === 'ACTIVE' && one.schemaVersion < group.schemaVersion ? 'is-warning' : undefined}>{one.version || <span class="quiet">–</span>}</td>
      <td class="is-end">{count(one.epoch)}</td>
      <td class="is-end"><Amount value={one.claims} /></td>
      <td class="is-end">{one.unitsInDoubt === 0 ? <Amount value={0} /> : <span class="is-warning" title={t('qsg.inDoubtHelp', { count: one.messagesInDoubt })}>{count(one.unitsInDoubt)}</span>}</td>
      <td>{one.recovery ? <span title={moment(one.recovery.at)}>{one.recovery.by === '' ? t('qsg.byOperator', { age: age(one.recovery.at), count: one.recovery.messages }) : t('qsg.by', { member: one.recovery.by, age: age(one.recovery.at), count: one.recovery.messages })}</span> : <span class="quiet">–</span>}</td>
      <td class="is-end"><Menu class="icon-button" label={t('qsg.actionsOf', { member: one.name })} edge="end" button={<Icon name="more" />} actions={actions} /></td>
    </tr>
  );
}

function Amount({ value }: { value: number }) {
  return value === 0 ? <span class="quiet">0</span> : <>{count(value)}</>;
}

function actionsOf(qmgr: string, one: GroupMember, show: (hint: Hint) => void): Action[] {
  const { name, state } = one;
  const live = state === 'ACTIVE' && one.secondsSinceBeat !== null;
  const actions: Action[] = [];
  if (live) actions.push({ name: t('qsg.runThere'), icon: 'mqsc', href: link.mqsc({ qmgr }) });
  if (!live && (state === 'ACTIVE' || state === 'RECOVERING')) {
    actions.push({ name: t('qsg.repair'), icon: 'edit', run: () => show({ title: t('qsg.repairOf', { member: name }), text: t('qsg.repairHelp', { member: name }), command: 'quaymaster group repair members' }) });
  }
  actions.push({
    name: t('qsg.leave'), icon: 'remove', not: live ? t('qsg.leaveNot', { member: name }) : undefined,
    run: () => show({ title: t('qsg.leaveOf', { member: name }), text: t('qsg.leaveHelp', { member: name }), command: `quaymaster group leave ${shellWord(name)}` }),
  });
  return actions;
}
