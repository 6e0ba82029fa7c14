// The structures of a group: where their queues are, what these hold, and what happens when their database is lost.

import type { Group, GroupStructure } from '../../api/operations.ts';
import { may } from '../../api/session.ts';
import { bytes, count } from '../../format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { link } from '../../routes.ts';
import { t } from '../../text.ts';
import { changeStructure, defineQueue, deleteStructure } from './actions.tsx';

export function Structures({ qmgr, group, changed }: { qmgr: string; group: Group; changed(): void }) {
  return (
    <section aria-labelledby="group-structures">
      <h2 id="group-structures">{t('qsg.structures')}</h2>
      {group.structures.length === 0 && <p class="quiet">{t('qsg.noStructures')}</p>}
      {group.structures.length > 0 && (
        <div class="table-box" tabIndex={0}>
          <table class="plain-table group-table">
            <thead>
              <tr>
                <th scope="col">{t('qsg.structure')}</th><th scope="col">{t('qsg.database')}</th><th scope="col" title="RECOVER">{t('qsg.persistent')}</th><th scope="col" title="CFCONLOS">{t('qsg.onLoss')}</th>
                <th scope="col" class="is-end">{t('pages.queues')}</th><th scope="col" class="is-end">{t('qsg.messages')}</th><th scope="col" class="is-end">{t('column.bytes')}</th>
                <th scope="col">{t('column.description')}</th><th scope="col"><span class="heard">{t('queue.actions')}</span></th>
              </tr>
            </thead>
            <tbody>
              {group.structures.map((one) => <Structure key={one.name} qmgr={qmgr} group={group} one={one} changed={changed} />)}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Structure({ qmgr, group, one, changed }: { qmgr: string; group: Group; one: GroupStructure; changed(): void }) {
  const { name } = one;
  const database = group.databases.find(({ structure }) => structure === (one.hasDatabase ? name : null));
  const queues = link.queues({ qmgr }, { where: [`structure=${name}`] });
  const then = (isDone: boolean) => isDone && changed();
  return (
    <tr>
      <th scope="row"><a class="object" href={queues}>{name}</a></th>
      <td>{one.hasDatabase ? t('qsg.ownDatabase') : t('qsg.homeDatabase')} {database && !database.isReached && <span class="tag is-error">{t('qsg.away')}</span>}</td>
      <td>{one.recover ? t('value.YES') : <span title={t('qsg.noRecoverHelp')}>{t('value.NO')}</span>}</td>
      <td>{t(`qsg.${one.onLoss}`)}</td>
      <td class="is-end">{one.queues === 0 ? <span class="quiet">0</span> : <a href={queues}>{count(one.queues)}</a>}</td>
      <td class="is-end">{one.messages === 0 ? <span class="quiet">0</span> : count(one.messages)}</td>
      <td class="is-end">{one.bytes === 0 ? <span class="quiet">0</span> : bytes(one.bytes)}</td>
      <td class="group-text" title={one.description}>{one.description}</td>
      <td class="is-end">
        {may.value.change && (
          <Menu
            class="icon-button" label={t('qsg.actionsOf', { member: name })} edge="end" button={<Icon name="more" />}
            actions={[
              { name: t('qsg.defineQueue'), icon: 'add', run: () => void defineQueue(qmgr, name).then(then) },
              { name: t('qsg.changeStructure'), icon: 'edit', run: () => void changeStructure(qmgr, one).then(then) },
              { name: t('qsg.deleteStructure'), icon: 'remove', danger: true, not: one.queues > 0 ? t('qsg.deleteNot', { count: one.queues }) : undefined, run: () => void deleteStructure(qmgr, name).then(then) },
            ]}
          />
        )}
      </td>
    </tr>
  );
}
