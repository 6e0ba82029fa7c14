// The databases of a group: where each is, what protects its commits, how far away it is, and what keeps it from cleaning up.

import type { Group, GroupDatabase } from '../../api/operations.ts';
import { bytes, count, span } from '../../format.ts';
import { t } from '../../text.ts';
import { Facts } from '../deployed/page.tsx';
import { milliseconds, oldestHolder } from './figures.ts';

const ROLES = { primary: 'qsg.rolePrimary', standby: 'qsg.roleStandby', away: 'qsg.roleAway' } as const;
/** From this age on a transaction is a problem of its own. */
const OLD = 60;

export function Databases({ group }: { group: Group }) {
  return (
    <section aria-labelledby="group-databases">
      <h2 id="group-databases">{t('qsg.databases')}</h2>
      <div class="group-databases">
        {group.databases.map((one) => <Database key={one.structure ?? ''} one={one} />)}
      </div>
    </section>
  );
}

function Database({ one }: { one: GroupDatabase }) {
  const name = one.structure === null ? t('qsg.home') : t('qsg.ofStructure', { structure: one.structure });
  const holder = oldestHolder(one);
  const age = holder?.seconds ?? 0;
  return (
    <article class="qmgr-card" aria-label={name}>
      <h3>{name} <span class={one.isReached ? 'tag is-good' : 'tag is-error'}>{t(one.isReached ? 'qsg.reached' : 'qsg.away')}</span></h3>
      {one.trouble !== null && <p class="is-error">{one.trouble}</p>}
      {one.secondsSinceLook !== null && (
        <Facts
          facts={[
            [t('qsg.engine'), `${one.engine} ${one.version}`],
            [t('qsg.primary'), <>{one.host}{one.timeline > 0 && <span class="quiet"> {t('qsg.timeline', { timeline: one.timeline })}</span>}</>],
            [t('qsg.otherHosts'), others(one)],
            [t('qsg.standby'), one.synchronousStandbyNames ? one.synchronousStandbyNames : one.synchronousStandbyNames === '' ? <span class="is-warning">{t('qsg.noStandby')}</span> : undefined],
            [t('qsg.lag'), one.standbys.length === 0 ? undefined : one.standbys.map(({ name: standby, behindBytes }) => `${standby} ${behindBytes === null ? '–' : bytes(behindBytes)}`).join(', ')],
            [t('qsg.encrypted'), one.isEncrypted === null ? undefined : t(one.isEncrypted ? 'value.YES' : 'value.NO')],
            [t('qsg.roundTrip'), milliseconds(one.roundTripMilliseconds)],
            [t('qsg.commit'), milliseconds(one.commitMilliseconds)],
            [t('qsg.batches'), t('qsg.batchesOf', { count: one.batches, operations: one.operations })],
            [t('qsg.unknown'), one.unknownOutcomes === 0 ? undefined : count(one.unknownOutcomes)],
            [t('qsg.recoveries'), one.recoveries === 0 ? undefined : t('qsg.recoveriesOf', { count: one.recoveries, messages: one.recoveredMessages })],
            [t('qsg.connects'), count(one.connects)],
            [t('qsg.deadRows'), one.deadRows === null ? undefined : one.secondsSinceVacuum === null ? count(one.deadRows) : t('qsg.vacuumed', { count: one.deadRows, span: span(one.secondsSinceVacuum) })],
            [t('qsg.oldest'), holder ? <span class={age >= OLD ? 'is-warning' : undefined} title={[holder.kind, holder.name, holder.user, holder.state].filter(Boolean).join(', ')}>{`${span(age)}${holder.pid === null ? '' : `, pid ${holder.pid}`}`}</span> : t('qsg.none')],
            [t('qsg.looked'), t('qsg.ago', { span: span(one.secondsSinceLook) })],
          ]}
        />
      )}
    </article>
  );
}

function others({ hosts, host }: GroupDatabase) {
  const rest = hosts.filter(({ name }) => name !== host);
  if (rest.length === 0) return undefined;
  return rest.map(({ name, role, why }, index) => (
    <span key={name} class={role === 'standby' ? undefined : 'is-warning'} title={why ?? undefined}>{index > 0 && ', '}{name} <span class="quiet">{t(ROLES[role])}</span></span>
  ));
}
